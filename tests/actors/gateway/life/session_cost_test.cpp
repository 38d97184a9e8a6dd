// What sessions cost: their share of the table, and what is said to upstreams for them.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

std::string many_upstreams(int n) {
  std::string out = R"({"server":{"sessionIdleTimeoutMs":60000},"upstreams":[)";
  for (int i = 0; i < n; ++i) {
    const auto id = "u" + std::to_string(i);
    out += (i ? "," : "") + (R"({"id":")" + id) + R"(","url":"http://)" + id +
           R"(.test/mcp","namespace":")" + id + "\"}";
  }
  return out + "]}";
}

/// How often an upstream had to do something, since the last time.
struct busy_counter {
  world& w;
  std::size_t from = 0;

  explicit busy_counter(world& w) : w(w) { w.record_turns(); }
  std::size_t turns() {
    std::size_t n = 0;
    const auto& all = w.turns();
    for (auto at = all.find("upstream#", from); at != all.npos; at = all.find("upstream#", at + 1))
      n += at == 0 || all[at - 1] == ' ';
    from = all.size();
    return n;
  }
};

TEST(session_cost, is_that_of_the_upstreams_that_it_uses) {
  world w({.config = many_upstreams(50)});
  busy_counter upstreams(w);
  upstreams.turns();
  client c(w);
  c.initialize();
  c.request("1", "logging/setLevel", R"({"level":"debug"})");
  c.get();
  c.notify("notifications/roots/list_changed");
  c.end();
  EXPECT_EQ(upstreams.turns(), 0U);
  client d(w);
  d.initialize();
  d.call("1", "u7__x");
  upstreams.turns();
  d.request("2", "logging/setLevel", R"({"level":"debug"})");
  EXPECT_EQ(upstreams.turns(), 1U);
  EXPECT_EQ(w.upstream("u7").count("logging/setLevel"), 1U);
  d.end();
  EXPECT_EQ(w.upstream("u7").count("DELETE"), 1U);
  EXPECT_LE(upstreams.turns(), 4U);
}

TEST(session_cost, of_those_that_expire_is_spread_over_turns) {
  world w({.config = many_upstreams(1)});
  const std::size_t count = 3 * limits::session_ends_at_once;
  for (std::size_t i = 0; i < count; ++i) {
    client c(w);
    c.initialize();
  }
  const auto left = [&] { return w.metric(R"(gate_sessions{kind="client"})"); };
  double before = left(), most = 0;
  EXPECT_EQ(before, count);
  for (int i = 0; i < 100'000 / 5; ++i, before = left()) {
    w.advance(5ms);
    most = std::max(most, before - left());
    if (left() == 0) break;
  }
  EXPECT_EQ(left(), 0);
  EXPECT_EQ(most, limits::session_ends_at_once);
}

TEST(session_cost, one_address_gets_its_share_and_gives_up_what_is_idle) {
  world w({.config = many_upstreams(1)});
  client first(w), listener(w);
  first.initialize();
  first.call("1", "u0__x");
  listener.initialize();
  auto stream = listener.get();
  client last(w);
  for (std::size_t i = 2; i < limits::client_sessions_each; ++i) {
    last.session.clear();
    last.version.clear();
    last.initialize();
  }
  EXPECT_EQ(w.upstream("u0").count("DELETE"), 0U);
  client elsewhere(w);
  elsewhere.peer = "192.0.2.1";
  elsewhere.initialize();
  EXPECT_EQ(w.upstream("u0").count("DELETE"), 0U) << "a share of its own";
  client more(w);
  more.initialize();
  EXPECT_EQ(w.upstream("u0").count("DELETE"), 1U);
  EXPECT_EQ(first.request("2", "ping")->status, 404) << "the longest idle one";
  EXPECT_EQ(listener.request("2", "ping")->status, 200) << "not one that listens";
  EXPECT_EQ(elsewhere.request("2", "ping")->status, 200);
  EXPECT_FALSE(stream->done());
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), limits::client_sessions_each + 1);
}

}  // namespace
}  // namespace gate
