// Actors on I/O threads: each stays on its own, delayed messages come in order, nothing is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <optional>
#include <thread>

#include "protocol/limits.hpp"
#include "tests/transport/support/real_world.hpp"
#include "transport/pinned.hpp"
#include "transport/scheduler/asio_clock.hpp"
#include "transport/scheduler/coordinator.hpp"
#include "transport/scheduler/io_unit.hpp"
#include "transport/scheduler/turn_size.hpp"

namespace gate::testing {
namespace {

using scheduler::io_unit;

TEST(scheduler, a_pinned_actor_stays_on_its_unit) {
  real_world w(3);
  EXPECT_EQ(io_unit::current(), nullptr) << "this thread is none";
  for (std::size_t i = 0; i < 3; ++i)
    for (int round = 0; round < 10; ++round)
      w.on_unit(i, [&] {
        ASSERT_NE(io_unit::current(), nullptr);
        EXPECT_EQ(io_unit::current()->id(), i);
        EXPECT_EQ(io_unit::current(), w.doors(i).unit);
      });
}

TEST(scheduler, an_actor_without_a_home_runs_where_it_was_woken) {
  real_world w(2);
  inbox<std::pair<std::size_t, std::size_t>> seen;
  auto stray = w.system().spawn([&seen](caf::event_based_actor*) -> caf::behavior {
    return {[&seen](std::size_t from) { seen.put({from, io_unit::current()->id()}); }};
  });
  // While it still runs somewhere, it takes its messages there: each turn must be over before the
  // next.
  auto rest = [&] {
    for (std::size_t unit : {0, 1, 0, 1}) w.on_unit(unit, [] {});
  };
  caf::anon_send(stray, std::size_t{9});
  seen.wait();
  rest();
  w.on_unit(1, [&] { caf::anon_send(stray, std::size_t{1}); });
  EXPECT_EQ(seen.wait().second, 1u);
  rest();
  w.on_unit(0, [&] { caf::anon_send(stray, std::size_t{0}); });
  EXPECT_EQ(seen.wait().second, 0u);
  caf::anon_send_exit(stray, caf::exit_reason::kill);
}

TEST(scheduler, messages_from_many_threads_all_arrive) {
  real_world w(2);
  constexpr int threads = 4, each = 2000;
  inbox<int> done;
  auto counter = w.system().spawn([&done](caf::event_based_actor*) -> caf::behavior {
    auto count = std::make_shared<int>(0);
    return {[&done, count](int) {
      if (++*count == threads * each) done.put(*count);
    }};
  });
  std::vector<std::thread> senders;
  for (int t = 0; t < threads; ++t)
    senders.emplace_back([&counter] {
      for (int i = 0; i < each; ++i) caf::anon_send(counter, i);
    });
  for (auto& t : senders) t.join();
  EXPECT_EQ(done.wait(), threads * each);
  caf::anon_send_exit(counter, caf::exit_reason::kill);
}

TEST(scheduler, delayed_messages_come_in_the_order_of_their_due_times) {
  real_world w;
  inbox<int> seen;
  auto actor = w.system().spawn([&seen](caf::event_based_actor* self) -> caf::behavior {
    // Armed from the latest to the earliest, so that the timer is set anew each time.
    for (int i = 5; i >= 1; --i) self->delayed_send(self, std::chrono::milliseconds{10 * i}, i);
    return {[&seen](int i) { seen.put(i); }};
  });
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(seen.wait(), i);
  caf::anon_send_exit(actor, caf::exit_reason::kill);
}

TEST(scheduler, a_busy_pair_of_actors_does_not_starve_the_sockets) {
  real_world w;
  w.serve([](const exchange_ptr& e) { e->respond(head(200, "text/plain"), {"served"}); });
  // Sends itself a message for as long as it lives: the unit always has an actor to run.
  auto busy = w.system().spawn([](caf::event_based_actor* self) -> caf::behavior {
    self->send(self, 1);
    return {[self](int i) { self->send(self, i); }};
  });
  auto c = connect_to(w.port());
  for (int i = 0; i < 5; ++i) {
    c.send(request("GET", "/"));
    EXPECT_EQ(c.read().body, "served");
  }
  caf::anon_send_exit(busy, caf::exit_reason::kill);
}

/// Notes the order in which it is called.
struct noter final : scheduler::turn_end_user {
  explicit noter(std::vector<std::string>& to, std::string what = "turn end")
      : to(to), what(std::move(what)) {}
  void on_turn_end() override { to.push_back(what); }
  std::vector<std::string>& to;
  std::string what;
};

TEST(scheduler, the_end_of_a_turn_comes_after_what_was_ready) {
  real_world w;
  std::vector<std::string> order;
  std::promise<void> over;
  w.on_unit([&] {
    auto& unit = *io_unit::current();
    boost::asio::post(unit.context(), [&] {
      order.emplace_back("ready");
      boost::asio::post(unit.context(), [&over] { over.set_value(); });
    });
    unit.at_turn_end(std::make_shared<noter>(order));
    unit.behind_all(std::make_shared<noter>(order));
    order.emplace_back("now");
  });
  over.get_future().get();
  EXPECT_EQ(order, (std::vector<std::string>{"now", "ready", "turn end", "turn end"}));
}

/// The context of the first unit, whose handlers a test can be.
boost::asio::io_context& context_of(real_world& w) {
  boost::asio::io_context* out = nullptr;
  w.on_unit([&] { out = &io_unit::current()->context(); });
  return *out;
}

/// Where a handler comes alone, its actors run before its turn ends: what they write goes first.
TEST(scheduler, what_nobody_waits_for_comes_behind_what_is_written) {
  real_world w;
  auto& context = context_of(w);
  std::vector<std::string> order;
  bool alone = false;
  int at_once = 0;
  const auto actor = w.system().spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](int) {
      alone = io_unit::current()->alone();
      for (at_once = 0; at_once < 100 && io_unit::current()->alone_for_few();) ++at_once;
      io_unit::current()->at_turn_end(std::make_shared<noter>(order, "write"));
    }};
  });
  int seen_alone = 0;
  for (int round = 0; round < scheduler::turn_size::guessed; ++round) {
    order.clear();
    std::promise<void> done;
    boost::asio::post(context, [&] {
      {
        const scheduler::handler_scope scope(*io_unit::current());
        io_unit::current()->behind_writes(std::make_shared<noter>(order, "read"));
        caf::anon_send(actor, 1);
      }
      EXPECT_EQ(order.empty(), !alone) << "the turn of a handler that is alone ends with it";
      // Behind the ends of two turns: the actor may have run at the end of the first.
      boost::asio::post(context, [&] { boost::asio::post(context, [&] { done.set_value(); }); });
    });
    done.get_future().get();
    seen_alone += alone ? 1 : 0;
    EXPECT_EQ(at_once, alone ? 4 : 0) << "no more than a few act before the end of the turn";
    ASSERT_EQ(order.size(), 2u) << round;
    if (alone) {
      ASSERT_EQ(order, (std::vector<std::string>{"write", "read"})) << round;
    }
    alone = false;
  }
  EXPECT_GT(seen_alone, 0);
}

TEST(scheduler, what_actors_want_behind_all_comes_behind_what_is_ready_by_then) {
  real_world w;
  auto& context = context_of(w);
  std::vector<std::string> order;
  std::promise<void>* over = nullptr;
  const auto actor = w.system().spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](int) {
      boost::asio::post(context, [&] {
        order.emplace_back("ready");
        boost::asio::post(context, [&] { boost::asio::post(context, [&] { over->set_value(); }); });
      });
      io_unit::current()->behind_all(std::make_shared<noter>(order, "behind all"));
    }};
  });
  // Often enough that some of the turns are counted, and not guessed.
  for (int round = 0; round < 2 * scheduler::turn_size::guessed; ++round) {
    order.clear();
    std::promise<void> done;
    over = &done;
    boost::asio::post(context, [&] {
      const scheduler::handler_scope scope(*io_unit::current());
      io_unit::current()->at_turn_end(std::make_shared<noter>(order));
      caf::anon_send(actor, 1);
    });
    done.get_future().get();
    std::erase(order, "turn end");  // sooner or later, as the handler was alone or not
    ASSERT_EQ(order, (std::vector<std::string>{"ready", "behind all"})) << round;
  }
  caf::anon_send_exit(actor, caf::exit_reason::kill);
}

void spin(std::chrono::microseconds how_long) {
  const auto until = std::chrono::steady_clock::now() + how_long;
  while (std::chrono::steady_clock::now() < until) {
  }
}

/// What is ready in one turn and takes its time: fewer than a turn takes by their number, so that
/// only its time can end it. A slow machine has fewer of them in a turn, and never more.
constexpr int slow_ones = 256;
constexpr std::chrono::microseconds slow_step{50};
constexpr int most_in_a_turn = 5 + static_cast<int>(limits::unit_turn / slow_step);
static_assert(3 * most_in_a_turn < slow_ones);

/// Has that many actors ready at once. What `run` is given is done with the first of them; it
/// returns when the last is through.
struct slow_actors {
  explicit slow_actors(real_world& w) : world(w), context(context_of(w)) {
    for (int i = 0; i < slow_ones; ++i)
      all.push_back(w.system().spawn([this](caf::event_based_actor*) -> caf::behavior {
        return {[this](int) {
          if (ran == 0) first();
          spin(slow_step);
          if (++ran == slow_ones) over.set_value();
        }};
      }));
    for (int i = 0; i < 3; ++i) w.on_unit([] {});  // they have begun, and rest
  }
  ~slow_actors() {
    for (auto& each : all) caf::anon_send_exit(each, caf::exit_reason::kill);
    for (int i = 0; i < 3; ++i) world.on_unit([] {});
  }
  slow_actors(const slow_actors&) = delete;
  slow_actors& operator=(const slow_actors&) = delete;

  void run(std::function<void()> with_the_first) {
    first = std::move(with_the_first);
    boost::asio::post(context, [this] {
      const scheduler::handler_scope scope(*io_unit::current());
      for (auto& each : all) caf::anon_send(each, 1);
    });
    over.get_future().get();
    world.on_unit([] {});  // whatever was posted has run
  }

  real_world& world;
  boost::asio::io_context& context;
  std::vector<caf::actor> all;
  std::function<void()> first;
  int ran = 0;
  std::promise<void> over;
};

TEST(scheduler, slow_actors_let_a_handler_have_its_turn) {
  real_world w;
  slow_actors slow(w);
  int before = slow_ones;
  slow.run([&] { boost::asio::post(slow.context, [&] { before = slow.ran; }); });
  EXPECT_GT(before, 0);
  EXPECT_LE(before, most_in_a_turn) << "of " << slow_ones;
}

TEST(scheduler, slow_actors_let_a_socket_have_its_turn) {
  real_world w;
  slow_actors slow(w);
  using pair_end = boost::asio::local::stream_protocol::socket;
  std::optional<pair_end> here, there;
  int before = slow_ones;
  w.on_unit([&] {
    here.emplace(slow.context);
    there.emplace(slow.context);
    boost::asio::local::connect_pair(*here, *there);
    here->async_wait(pair_end::wait_read,
                     [&](const boost::system::error_code&) { before = slow.ran; });
  });
  slow.run([&] { boost::asio::write(*there, boost::asio::buffer("x", 1)); });
  w.on_unit([&] {
    here.reset();
    there.reset();
  });
  EXPECT_GT(before, 0);
  // The turn in which it became readable, and the one that was posted before sockets are looked at.
  EXPECT_LE(before, 3 * most_in_a_turn) << "of " << slow_ones;
}

TEST(scheduler, slow_ends_of_a_turn_let_a_handler_have_its_turn) {
  real_world w;
  auto& context = context_of(w);
  struct slow_end final : scheduler::turn_end_user {
    explicit slow_end(std::function<void()> what) : what(std::move(what)) {}
    void on_turn_end() override { what(); }
    std::function<void()> what;
  };
  std::promise<void> over;
  std::vector<int> ended;
  std::size_t before = slow_ones;
  boost::asio::post(context, [&] {
    const scheduler::handler_scope scope(*io_unit::current());
    for (int i = 0; i < slow_ones; ++i)
      io_unit::current()->at_turn_end(std::make_shared<slow_end>([&, i] {
        if (i == 0) boost::asio::post(context, [&] { before = ended.size(); });
        spin(slow_step);
        ended.push_back(i);
        if (ended.size() == slow_ones) over.set_value();
      }));
  });
  over.get_future().get();
  w.on_unit([] {});
  EXPECT_GT(before, 0U);
  EXPECT_LE(before, static_cast<std::size_t>(most_in_a_turn)) << "of " << slow_ones;
  EXPECT_TRUE(std::is_sorted(ended.begin(), ended.end())) << "the rest follows in its order";
}

/// As the sockets of a flood: each handler brings a message, and is ready again at once.
TEST(scheduler, no_more_is_read_than_actors_keep_up_with) {
  constexpr int handlers = 256, rounds = 100;
  real_world w;
  std::atomic<int> handled = 0;
  const auto slow = w.system().spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](int) {
      spin(std::chrono::microseconds{20});
      ++handled;
    }};
  });
  std::promise<void> over;
  int sent = 0, most = 0, left = handlers;
  io_unit* unit = nullptr;
  std::function<void(int)> come = [&](int round) {
    {
      const scheduler::handler_scope scope(*unit);
      caf::anon_send(slow, ++sent);
    }
    most = std::max(most, sent - handled);
    if (round < rounds) return boost::asio::post(unit->context(), [&, round] { come(round + 1); });
    if (--left == 0) over.set_value();
  };
  w.on_unit([&] {
    unit = io_unit::current();
    for (int i = 0; i < handlers; ++i) boost::asio::post(unit->context(), [&] { come(1); });
  });
  over.get_future().get();
  EXPECT_LE(most, 2 * handlers) << "of " << sent;
  caf::anon_send_exit(slow, caf::exit_reason::kill);
}

TEST(scheduler, a_handler_that_leaves_nothing_to_do_does_not_count) {
  real_world w;
  auto& context = context_of(w);
  constexpr int rounds = 100;
  const std::vector<std::string> alone{"turn end", "later"};
  int found_alone = 0;
  std::vector<std::string> order;
  for (int round = 0; round < rounds; ++round) {
    order.clear();
    std::promise<void> nothing, over;
    boost::asio::post(context, [&] {
      { const scheduler::handler_scope scope(*io_unit::current()); }
      nothing.set_value();
    });
    nothing.get_future().get();
    boost::asio::post(context, [&] {
      const scheduler::handler_scope scope(*io_unit::current());
      boost::asio::post(context, [&] {
        order.emplace_back("later");
        boost::asio::post(context, [&] { boost::asio::post(context, [&] { over.set_value(); }); });
      });
      io_unit::current()->at_turn_end(std::make_shared<noter>(order));
    });
    over.get_future().get();
    found_alone += order == alone;
  }
  // All but those that are counted.
  EXPECT_GE(found_alone, rounds - 15);
}

}  // namespace
}  // namespace gate::testing
