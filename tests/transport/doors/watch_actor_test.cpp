// WATCH over real signals and a real file.
#include "transport/doors/watch_actor.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/transport/support/real_world.hpp"
#include "transport/log.hpp"

namespace gate::testing {
namespace {

namespace fs = std::filesystem;

/// What WATCH told.
class told final : public watcher_handle::base {
 public:
  told(caf::actor_config& cfg, inbox<std::string>* to) : watcher_handle::base(cfg), to_(to) {}
  behavior_type make_behavior() override {
    return {[this](stop_requested) { to_->put("stop"); },
            [this](reload_requested) { to_->put("reload"); }};
  }

 private:
  inbox<std::string>* to_;
};

/// A runtime whose WATCH tells the test.
class watched {
 public:
  explicit watched(runtime::options o) {
    o.port = 0;
    runtime_ = std::move(*runtime::start(o));
    who_ = runtime_->system().spawn<told>(&seen);
    caf::anon_send(runtime_->watch(), watch_for{who_});
  }
  ~watched() {
    caf::anon_send_exit(who_, caf::exit_reason::kill);
    who_ = nullptr;
  }

  inbox<std::string> seen;

 private:
  std::unique_ptr<runtime> runtime_;
  watcher_handle who_;
};

inbox<std::string>& log_lines() {
  static inbox<std::string> lines;
  return lines;
}

/// A file in a folder of its own, watched so often that the test need not wait.
class watched_file_test : public ::testing::Test {
 protected:
  watched_file_test() {
    std::string name = (fs::temp_directory_path() / "gate watch XXXXXX").string();
    folder = ::mkdtemp(name.data());
    path = folder / "gate.json";
    write("one");
    log::redirect([](std::string_view line) {
      if (line.find("can not be seen") != line.npos) log_lines().put(std::string(line));
    });
  }
  ~watched_file_test() override {
    log::redirect(nullptr);
    while (!log_lines().empty()) log_lines().wait();
    fs::remove_all(folder);
  }

  void write(std::string_view text) { std::ofstream(path, std::ios::binary) << text; }
  runtime::options options() const {
    runtime::options o;
    o.watch = {path.string(), *stamp_of(path.string()), std::chrono::milliseconds{2}};
    return o;
  }

  fs::path folder, path;
};

TEST(watch, signals_become_messages) {
  watched w({});
  std::raise(SIGHUP);
  EXPECT_EQ(w.seen.wait(), "reload");
  std::raise(SIGHUP);
  EXPECT_EQ(w.seen.wait(), "reload");
  std::raise(SIGTERM);
  EXPECT_EQ(w.seen.wait(), "stop");
}

TEST(watch, signals_of_another_program_are_left_alone) {
  static std::atomic<int> heard;
  heard = 0;
  const auto mine = [](int) { ++heard; };
  std::signal(SIGHUP, mine);
  std::signal(SIGTERM, mine);
  std::signal(SIGPIPE, SIG_DFL);
  {
    runtime::options o;
    o.owns_process = false;
    watched w(o);
    std::raise(SIGHUP);
    std::raise(SIGTERM);
    EXPECT_TRUE(w.seen.empty());
  }
  EXPECT_EQ(heard, 2);
  EXPECT_EQ(std::signal(SIGPIPE, SIG_IGN), SIG_DFL);
  EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), +mine);
  EXPECT_EQ(std::signal(SIGTERM, SIG_DFL), +mine);
}

TEST_F(watched_file_test, a_change_is_a_reload) {
  watched w(options());
  write("two and more");
  EXPECT_EQ(w.seen.wait(), "reload");
  write("three, and even more");
  EXPECT_EQ(w.seen.wait(), "reload");
}

TEST_F(watched_file_test, another_file_that_takes_its_place_is_a_change) {
  const auto time = fs::last_write_time(path);
  watched w(options());
  std::ofstream(folder / "next") << "ONE";  // of the same size
  fs::last_write_time(folder / "next", time);
  fs::rename(folder / "next", path);
  EXPECT_EQ(w.seen.wait(), "reload");
}

TEST_F(watched_file_test, a_link_is_followed) {
  const auto link = folder / "link";
  fs::create_symlink(path, link);
  auto o = options();
  o.watch->path = link;
  watched w(o);
  std::ofstream(folder / "other") << "other";
  fs::create_symlink(folder / "other", folder / "new link");
  fs::rename(folder / "new link", link);  // as a container orchestrator does
  EXPECT_EQ(w.seen.wait(), "reload");
}

TEST_F(watched_file_test, what_is_gone_is_told_and_read_when_it_is_back) {
  watched w(options());
  fs::rename(path, folder / "aside");
  const auto line = log_lines().wait();
  EXPECT_NE(line.find(path.string()), std::string::npos) << line;
  EXPECT_NE(line.find("No such file"), std::string::npos) << line;
  EXPECT_TRUE(w.seen.empty()) << "what runs goes on";
  fs::rename(folder / "aside", path);
  EXPECT_EQ(w.seen.wait(), "reload");
  EXPECT_TRUE(log_lines().empty()) << "once";
}

TEST_F(watched_file_test, a_change_before_the_first_look_is_seen) {
  const auto o = options();
  write("changed after it was read");
  watched w(o);
  EXPECT_EQ(w.seen.wait(), "reload");
}

}  // namespace
}  // namespace gate::testing
