#include "transport/surroundings.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace gate {
namespace {

namespace fs = std::filesystem;

class folder : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = (fs::temp_directory_path() / "gate-surroundings-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(made.data()));
    path = made;
  }
  void TearDown() override { fs::remove_all(path); }

  static std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path path;
};

TEST_F(folder, a_file_that_is_a_link_stays_one) {
  fs::create_directory(path / "kept");
  ASSERT_TRUE(write_new_file(path / "kept/settings", "before", false));
  fs::permissions(path / "kept/settings", fs::perms(0640));
  fs::create_symlink("kept/settings", path / "settings");
  ASSERT_TRUE(replace_file(path / "settings", "after"));
  EXPECT_TRUE(fs::is_symlink(path / "settings"));
  EXPECT_EQ(text_of(path / "kept/settings"), "after");
  EXPECT_EQ(fs::status(path / "kept/settings").permissions(), fs::perms(0640));
  EXPECT_FALSE(fs::exists(path / "kept/settings.next"));
}

TEST_F(folder, a_file_that_is_not_there_is_made_for_its_owner_alone) {
  ASSERT_TRUE(replace_file(path / "new", "text"));
  EXPECT_EQ(text_of(path / "new"), "text");
  EXPECT_EQ(fs::status(path / "new").permissions(), fs::perms(0600));
}

/// A terminal, and a process that reads a line of it which is not shown.
class secret_line : public ::testing::Test {
 protected:
  void SetUp() override {
    master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(master, 0);
    ASSERT_EQ(::grantpt(master), 0);
    ASSERT_EQ(::unlockpt(master), 0);
    slave = ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(slave, 0);
    child = ::fork();
    if (child == 0) {
      ::dup2(slave, STDIN_FILENO);
      ::dup2(slave, STDERR_FILENO);
      ::_exit(read_terminal_line(false) == "secret" ? 0 : 1);
    }
    ASSERT_GT(child, 0);
    while (shows()) ::poll(nullptr, 0, 1);  // until it reads
  }
  void TearDown() override {
    ::close(slave);
    ::close(master);
  }

  bool shows() const {
    termios now{};
    return ::tcgetattr(slave, &now) == 0 && (now.c_lflag & ECHO) != 0;
  }
  int end() const {
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  int master = -1, slave = -1;
  pid_t child = -1;
};

TEST_F(secret_line, is_read_and_the_terminal_shows_again_what_is_typed) {
  ASSERT_EQ(::write(master, "secret\n", 7), 7);
  EXPECT_EQ(end(), 0);
  EXPECT_TRUE(shows());
}

TEST_F(secret_line, whoever_ends_the_program_finds_the_terminal_as_it_was) {
  ASSERT_EQ(::kill(child, SIGINT), 0);
  const int status = end();
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  EXPECT_TRUE(shows());
}

}  // namespace
}  // namespace gate
