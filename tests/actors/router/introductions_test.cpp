#include "actors/router/introductions.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

constexpr auto initialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"c","version":"1"}}})";

struct introductions_of_upstreams : sim::router_stage {
  void introduce_itself(std::size_t upstream, bool reached = true) {
    introduced m{upstream, reached, mcp::usual_features, R"("words")"};
    it.met.on_introduced(m);
  }
};

TEST_F(introductions_of_upstreams, are_waited_for_by_the_first_client) {
  const auto first = post({}, initialize), second = post({}, initialize);
  EXPECT_EQ(doors.take<introduce>().size(), 2U) << "one question an upstream";
  EXPECT_EQ(doors.timer(timer::introductions),
            std::chrono::milliseconds(limits::introduction).count());
  introduce_itself(0);
  EXPECT_FALSE(first->done());
  introduce_itself(1);
  EXPECT_EQ(first->status, 200);
  EXPECT_EQ(second->status, 200);
  EXPECT_EQ(post({}, initialize)->status, 200) << "at once";
  EXPECT_TRUE(doors.take<introduce>().empty());
}

TEST_F(introductions_of_upstreams, are_not_waited_for_twice) {
  const auto r = post({}, initialize);
  introduce_itself(0);
  pass(limits::introduction);
  it.on_timer(timer::introductions);
  EXPECT_EQ(r->status, 200) << "without the one that is late";
  EXPECT_EQ(post({}, initialize)->status, 200) << "nor do others wait for it";
}

TEST_F(introductions_of_upstreams, end_with_whoever_dies) {
  const auto r = post({}, initialize);
  introduce_itself(0);
  it.calls.on_upstream_lost(1);
  EXPECT_EQ(r->status, 200);
  doors.take<introduce>();
  post({}, initialize);
  EXPECT_TRUE(doors.take<introduce>().empty()) << "a pause lies between";
  pass(limits::failed_fill);
  post({}, initialize);
  EXPECT_EQ(doors.take<introduce>().size(), 1U);
}

TEST_F(introductions_of_upstreams, are_told_in_the_order_of_the_configuration) {
  const auto r = post({}, initialize);
  introduce_itself(1);
  introduce_itself(0);
  const auto a = r->body.find("## a"), b = r->body.find("## b");
  ASSERT_NE(a, std::string::npos) << r->body;
  ASSERT_NE(b, std::string::npos) << r->body;
  EXPECT_LT(a, b);
}

}  // namespace
}  // namespace gate::routing
