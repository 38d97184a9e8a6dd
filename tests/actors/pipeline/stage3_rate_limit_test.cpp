// Stage 3: the limits of the gateway, of tenants and of principals.
#include "tests/actors/pipeline/stages.hpp"

namespace gate::pipeline {
namespace {

struct stage3 : sim::a_way {
  stage3()
      : a_way(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],)"
              R"("server":{"rateLimit":{"requestsPerMinute":5}}})") {}
};

TEST_F(stage3, asks_with_all_scopes_and_waits) {
  EXPECT_TRUE(waits(limited(message("ping"))));
  ASSERT_TRUE(entrance.metered);
  ASSERT_NE(entrance.counted_in, nullptr);
  ASSERT_EQ(entrance.counted_in->size(), 1U);
  EXPECT_EQ(entrance.counted_in->front().per_minute, 5);
  auto c = of<stage::rate_limit>(rate_limit_step::resume(std::move(*entrance.metered), {}));
  c->ticket.spend({});
}

TEST_F(stage3, says_whose_limit_and_when) {
  EXPECT_TRUE(waits(limited(message("ping"))));
  auto r = rate_limit_step::resume(std::move(*entrance.metered),
                                   {0, false, scope::server, std::chrono::seconds{7}});
  const auto* it = std::get_if<refused>(&r);
  ASSERT_NE(it, nullptr);
  EXPECT_EQ(it->why.why, reason::rate_limited);
  EXPECT_EQ(it->why.message, "the rate limit of the gateway is exceeded; retry in 7s");
  EXPECT_NE(it->headers.find("Retry-After: 7"), std::string::npos) << it->headers;
  it->call->ticket.spend({});
}

TEST_F(stage3, counts_a_request_once) {
  EXPECT_TRUE(waits(limited(message("ping"))));
  auto c = of<stage::rate_limit>(rate_limit_step::run(std::move(*entrance.metered), desk));
  c->ticket.spend({});
}

TEST_F(stage3, stops_nobody_when_nobody_counts) {
  entrance.limiter_is_there = false;
  auto c = of<stage::rate_limit>(limited(message("ping")));
  c->ticket.spend({});
}

struct stage3_without_limits : sim::a_way {};

TEST_F(stage3_without_limits, asks_nobody) {
  auto c = of<stage::rate_limit>(limited(message("ping")));
  EXPECT_EQ(entrance.counted_in, nullptr);
  c->ticket.spend({});
}

}  // namespace
}  // namespace gate::pipeline
