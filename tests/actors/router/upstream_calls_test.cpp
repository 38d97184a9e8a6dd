#include "actors/router/upstream_calls.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct calls_of_upstreams : sim::router_stage {
  sessions::session_ptr s = open();

  sim::receipt_ptr call(int id, const std::string& tool) {
    return post(s->id, R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                           R"(,"method":"tools/call","params":{"name":")" + tool + "\"}}");
  }
};

TEST_F(calls_of_upstreams, are_bounded) {
  std::vector<sim::receipt_ptr> all;
  for (std::size_t n = 0; n < limits::upstream_calls; ++n) {
    if (n % limits::session_calls == 0) s = open();
    all.push_back(call(static_cast<int>(n), "a__x"));
  }
  ASSERT_FALSE(all.back()->done());
  s = open();
  EXPECT_NE(call(1, "a__x")->body.find("too many requests are in flight"), std::string::npos);
  EXPECT_FALSE(call(2, "b__x")->done()) << "another has room";
}

TEST_F(calls_of_upstreams, end_with_it) {
  const auto to_a = call(1, "a__x"), to_b = call(2, "b__x");
  it.calls.on_upstream_lost(0);
  EXPECT_NE(to_a->body.find("upstream \\\"a\\\" unavailable"), std::string::npos) << to_a->body;
  EXPECT_FALSE(to_b->done());
}

TEST_F(calls_of_upstreams, end_with_the_session_that_they_go_over) {
  auto first = s;
  const auto mine = call(1, "a__x");
  s = open();
  const auto others = call(1, "a__x");
  session_lost m;
  m.client = first->key;
  m.upstream = 0;
  it.calls.on_session_lost(m);
  EXPECT_TRUE(mine->done());
  EXPECT_FALSE(others->done());
}

}  // namespace
}  // namespace gate::routing
