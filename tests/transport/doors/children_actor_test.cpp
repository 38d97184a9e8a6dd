// CHILDREN and CHILD over real processes, in front of an actor that does what a test says.
#include "transport/doors/children_actor.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <type_traits>
#include <variant>

#include "protocol/limits.hpp"
#include "tests/transport/support/real_world.hpp"
#include "transport/doors/child_actor.hpp"
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
class child_listener final : public pinned<child_user::base> {
 public:
  child_listener(caf::actor_config& cfg, caf::execution_unit* unit, std::shared_ptr<inbox<news>> to)
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
  ~children_at_work() override { end(); }

  void end() {
    log::redirect(nullptr);
    if (user_) caf::anon_send_exit(user_, caf::exit_reason::kill);
    user_ = nullptr;
    child_ = nullptr;
    runtime_.reset();
    keeper_.reset();  // blocks until no process is left
  }

  void prepare(std::vector<std::string> command) {
    while (!logged().empty()) logged().wait();
    log::redirect([](std::string_view line) { logged().put(std::string(line)); });
    keeper_ = process::keeper::start({std::move(command), {}, {"PATH=/usr/bin:/bin"}}).value();
    runtime::options o;
    o.listens = false;
    o.keeper = keeper_;
    runtime_ = runtime::start(o).value();
    user_ = runtime_->system().spawn<child_listener>(runtime_->units().front().unit, news_);
  }
  void ask() { caf::anon_send(runtime_->units().front().children, start_child{"7", user_}); }
  void start(std::vector<std::string> command) {
    prepare(std::move(command));
    ask();
  }
  void shell(std::string script) { start({"sh", "-c", std::move(script)}); }

  template <class T>
  T next() {
    auto n = news_->wait();
    // Who ends closes its input too; that may be told or not.
    if constexpr (!std::is_same_v<T, child_took>)
      while (std::holds_alternative<child_took>(n) && std::get<child_took>(n).deaf)
        n = news_->wait();
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
  child_handle child_;
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
  EXPECT_LE(first.lines.size() * 2, std::size_t{64 * 1024});
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

TEST_F(children_at_work, a_flood_of_complaints_does_not_hold_it_up) {
  shell("yes complaint | head -c 100000000 >&2; echo done");
  started();
  EXPECT_EQ(next<child_spoke>().lines, std::vector<std::string>{"done"});
  tell(child_read_on{});
  hear_out();
  next<child_gone>();
  std::size_t lines = 0, left_out = 0;
  while (!logged().empty()) {
    const auto line = logged().wait();
    lines += line.find("line=complaint") != line.npos;
    const auto at = line.find("lines left out=");
    if (at != line.npos) left_out += std::stoul(line.substr(at + 15));
  }
  EXPECT_EQ(lines + left_out, 10'000'000U);
}

TEST_F(children_at_work, the_last_complaint_is_heard) {
  for (int i = 0; i < 10; ++i) {
    shell("echo 'the last' >&2");
    started();
    hear_out();
    next<child_gone>();
    bool heard = false;
    while (!logged().empty()) heard |= logged().wait().find("the last") != std::string::npos;
    EXPECT_TRUE(heard);
    end();
  }
}

TEST_F(children_at_work, when_keeper_is_killed_no_further_child_is_started) {
  start({"cat"});
  const auto pid = started();
  const auto keeper = keeper_->pid();
  ::kill(keeper, SIGKILL);
  EXPECT_TRUE(disappears(keeper));  // not even a zombie is left
  while (logged().wait().find("KEEPER") == std::string::npos) {
  }
  tell(child_line{"still there\n"});  // its warden goes on
  next<child_took>();
  EXPECT_EQ(next<child_spoke>().lines, std::vector<std::string>{"still there"});
  tell(signal_child{signal_child::how::kill});
  tell(child_read_on{});
  hear_out();
  next<child_gone>();
  EXPECT_TRUE(disappears(pid));
}

TEST_F(children_at_work, a_child_that_was_asked_for_when_keeper_was_killed_has_failed) {
  prepare({"cat"});
  ::kill(keeper_->pid(), SIGSTOP);
  ASSERT_EQ(::waitpid(keeper_->pid(), nullptr, WUNTRACED), keeper_->pid());
  ask();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // either way it must fail
  ::kill(keeper_->pid(), SIGKILL);
  EXPECT_NE(next<child_failed>().why.find("has ended"), std::string::npos);
}

TEST_F(children_at_work, what_can_not_be_executed_is_told) {
  start({"/no/such/program"});
  EXPECT_NE(next<child_failed>().why.find("can not execute the command \"/no/such/program\": "),
            std::string::npos);
}

TEST_F(children_at_work, whose_user_is_gone_is_killed) {
  shell("trap '' TERM; while :; do sleep 1000; done");
  const auto pid = started();
  caf::anon_send_exit(user_, caf::exit_reason::unhandled_exception);
  EXPECT_TRUE(disappears(pid));
}

TEST_F(children_at_work, a_child_that_closes_its_input_is_not_written_to) {
  shell("exec <&-; sleep 1000");
  started();
  const auto closed = next<child_took>();
  EXPECT_TRUE(closed.deaf);
  EXPECT_EQ(closed.bytes, 0U);
  tell(child_line{"abc\n"});
  EXPECT_EQ(next<child_took>().bytes, 4U);  // dropped: nobody will read it
  tell(signal_child{signal_child::how::kill});
  hear_out();
  next<child_gone>();
}

TEST_F(children_at_work, what_a_child_leaves_unread_when_it_closes_its_input_is_told) {
  shell("read line; exec <&-; sleep 1000");
  started();
  tell(child_line{"read\nunread\n"});
  EXPECT_EQ(next<child_took>().bytes, 12U);
  EXPECT_TRUE(next<child_took>().deaf);
  tell(signal_child{signal_child::how::kill});
  hear_out();
  next<child_gone>();
}

}  // namespace
}  // namespace gate::testing
