#include "actors/ops/health_actor.hpp"

#include <algorithm>

#include "simulations/world/world.hpp"

namespace gate::ops {
namespace {

using namespace sim;
using namespace std::chrono_literals;

receipt_ptr ask(world& w) {
  return w.arrive(make_request(verb::get, "/health", {"Host: localhost"}));
}

TEST(health, asks_every_upstream_and_says_what_it_found) {
  world w;
  auto r = ask(w);
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->content_type, "application/json");
  EXPECT_EQ(at(r->body, "status"), R"("ok")");
  EXPECT_EQ(w.upstream("a").count("ping"), 1U);
  EXPECT_EQ(w.upstream("b").count("ping"), 1U);
  EXPECT_TRUE(w.audit().empty());
}

TEST(health, of_one_that_is_down_is_degraded_and_of_all_is_503) {
  world w;
  w.upstream("a").always("initialize", reply::failure(fetch_end::connect_failed, true));
  auto r = ask(w);
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(at(r->body, "status"), R"("degraded")");
  EXPECT_NE(r->body.find("connect failed"), r->body.npos) << r->body;
  w.upstream("b").always("ping", reply::http(500));
  w.advance(1s);
  r = ask(w);
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(at(r->body, "status"), R"("down")");
}

TEST(health, says_what_the_answer_to_the_handshake_was) {
  const auto refused = [](reply r) {
    world w;
    w.upstream("a").always("initialize", std::move(r));
    return ask(w)->body;
  };
  const auto says = [](const std::string& body, std::string_view what) {
    return body.find(what) != body.npos && body.find("connect failed") == body.npos;
  };
  EXPECT_PRED2(says, refused(reply::http(404)), R"("HTTP 404 for initialize")");
  EXPECT_PRED2(says, refused(reply::http(501)), R"("HTTP 501 for initialize")");
  EXPECT_PRED2(says, refused(reply::error(R"({"code":-32602,"message":"http://secret"})")),
               R"("error -32602 for initialize")");
  EXPECT_PRED2(says, refused(reply{.body = "<html>"}),
               R"("the answer to initialize is not JSON-RPC")");
}

TEST(health, that_takes_long_is_one_plain_answer_within_its_budget) {
  world w;
  w.upstream("a").always("ping", reply::silence());
  auto r = ask(w);
  w.advance(4'999ms);
  EXPECT_FALSE(r->done());
  w.advance(1ms);
  EXPECT_EQ(r->status, 200);
  EXPECT_FALSE(r->streaming);
  EXPECT_EQ(at(r->body, "status"), R"("degraded")");
  EXPECT_NE(r->body.find("no answer within the health budget"), r->body.npos);
  EXPECT_TRUE(r->misuse.empty());
}

TEST(health, is_asked_for_by_many_and_looked_for_once) {
  world w;
  w.upstream("a").always("ping", reply::result("{}", 2s));
  std::vector<receipt_ptr> all;
  for (int i = 0; i < 50; ++i) all.push_back(ask(w));
  w.advance(2s);
  for (auto& r : all) EXPECT_EQ(r->status, 200);
  EXPECT_EQ(w.upstream("a").count("ping"), 1U);
  w.advance(999ms);
  EXPECT_EQ(ask(w)->status, 200) << "reused for a second";
  EXPECT_EQ(w.upstream("a").count("ping"), 1U);
  w.advance(1ms);
  ask(w);
  EXPECT_EQ(w.upstream("a").count("ping"), 2U);
}

TEST(health, is_not_looked_for_again_for_an_upstream_that_it_does_not_know) {
  world w;
  ask(w);
  const auto it = caf::actor_cast<health_handle>(w.cast("health").at(0));
  w.tell(it, breaker_told{7, breaker_state::open, false});
  w.tell(it, endpoints_told{8, {true, false}});
  ask(w);
  EXPECT_EQ(w.upstream("a").count("ping"), 1U);
  w.tell(it, breaker_told{0, breaker_state::open, false});
  EXPECT_NE(ask(w)->body.find(R"("breaker":"open")"), std::string::npos);
  EXPECT_EQ(w.upstream("a").count("ping"), 2U);
}

TEST(health, late_answers_belong_to_no_later_round) {
  world w;
  w.upstream("a").next("ping", reply::failure(fetch_end::broken));
  w.upstream("b").next("ping", reply::result("{}", 6s));
  auto first = ask(w);
  w.advance(5s);
  EXPECT_EQ(first->status, 503);
  w.upstream("b").always("ping", reply::silence());
  w.advance(1s);
  auto second = ask(w);
  w.advance(100ms);
  EXPECT_FALSE(second->done());
}

TEST(health, survives_the_crash_of_whoever_looks_after_it) {
  world w;
  w.upstream("a").always("ping", reply::silence());
  auto r = ask(w);
  w.crash(w.cast("health").at(0));
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->header("retry-after"), "1");
  EXPECT_EQ(ask(w)->status, 503) << "it is restarting";
  w.upstream("a").behave("ping");
  w.advance(200ms);
  EXPECT_EQ(ask(w)->status, 200);
}

/// So many upstreams: `u0`, `u1`, …
std::string many(std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = "u" + std::to_string(i);
    list += (i ? "," : "") + ("{\"id\":\"" + id) + "\",\"url\":\"http://" + id +
            ".test/mcp\",\"namespace\":\"" + id + "\"}";
  }
  return R"({"upstreams":[)" + list + "]}";
}

std::size_t probed(world& w, std::size_t count) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < count; ++i) out += w.upstream("u" + std::to_string(i)).count("ping");
  return out;
}

TEST(health, of_many_upstreams_probes_some_at_a_time) {
  constexpr std::size_t count = 100, some = 16;
  world w({.config = many(count)});
  auto r = ask(w);
  for (std::size_t n = some; n < count; n += some) {
    EXPECT_EQ(probed(w, count), n) << "calls have their turn";
    EXPECT_FALSE(r->done());
    w.advance(4ms);
  }
  EXPECT_EQ(probed(w, count), count);
  ASSERT_TRUE(r->done());
  EXPECT_EQ(at(r->body, "status"), R"("ok")");
  w.advance(100ms);
  EXPECT_EQ(probed(w, count), count) << "each once";
}

TEST(health, probes_those_that_come_and_leaves_those_that_go_while_probes_set_out) {
  constexpr std::size_t count = 60, more = 70;
  world w({.config = many(count)});
  auto r = ask(w);
  w.advance(4ms);
  w.reload(many(more));
  w.advance(50ms);
  ASSERT_TRUE(r->done());
  EXPECT_EQ(at(r->body, "status"), R"("ok")");
  EXPECT_EQ(probed(w, more), more);
  w.advance(1s);
  r = ask(w);
  w.reload(many(20));
  w.advance(4ms);
  ASSERT_TRUE(r->done());
  EXPECT_EQ(at(r->body, "status"), R"("ok")");
  EXPECT_LE(probed(w, more), more + 16 + 20);
}

TEST(health, a_round_whose_time_is_over_asks_nobody_any_more) {
  constexpr std::size_t count = 40;
  world w({.config = many(count)});
  for (std::size_t i = 0; i < count; ++i)
    w.upstream("u" + std::to_string(i)).always("ping", reply::silence());
  auto r = ask(w);
  w.advance(5s);
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(probed(w, count), count);
  r = ask(w);
  EXPECT_EQ(r->status, 503) << "what was found a moment ago";
  w.advance(1s);
  EXPECT_EQ(probed(w, count), count);
}

TEST(health, does_not_count_as_traffic) {
  world w;
  ask(w);
  EXPECT_EQ(w.metric(R"(gate_upstream_requests_total{outcome="ok",upstream="a"})"), 0);
}

TEST(health, does_not_wait_for_an_upstream_that_crashed) {
  world w;
  w.upstream("a").always("ping", reply::silence());
  auto r = ask(w);
  EXPECT_FALSE(r->done());
  w.crash_upstream(0);
  ASSERT_TRUE(r->done());
  EXPECT_EQ(at(r->body, "status"), R"("degraded")");
  EXPECT_NE(r->body.find("restarting"), r->body.npos) << r->body;
}

TEST(health, does_not_wait_for_the_upstreams_of_a_router_that_crashed) {
  world w({.units = 2});
  const auto ask_other = [&] {
    return w.arrive(make_request(verb::get, "/health", {"Host: localhost"}), 1);
  };
  w.crash(w.cast("router").at(0));
  auto r = ask_other();
  ASSERT_TRUE(r->done());
  EXPECT_EQ(r->status, 503);
  EXPECT_NE(r->body.find("restarting"), r->body.npos) << r->body;
  w.advance(2s);
  EXPECT_EQ(ask_other()->status, 200);
}

TEST(health, shows_no_query_of_an_endpoint) {
  world w({.config = R"({"upstreams":[
             {"id":"a","url":"http://a.test/mcp?key=hidden","namespace":"a"},
             {"id":"b","urls":["http://b.test/mcp?key=hidden1","http://b.test/mcp?key=hidden2",
                               "http://x.test/mcp"],"namespace":"b"}]})",
           .hosts = {"x"}});
  const auto body = ask(w)->body;
  EXPECT_EQ(body.find("hidden"), body.npos) << body;
  EXPECT_NE(body.find(R"("url":"http://a.test:80/mcp")"), body.npos) << body;
  EXPECT_NE(body.find(R"("url":"http://b.test:80/mcp#2")"), body.npos) << body;
  client scraper(w);
  scraper.path = "/metrics";
  const auto metrics = scraper.get()->body;
  EXPECT_EQ(metrics.find("hidden"), metrics.npos);
  for (const auto* name :
       {"http://b.test:80/mcp", "http://b.test:80/mcp#2", "http://x.test:80/mcp"})
    EXPECT_EQ(w.metric("gate_upstream_endpoint_healthy{endpoint=\"" + std::string(name) +
                       "\",upstream=\"b\"}"),
              1)
        << name;
}

// --- viewers do not stand in the way -------------------------------------------------------------

struct with_viewers : ::testing::Test {
  using told = actor_stage::pending<federation_text>;

  health_handle of() { return caf::actor_cast<health_handle>(w.cast("health").at(0)); }
  static ask_federation question() {
    return {std::make_shared<identity::access>(), nullptr, true, {}, {}};
  }
  std::vector<told> view(std::size_t count) {
    std::vector<told> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(w.ask<federation_text>(of(), question()));
    return all;
  }
  static std::size_t answered(const std::vector<told>& all) {
    return static_cast<std::size_t>(std::ranges::count_if(all, &told::done));
  }
  template <class R>
  void await(const actor_stage::pending<R>& answer) {
    while (!answer.done() && w.step()) {
    }
    ASSERT_TRUE(answer.done());
  }

  /// Whoever notes the order of answers: a letter each.
  caf::actor listener() {
    return w.system().spawn([this]() -> caf::behavior {
      return {[this](const federation_text&) { order += 'f'; },
              [this](const health_report&) { order += 'H'; },
              [this](const metrics_text&) { order += 'M'; }};
    });
  }
  /// Puts questions into the mailbox of HEALTH, as they stand here.
  void put(const caf::actor& from, std::string_view what) {
    for (const char c : what)
      if (c == 'f')
        caf::send_as(from, of(), question());
      else if (c == 'H')
        caf::send_as(from, of(), ask_health{});
      else
        caf::send_as(from, of(), ask_metrics{});
  }

  world w;
  std::string order;
};

TEST_F(with_viewers, reports_wait_for_none_of_those_that_came_before) {
  ask(w);
  w.hold(true);
  const auto who = listener();
  put(who, std::string(50, 'f') + "HM");
  w.hold(false);
  w.settle();
  EXPECT_EQ(order, "HM" + std::string(50, 'f'));
}

TEST_F(with_viewers, reports_wait_for_one_text_at_most_whenever_they_are_asked_for) {
  ask(w);
  const auto who = listener();
  // HEALTH has had so many turns: it has taken in all, and told some.
  for (std::size_t turns = 1; turns < 80; ++turns) {
    order.clear();
    put(who, std::string(40, 'f'));
    for (std::size_t i = 0; i < turns; ++i) w.step();
    const auto made = turns > 40 ? turns - 40 : 0;
    put(who, "HM");
    w.settle();
    EXPECT_EQ(order.size(), 42U);
    EXPECT_LE(order.find('H'), made + 1) << order;
    EXPECT_LE(order.find('M'), order.find('H') + 2) << order;
  }
}

TEST_F(with_viewers, a_new_round_takes_nothing_away_from_them) {
  ask(w);
  w.upstream("a").always("ping", reply::silence());
  w.hold(true);
  const auto viewers = view(3);
  await(viewers.front());
  // What is known is about to be found out anew, and how many upstreams there are.
  w.tell(of(), breaker_told{0, breaker_state::open, false});
  const auto health = w.ask<health_report>(of(), ask_health{});
  w.hold(false);
  w.settle();
  EXPECT_FALSE(health.done());
  ASSERT_EQ(answered(viewers), 3U);
  for (const auto& each : viewers) EXPECT_EQ(at(*each.get().body, "status"), R"("ok")");
}

TEST_F(with_viewers, all_are_told_when_it_crashes) {
  ask(w);
  w.hold(true);
  const auto viewers = view(10);
  await(viewers.front());
  w.hold(false);
  w.crash(w.cast("health").at(0));
  EXPECT_EQ(answered(viewers), viewers.size());
}

/// Of all units, by the kind of the session; and none of an upstream that is gone.
TEST(health, counts_the_sessions_with_each_upstream) {
  const auto document = [](std::string_view more) {
    return R"({"upstreams":[{"id":"b","url":"http://b.test/mcp","namespace":"b"})" +
           std::string(more) + R"(],"server":{"introspection":{"enabled":true}}})";
  };
  const auto both = document(R"(,{"id":"a","url":"http://a.test/mcp","namespace":"a"})");
  world w({.config = both, .units = 2});
  const auto sessions_of = [&](std::string_view id) {
    w.advance(limits::health_reuse);
    const auto r = w.arrive(make_request(verb::get, "/api/federation", {"Host: localhost"}));
    const auto its = r->body.find(R"({"id":")" + std::string(id) + '"');
    const auto at = r->body.find(R"("sessions":{)", its);
    EXPECT_TRUE(its != std::string::npos && at != std::string::npos) << r->body;
    return at == std::string::npos ? "" : r->body.substr(at + 11, r->body.find('}', at) - at - 10);
  };
  const auto metric = [&](std::string_view id, std::string_view kind) {
    return w.metric(R"(gate_upstream_sessions{kind=")" + std::string(kind) + R"(",upstream=")" +
                    std::string(id) + "\"}");
  };
  EXPECT_EQ(sessions_of("a"), R"({"root":1,"bridged":0})") << "it has been probed";
  client one(w, 0), two(w, 1);
  one.initialize();
  two.initialize();
  one.call("1", "a__x");
  two.call("1", "a__x");
  two.call("2", "b__x");
  EXPECT_TRUE(sessions_of("a").ends_with(R"("bridged":2})")) << sessions_of("a");
  EXPECT_TRUE(sessions_of("b").ends_with(R"("bridged":1})")) << sessions_of("b");
  EXPECT_EQ(metric("a", "bridged"), 2);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="bridged"})"), 3) << "all together";
  one.end();
  w.advance(1s);
  EXPECT_TRUE(sessions_of("a").ends_with(R"("bridged":1})")) << sessions_of("a");
  w.reload(document(""));
  EXPECT_EQ(metric("a", "bridged"), -1);
  w.reload(both);
  w.advance(1s);
  EXPECT_EQ(metric("a", "bridged"), 0) << "what ends later was another's";
  EXPECT_EQ(sessions_of("a"), R"({"root":1,"bridged":0})");
}

}  // namespace
}  // namespace gate::ops
