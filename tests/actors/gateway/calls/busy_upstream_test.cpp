// An upstream that has room for so many sessions only, as gate-stdio has.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct busy_upstream : ::testing::Test {
  world w{{.config = std::string(one_upstream)}};
  client one{w}, two{w}, three{w};
  fake_upstream& a = w.upstream("a");

  busy_upstream() {
    a.resources = {R"({"uri":"x://1","name":"n"})"};
    for (auto* c : {&one, &two, &three}) c->initialize();
    a.room = 2;
  }
  static std::string result(const receipt_ptr& r) { return at(r->last(), "result"); }
  std::string session_of_last_call() { return a.last("tools/call")->session; }
};

TEST_F(busy_upstream, gets_room_by_the_end_of_the_longest_idle_session) {
  one.call("1", "x");
  const auto first = session_of_last_call();
  two.call("1", "x");
  const auto second = session_of_last_call();
  one.call("2", "x");
  auto r = three.call("1", "x");
  w.advance(limits::busy_pause);
  EXPECT_NE(result(r), "") << r->body;
  ASSERT_EQ(a.count("DELETE"), 1U);
  EXPECT_EQ(a.last("DELETE")->session, second) << "the first one was used since";
  r = two.call("2", "x");
  w.advance(limits::busy_pause);
  EXPECT_NE(result(r), "") << "who was away gets another one";
  EXPECT_EQ(a.last("DELETE")->session, first);
}

TEST_F(busy_upstream, serves_short_visits_without_end) {
  for (int i = 0; i < 100; ++i) {
    client visitor(w);
    visitor.initialize();
    auto r = visitor.call("1", "x");
    w.advance(limits::busy_pause);
    ASSERT_NE(result(r), "") << r->body;
  }
  EXPECT_EQ(a.open_sessions(), 2U);
}

TEST_F(busy_upstream, serves_short_visits_of_clients_that_listen_while_they_are_there) {
  for (int i = 0; i < 100; ++i) {
    client visitor(w);
    visitor.initialize();
    auto stream = visitor.get();
    auto r = visitor.call("1", "x");
    w.advance(limits::busy_pause);
    ASSERT_NE(result(r), "") << i << ": " << r->body;
    w.vanish(stream);
  }
  EXPECT_EQ(a.open_sessions(), 2U);
}

TEST_F(busy_upstream, ends_a_session_of_who_is_away_if_no_other_can_go) {
  a.room = 3;
  client four(w);
  four.initialize();
  auto first = one.get();
  one.call("1", "x");
  const auto of_one = session_of_last_call();
  auto second = two.get();
  two.call("1", "x");
  const auto of_two = session_of_last_call();
  w.vanish(first);
  w.vanish(second);
  three.call("1", "x");  // never listens
  const auto of_three = session_of_last_call();
  auto r = four.call("1", "x");
  w.advance(limits::busy_pause);
  EXPECT_NE(result(r), "");
  EXPECT_EQ(a.last("DELETE")->session, of_three) << "used last, but nobody comes back to it";
  four.get();
  r = three.call("2", "x");
  w.advance(limits::busy_pause);
  EXPECT_NE(result(r), "");
  EXPECT_EQ(a.last("DELETE")->session, of_one) << "the one that is unused longest";
  three.get();
  two.get();  // it is back
  r = one.call("2", "x");
  w.advance(5s);
  EXPECT_EQ(r->body, unavailable("2", "a", "busy"));
  EXPECT_EQ(a.count("DELETE"), 2U);
  two.call("2", "x");
  EXPECT_EQ(session_of_last_call(), of_two);
}

TEST_F(busy_upstream, who_was_away_goes_on_in_another_session) {
  auto stream = one.get();
  one.call("1", "x");
  two.get();
  two.call("1", "x");
  w.vanish(stream);
  auto visit = three.call("1", "x");
  w.advance(limits::busy_pause);
  EXPECT_NE(result(visit), "");
  stream = one.get();
  a.room = 3;
  EXPECT_NE(result(one.call("2", "x")), "");
  const auto mine = session_of_last_call();
  constexpr auto message =
      R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}})";
  for (const auto& s : a.under_way("GET"))
    if (s->session == mine) fake_upstream::push(s, message);
  w.settle();
  EXPECT_EQ(stream->events(), std::vector<std::string>{message});
}

TEST_F(busy_upstream, keeps_what_something_hangs_on_also_while_its_client_is_away) {
  a.room = 3;
  client four(w);
  four.initialize();
  std::vector<receipt_ptr> streams;
  for (auto* c : {&one, &two, &three}) streams.push_back(c->get());
  one.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  a.next("tools/call", reply::result(R"({"task":{"taskId":"t"}})"));
  two.call("1", "x");
  a.next("tools/call", reply::result("1", 20s));
  three.call("1", "x");
  for (const auto& s : streams) w.vanish(s);
  const auto r = four.call("1", "x");
  EXPECT_EQ(r->body, unavailable("1", "a", "busy"));
  EXPECT_EQ(a.count("DELETE"), 0U);
}

/// The session that is to go may be handed a request in the same moment.
struct crossing : ::testing::TestWithParam<bool> {};

TEST_P(crossing, what_a_client_is_given_in_the_moment_of_its_sessions_end_lasts) {
  std::size_t kept = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    world w{{.config = std::string(one_upstream), .seed = seed}};
    client one(w), two(w);
    auto& a = w.upstream("a");
    a.resources = {R"({"uri":"x://1","name":"n"})"};
    one.initialize();
    two.initialize();
    a.room = 1;
    one.call("1", "x");
    const auto session = a.last("tools/call")->session;
    w.shuffle(seed);
    w.hold(true);
    const auto visit = two.call("1", "x");
    for (auto steps = seed % 20; steps > 0; --steps) w.step();
    if (GetParam())
      a.always("tools/call", [&](const sight& s) {
        return reply::result(s.session == session ? R"({"task":{"taskId":"t"}})" : "1");
      });
    const auto r = GetParam() ? one.call("2", "mine")
                              : one.request("2", "resources/subscribe", R"({"uri":"x://1"})");
    w.hold(false);
    w.settle();
    w.advance(10s);
    sight_ptr made;
    for (const auto& x : a.seen(GetParam() ? "tools/call" : "resources/subscribe"))
      if (!GetParam() || x->param("name") == R"("mine")") made = x;
    if (!made) continue;
    if (at(r->last(), "result").empty() || made->session != session) continue;
    ++kept;
    for (const auto& s : a.seen("DELETE"))
      ASSERT_NE(s->session, made->session) << "seed " << seed << ": " << r->last();
    EXPECT_NE(visit->endings, 0);
  }
  EXPECT_GT(kept, 0U);
}

INSTANTIATE_TEST_SUITE_P(all, crossing, ::testing::Values(false, true),
                         [](const auto& x) { return x.param ? "task" : "subscription"; });

TEST_F(busy_upstream, may_need_a_moment_to_take_a_session_down) {
  one.call("1", "x");
  two.call("1", "x");
  a.room = 1;
  auto r = three.call("1", "x");
  w.advance(1s);
  EXPECT_FALSE(r->done() && result(r).empty());
  a.room = 2;
  w.advance(1s);
  EXPECT_NE(result(r), "") << r->last();
  EXPECT_EQ(a.count("DELETE"), 1U) << "one for one, however often it is asked";
}

TEST_F(busy_upstream, is_told_as_busy_when_nothing_can_go_and_its_circuit_stays_closed) {
  a.room = 4;
  client four(w);
  four.initialize();
  one.get();
  one.call("1", "x");  // its client listens
  two.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  a.next("tools/call", reply::result(R"({"task":{"taskId":"t"}})"));
  three.call("1", "x");
  a.next("tools/call", reply::result("1", 20s));
  auto long_call = four.call("1", "x");
  for (int i = 0; i < 20; ++i) {
    client c(w);
    c.initialize();
    const auto r = c.call("1", "x");
    EXPECT_EQ(r->body, unavailable("1", "a", "busy"));
  }
  EXPECT_EQ(a.count("DELETE"), 0U);
  EXPECT_NE(result(one.call("2", "x")), "") << "whoever has a session goes on";
  w.advance(20s);
  EXPECT_EQ(result(long_call), "1");
}

TEST_F(busy_upstream, who_loses_its_place_to_a_newcomer_gets_another_one) {
  client four(w);
  four.initialize();
  a.room = 1;
  one.call("1", "x");
  const auto r = three.call("1", "x");
  ASSERT_EQ(a.count("DELETE"), 1U);
  EXPECT_NE(result(four.call("1", "x")), "") << "there is room for it before that is asked again";
  w.advance(4s);
  EXPECT_NE(result(r), "") << r->last();
  EXPECT_EQ(a.count("DELETE"), 2U);
}

TEST_F(busy_upstream, who_loses_its_place_again_and_again_ends_two_sessions_at_most) {
  std::vector<std::unique_ptr<client>> newcomers;
  a.room = 1;
  one.call("1", "x");
  const auto r = three.call("1", "x");
  std::size_t ended = 0;
  for (int i = 0; i < 400; ++i) {
    if (a.count("DELETE") > ended) {
      ended = a.count("DELETE");
      auto& c = *newcomers.emplace_back(std::make_unique<client>(w));
      c.initialize();
      EXPECT_NE(result(c.call("1", "x")), "");
    }
    w.advance(10ms);
  }
  EXPECT_EQ(r->body.empty() ? r->last() : r->body, unavailable("1", "a", "busy"));
  EXPECT_EQ(ended, 2U);
}

/// The session that was chosen is handed a call in the moment in which it is told to go, and stays.
struct chosen_one : ::testing::Test {
  struct scene {
    world w;
    client one{w}, two{w}, three{w}, four{w};
    fake_upstream& a = w.upstream("a");
    receipt_ptr call, visit;
    std::string mine;  ///< the session of `one`

    explicit scene(std::uint64_t seed) : w{{.config = std::string(one_upstream), .seed = seed}} {
      for (auto* c : {&one, &two, &three, &four}) c->initialize();
      one.call("1", "x");
      mine = a.last("tools/call")->session;
    }
    /// `two` wants room, and `one` calls. False: it was not in that moment.
    bool cross(std::uint64_t seed, reply r) {
      a.always("tools/call", [r, own = mine](const sight& s) {
        return s.session == own ? r : reply::result("1");
      });
      w.shuffle(seed);
      w.hold(true);
      visit = two.call("1", "x");
      for (auto steps = seed % 20; steps > 0; --steps) w.step();
      call = one.call("2", "x");
      w.hold(false);
      w.settle();
      return a.count("DELETE") == 0 && !visit->done() && a.last("tools/call")->session == mine;
    }
  };
  static std::string result(const receipt_ptr& r) { return at(r->last(), "result"); }
  /// `f` is told of each scene in which it was so.
  void each(std::size_t room, const reply& r, const std::function<void(scene&)>& prepare,
            const std::function<void(scene&)>& f) {
    std::size_t stayed = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      scene x(seed);
      prepare(x);
      x.a.room = room;
      if (!x.cross(seed, r)) continue;
      ++stayed;
      SCOPED_TRACE(seed);
      f(x);
    }
    EXPECT_GT(stayed, 0U);
  }
};

TEST_F(chosen_one, that_stays_has_another_one_go) {
  std::string other;
  each(
      2, reply::result("1", 20s),
      [&](scene& x) {
        x.three.call("1", "x");
        other = x.a.last("tools/call")->session;
        x.one.call("1", "x");
        x.three.call("2", "x");  // so that the other one is unused longest
      },
      [&](scene& x) {
        x.w.advance(1s);
        EXPECT_NE(result(x.visit), "") << x.visit->last();
        ASSERT_EQ(x.a.count("DELETE"), 1U);
        EXPECT_EQ(x.a.last("DELETE")->session, other);
        x.w.advance(20s);
        EXPECT_EQ(result(x.call), "1");
      });
}

TEST_F(chosen_one, that_stays_goes_when_it_is_idle_if_no_other_can) {
  each(
      1, reply::result("1", 200ms), [](scene&) {},
      [](scene& x) {
        x.w.advance(4s);
        EXPECT_EQ(result(x.call), "1");
        EXPECT_NE(result(x.visit), "") << x.visit->last();
        EXPECT_EQ(x.a.count("DELETE"), 1U);
      });
}

TEST_F(chosen_one, that_stays_may_go_for_the_sake_of_a_third) {
  each(
      2, reply::result("1"),
      [](scene& x) {
        x.a.always("tools/call", reply::result("1", 30ms));
        x.three.call("1", "x");  // is not idle yet
      },
      [](scene& x) {
        const auto third = x.four.call("1", "x");
        ASSERT_EQ(x.a.count("DELETE"), 1U);
        x.w.advance(4s);
        EXPECT_NE(result(x.visit), "") << x.visit->last();
        EXPECT_NE(result(third), "") << third->last();
        EXPECT_EQ(x.a.count("DELETE"), 2U);
      });
}

TEST_F(busy_upstream, that_stays_so_is_given_up) {
  one.call("1", "x");
  two.call("1", "x");
  a.room = 0;
  auto r = three.call("1", "x");
  w.advance(5s);
  EXPECT_EQ(at(r->last(), "error", "message"), "\"upstream \\\"a\\\" unavailable (busy)\"");
  EXPECT_EQ(a.count("initialize"), 2U + 1 + limits::busy_attempts);
  a.room = 2;
  r = three.call("2", "x");
  w.advance(limits::busy_pause);
  EXPECT_NE(result(r), "");
}

TEST_F(busy_upstream, does_not_open_a_session_for_who_has_gone) {
  one.call("1", "x");
  two.call("1", "x");
  a.room = 0;
  three.call("1", "x");
  three.cancel("1");
  three.end();
  a.room = 2;
  w.advance(5s);
  EXPECT_EQ(a.count("initialize"), 3U);
  EXPECT_EQ(w.cast("bridged session").size(), 1U);
}

TEST_F(busy_upstream, tells_health_so) {
  a.room = 0;
  const auto r = w.arrive(make_request(verb::get, "/health", {"Host: localhost"}));
  EXPECT_NE(r->body.find("HTTP 503 for initialize"), r->body.npos) << r->body;
}

}  // namespace
}  // namespace gate
