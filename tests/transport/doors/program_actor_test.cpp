// PROGRAM over real processes, and the folder that a document is kept in.
#include "transport/doors/program_actor.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "protocol/limits/client_files.hpp"
#include "tests/transport/support/real_world.hpp"
#include "transport/programs.hpp"
#include "transport/surroundings.hpp"

namespace gate::testing {
namespace {

namespace fs = std::filesystem;
using words = std::vector<std::string>;

/// Whose program it is; writes down what it hears.
class program_listener final : public program_user::base {
 public:
  program_listener(caf::actor_config& cfg, inbox<std::string>* to)
      : program_user::base(cfg), to_(to) {}
  behavior_type make_behavior() override {
    return {
        [this](const program_started&) { to_->put("started"); },
        [this](const program_failed& m) { to_->put("failed: " + m.why); },
        [this](const program_said& m) {
          for (const auto& line : m.lines) to_->put("said: " + line);
        },
        [this](const program_ended& m) {
          to_->put((m.by_signal ? "signal " : "code ") + std::to_string(m.status));
        },
    };
  }

 private:
  inbox<std::string>* to_;
};

class a_program : public ::testing::Test {
 protected:
  void start(words command, words environment = {}) {
    user = world.system().spawn<program_listener>(&seen);
    program = spawn_program(world.system(), world.doors().unit,
                            {std::move(command), std::move(environment)}, user);
  }
  void TearDown() override {
    caf::anon_send_exit(user, caf::exit_reason::kill);
    user = nullptr;
    program = nullptr;
  }
  /// All that is told up to its end.
  words all() {
    words out;
    do out.push_back(seen.wait());
    while (!out.back().starts_with("code ") && !out.back().starts_with("signal ") &&
           !out.back().starts_with("failed"));
    return out;
  }

  inbox<std::string> seen;
  real_world world;
  program_user user;
  program_handle program;
};

TEST_F(a_program, is_heard_line_by_line_to_its_end) {
  start({"/bin/sh", "-c", "echo one >&2; echo unheard; printf 'two\\nthree' >&2; exit 7"});
  EXPECT_EQ(all(), (words{"started", "said: one", "said: two", "said: three", "code 7"}));
}

TEST_F(a_program, has_the_environment_that_it_is_given_and_no_input) {
  start({"/bin/sh", "-c", "env | grep -v '^_=\\|^PWD=\\|^SHLVL=' >&2; cat >&2; exit 0"},
        {"A=1", "B=two words"});
  EXPECT_EQ(all(), (words{"started", "said: A=1", "said: B=two words", "code 0"}));
}

TEST_F(a_program, that_is_none_says_why) {
  start({"/no/such/program"});
  EXPECT_EQ(all(), words{"failed: can not execute /no/such/program: No such file or directory"});
}

TEST_F(a_program, is_sent_signals) {
  start(
      {"/bin/sh", "-c", "trap 'echo told >&2' USR1; echo ready >&2; while :; do sleep 0.05; done"});
  EXPECT_EQ(seen.wait(), "started");
  EXPECT_EQ(seen.wait(), "said: ready");
  // One before it can take it does nothing.
  caf::anon_send(program, signal_program{SIGHUP});
  caf::anon_send(program, signal_program{SIGUSR1});
  EXPECT_EQ(seen.wait(), "said: told");
  caf::anon_send(program, signal_program{SIGTERM});
  EXPECT_EQ(all(), words{"signal " + std::to_string(SIGTERM)});
}

TEST_F(a_program, whose_user_is_gone_is_killed) {
  start({"/bin/sh", "-c", "echo $$ >&2; exec sleep 1000"});
  EXPECT_EQ(seen.wait(), "started");
  const auto said = seen.wait();
  const auto pid = static_cast<pid_t>(std::stol(said.substr(said.find(' '))));
  const int life = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  ASSERT_GE(life, 0);
  caf::anon_send_exit(user, caf::exit_reason::kill);
  pollfd ended{life, POLLIN, 0};
  EXPECT_EQ(::poll(&ended, 1, 60'000), 1);
  ::close(life);
}

TEST_F(a_program, is_not_waited_for_by_what_it_leaves_behind) {
  start({"/bin/sh", "-c", "sleep 1000 & echo $! >&2; exit 0"});
  EXPECT_EQ(seen.wait(), "started");
  const auto said = seen.wait();
  EXPECT_EQ(seen.wait(), "code 0");
  ::kill(static_cast<pid_t>(std::stol(said.substr(said.find(' ')))), SIGKILL);
}

TEST_F(a_program, has_long_lines_cut) {
  start({"/bin/sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x >&2; echo >&2"});
  const auto told = all();
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[1].size(), std::string("said: ").size() + limits::program_line_bytes);
}

TEST(surroundings, files_are_new_or_replaced_whole) {
  std::string name = (fs::temp_directory_path() / "gate files XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  const auto file = (folder / "a").string();
  const auto text = [&] {
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  ASSERT_TRUE(write_new_file(file, "one", true));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0600));
  EXPECT_NE(write_new_file(file, "two", false).error().what.find("File exists"), std::string::npos);
  fs::permissions(file, fs::perms(0640));
  ASSERT_TRUE(replace_file(file, "three"));
  EXPECT_EQ(text(), "three");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
  EXPECT_FALSE(replace_file((folder / "no/b").string(), "x"));
  ASSERT_TRUE(make_folder((folder / "no").string()));
  EXPECT_TRUE(replace_file((folder / "no/b").string(), "x"));
  EXPECT_FALSE(make_folder(file + "/c"));
  fs::path own;
  {
    const auto made = run_folder::make(folder.string(), "gate.json");
    ASSERT_TRUE(made);
    const auto path = (*made)->keep("{}");
    ASSERT_TRUE(path);
    own = fs::path(*path).parent_path();
    EXPECT_EQ(fs::status(own).permissions(), fs::perms(0700));
  }
  EXPECT_FALSE(fs::exists(own));
  EXPECT_FALSE(run_folder::make((folder / "none").string(), "x"));
  fs::remove_all(folder);
}

TEST(surroundings, programs_are_in_a_folder) {
  EXPECT_TRUE(fs::exists(program_folder() + "/transport_tests"));
  EXPECT_EQ(current_folder(), fs::current_path().string());
}

}  // namespace
}  // namespace gate::testing
