// Upstreams that leave while something of theirs still runs.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::string_view a_alone =
    R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}]})";

std::string with_b(int request_ms) {
  return R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"},
    {"id":"b","url":"http://b.test/mcp","namespace":"b","timeouts":{"requestMs":)" +
         std::to_string(request_ms) + R"(},"circuitBreaker":{"failureThreshold":1}}]})";
}

TEST(departure, a_list_that_is_younger_than_the_reload_does_not_know_who_left) {
  world w;
  client c(w);
  c.initialize();
  w.upstream("b").always("tools/call", reply::silence());
  auto call = c.call("1", "b__x");
  ASSERT_TRUE(w.reload(a_alone).get().problems.empty());
  c.list("2");
  fake_upstream::answer(w.upstream("b").last("tools/call"), reply::result("{}"));
  w.settle();
  EXPECT_EQ(at(call->body, "result"), "{}");
  EXPECT_EQ(w.cast("upstream").size(), 1U);
}

TEST(departure, the_last_calls_of_who_left_say_nothing_of_the_successor) {
  world w({.config = with_b(1000)});
  client c(w);
  c.initialize();
  w.upstream("b").next("tools/call", reply::silence());
  auto call = c.call("1", "b__x");
  ASSERT_TRUE(w.reload(with_b(2000)).get().problems.empty());
  w.advance(5s);
  EXPECT_EQ(at(call->last(), "error", "code"), "-32041");
  EXPECT_NE(at(c.call("2", "b__x")->last(), "result"), "");
  EXPECT_EQ(w.metric(R"(gate_upstream_breaker_state{upstream="b"})"), 0);
}

}  // namespace
}  // namespace gate
