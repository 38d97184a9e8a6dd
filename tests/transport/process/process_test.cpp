#include "transport/process.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "protocol/limits.hpp"

namespace gate {
namespace {

namespace fs = std::filesystem;

/// Files in a folder of their own.
class a_file : public ::testing::Test {
 protected:
  a_file() { fs::create_directories(folder_); }
  ~a_file() override { fs::remove_all(folder_); }
  std::string path(const std::string& name = "gate.json") const { return folder_ / name; }
  std::string write(const std::string& text) const {
    std::ofstream(path()) << text;
    return path();
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("gate_process_" + std::to_string(::getpid()));
};

TEST_F(a_file, is_read_as_it_is) {
  const std::string text("{\0\n}\r\n", 6);
  EXPECT_EQ(read_file(write(text)).value(), text);
  EXPECT_EQ(read_regular_file(path()).value(), text);
  fs::create_symlink(path(), path("link"));
  EXPECT_EQ(read_regular_file(path("link")).value(), text);
}

TEST_F(a_file, that_can_not_be_read_is_named_with_the_reason) {
  for (const auto& read : {read_file, read_regular_file}) {
    const auto none = read(path("none"));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().what, "can not read the configuration file " + path("none") +
                                     ": No such file or directory");
  }
}

TEST(surroundings, may_be_empty_and_are_passed_on_as_they_are) {
  ::setenv("GATE_TEST_EMPTY", "", 1);
  EXPECT_EQ(whole_environment_variable("GATE_TEST_EMPTY"), "");
  EXPECT_EQ(whole_environment_variable("GATE_TEST_UNSET"), std::nullopt);
}

TEST(inspection, is_forbidden) {
  const int before = ::prctl(PR_GET_DUMPABLE);
  forbid_inspection();
  EXPECT_EQ(::prctl(PR_GET_DUMPABLE), 0);
  ::prctl(PR_SET_DUMPABLE, before);
}

TEST_F(a_file, is_not_read_beyond_its_bound) {
  write(std::string(limits::document_bytes + 1, ' '));
  for (const auto& read : {read_file, read_regular_file}) {
    const auto large = read(path());
    ASSERT_FALSE(large);
    EXPECT_NE(large.error().what.find("larger than 16 MiB"), std::string::npos);
  }
}

/// A pipe that nobody writes to would keep the reader waiting for ever.
TEST_F(a_file, that_is_none_is_refused_at_once) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  fs::create_symlink(path("pipe"), path("link"));
  for (const auto& what : {path("pipe"), path("link"), path(""), std::string("/dev/zero")}) {
    const auto r = read_regular_file(what);
    ASSERT_FALSE(r) << what;
    EXPECT_NE(r.error().what.find("it is not a regular file"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace gate
