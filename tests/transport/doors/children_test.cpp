// CHILDREN and CHILD over real processes, in front of an actor that does what a test says.
#include "transport/doors/children.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <variant>

#include "protocol/limits.hpp"
#include "tests/transport/support/real_world.hpp"
#include "transport/doors/child.hpp"
#include "transport/log.hpp"

namespace gate::testing {
namespace {

using news =
    std::variant<child_started, child_failed, child_spoke, child_took, child_exited, child_gone>;

/// What is logged meanwhile, from whatever thread.
inbox<std::string>& logged() {
  static inbox<std::string> lines;
  return lines;
}

/// Tells the test everything that a CHILD tells.
class listener final : public pinned<child_user::base> {
 public:
  listener(caf::actor_config& cfg, caf::execution_unit* unit, std::shared_ptr<inbox<news>> to)
      : pinned(cfg, unit), to_(std::move(to)) {}
  behavior_type make_behavior() override {
    return {
        [this](child_started& m) { to_->put(std::move(m)); },
        [this](child_failed& m) { to_->put(std::move(m)); },
        [this](child_spoke& m) { to_->put(std::move(m)); },
        [this](child_took& m) { to_->put(m); },
        [this](child_exited& m) { to_->put(m); },
        [this](child_gone& m) { to_->put(m); },
    };
  }

 private:
  std::shared_ptr<inbox<news>> to_;
};

class children_at_work : public ::testing::Test {
 protected:
  ~children_at_work() override {
    log::redirect(nullptr);
    if (user_) caf::anon_send_exit(user_, caf::exit_reason::kill);
    user_ = nullptr;
    child_ = nullptr;
    runtime_.reset();
    keeper_.reset();  // blocks until no process is left
  }

  void start(std::vector<std::string> command) {
    while (!logged().empty()) logged().wait();
    log::redirect([](std::string_view line) { logged().put(std::string(line)); });
    keeper_ = process::keeper::start({std::move(command), {}, {"PATH=/usr/bin:/bin"}}).value();
    runtime::options o;
    o.listens = false;
    o.keeper = keeper_;
    runtime_ = runtime::start(o).value();
    const auto& doors = runtime_->units().front();
    user_ = runtime_->system().spawn<listener>(doors.unit, news_);
    caf::anon_send(doors.children, start_child{"7", user_});
  }
  void shell(std::string script) { start({"sh", "-c", std::move(script)}); }

  template <class T>
  T next() {
    auto n = news_->wait();
    if (auto* it = std::get_if<T>(&n)) return std::move(*it);
    throw std::runtime_error("something else happened: " + std::to_string(n.index()));
  }
  pid_t started() {
    auto m = next<child_started>();
    child_ = m.child;
    return static_cast<pid_t>(m.pid);
  }
  template <class T>
  void tell(T m) {
    caf::anon_send(child_, std::move(m));
  }
  /// Everything it says until its output ends, and how it ended, in any order.
  std::vector<std::string> hear_out() {
    std::vector<std::string> all;
    for (bool out = false, exited = false; !out || !exited;) {
      auto n = news_->wait();
      if (std::holds_alternative<child_exited>(n)) exited = true;
      auto* said = std::get_if<child_spoke>(&n);
      if (!said) continue;
      for (auto& line : said->lines) all.push_back(std::move(line));
      out = said->last;
      if (!out) tell(child_read_on{});
    }
    return all;
  }
  static bool disappears(pid_t pid) {
    for (int i = 0; i < 6000; ++i) {
      if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  std::shared_ptr<process::keeper> keeper_;
  std::unique_ptr<runtime> runtime_;
  std::shared_ptr<inbox<news>> news_ = std::make_shared<inbox<news>>();
  child_user user_;
  child_actor child_;
};

TEST_F(children_at_work, lines_pass_both_ways) {
  start({"cat"});
  started();
  tell(child_line{"{\"a\":1}\n"});
  EXPECT_EQ(next<child_took>().bytes, 8U);
  EXPECT_EQ(next<child_spoke>().lines, std::vector<std::string>{"{\"a\":1}"});
  tell(child_read_on{});
  tell(close_child_input{});
  EXPECT_TRUE(hear_out().empty());
  next<child_gone>();
}

TEST_F(children_at_work, large_lines_pass_both_ways) {
  start({"cat"});
  started();
  const std::string large(3 * 1024 * 1024, 'x');
  tell(child_line{large + "\n"});
  std::size_t taken = 0;
  for (bool heard = false; !heard || taken < large.size() + 1;) {
    auto n = news_->wait();
    if (auto* took = std::get_if<child_took>(&n)) taken += took->bytes;
    if (auto* said = std::get_if<child_spoke>(&n)) {
      ASSERT_EQ(said->lines.size(), 1U);
      EXPECT_TRUE(said->lines[0] == large);
      heard = true;
    }
  }
  EXPECT_EQ(taken, large.size() + 1);
  tell(child_read_on{});
  tell(signal_child{});
  hear_out();
  next<child_gone>();
}

TEST_F(children_at_work, last_words_come_before_the_end) {
  shell("echo one; echo two; exit 3");
  started();
  EXPECT_EQ(hear_out(), (std::vector<std::string>{"one", "two"}));
  next<child_gone>();
}

TEST_F(children_at_work, a_flood_waits_in_its_pipe) {
  shell("yes");
  started();
  const auto first = next<child_spoke>();
  EXPECT_FALSE(first.lines.empty());
  // What one look brings, in lines of two bytes.
  EXPECT_LE(first.lines.size() * 2, limits::child_complaint_turn);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(news_->empty());  // nothing more before it is asked for
  tell(child_read_on{});
  next<child_spoke>();
  tell(signal_child{signal_child::how::kill});
  tell(child_read_on{});
  hear_out();
  next<child_gone>();
}

TEST_F(children_at_work, a_line_beyond_the_bound_is_dropped_and_told) {
  shell("head -c 17000000 /dev/zero | tr '\\0' x; echo; echo after");
  started();
  std::vector<std::string> lines;
  std::size_t too_long = 0;
  for (bool last = false; !last;) {
    auto n = news_->wait();
    auto* said = std::get_if<child_spoke>(&n);
    if (!said) continue;
    too_long += said->too_long;
    for (auto& line : said->lines) lines.push_back(line);
    last = said->last;
    if (!last) tell(child_read_on{});
  }
  EXPECT_EQ(too_long, 1U);
  EXPECT_EQ(lines, std::vector<std::string>{"after"});
}

TEST_F(children_at_work, complaints_are_logged_in_bounds) {
  shell("i=0; while [ $i -lt 2000 ]; do echo \"complaint $i\" >&2; i=$((i+1)); done; echo done");
  started();
  EXPECT_EQ(hear_out(), std::vector<std::string>{"done"});
  next<child_gone>();
  std::size_t lines = 0, left_out = 0;
  while (!logged().empty()) {
    const auto line = logged().wait();
    lines += line.find("line=complaint") != line.npos;
    left_out += line.find("lines left out=") != line.npos;
    if (lines == 1 && line.find("complaint 0") != line.npos) {
      EXPECT_NE(line.find("session=7"), line.npos) << line;
    }
  }
  EXPECT_GE(lines, static_cast<std::size_t>(limits::child_complaints_at_once));
  EXPECT_LT(lines, 1500U);
  EXPECT_GE(left_out, 1U);
}

TEST_F(children_at_work, what_can_not_be_executed_is_told) {
  start({"/no/such/program"});
  EXPECT_NE(next<child_failed>().why.find("can not execute the command"), std::string::npos);
}

TEST_F(children_at_work, whose_user_is_gone_is_killed) {
  shell("trap '' TERM; while :; do sleep 1000; done");
  const auto pid = started();
  caf::anon_send_exit(user_, caf::exit_reason::unhandled_exception);
  EXPECT_TRUE(disappears(pid));
}

TEST_F(children_at_work, a_child_that_closes_its_input_is_not_written_to) {
  shell("exec <&-; echo closed; sleep 0.2; exit 0");
  started();
  EXPECT_EQ(next<child_spoke>().lines, std::vector<std::string>{"closed"});
  tell(child_line{"x\n"});
  EXPECT_EQ(next<child_took>().bytes, 2U);  // dropped: nobody will read it
  tell(child_read_on{});
  hear_out();
  next<child_gone>();
}

}  // namespace
}  // namespace gate::testing
