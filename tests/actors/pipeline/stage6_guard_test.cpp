// Stage 6: what a call costs, and whether there is room for it.
#include "tests/actors/pipeline/stages.hpp"

namespace gate::pipeline {
namespace {

struct stage6 : sim::a_way {
  stage6()
      : a_way(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp",)"
              R"("rateLimit":{"requestsPerMinute":9}}]})") {}
};

TEST_F(stage6, puts_the_price_to_the_question) {
  upstreams.prices = std::make_shared<const std::vector<allowance>>();
  auto c = of<stage::guard>(guarded(message("tools/call", R"({"name":"x"})")));
  EXPECT_EQ(c->question.per_minute, 9);
  EXPECT_EQ(c->question.costs, upstreams.prices);
  c->ticket.spend({});
}

TEST_F(stage6, refuses_more_than_an_upstream_has_room_for) {
  upstreams.full = true;
  const auto why = no(guarded(message("tools/call", R"({"name":"x"})")));
  EXPECT_EQ(why.why, reason::upstream_down);
  EXPECT_EQ(why.upstream, "a");
}

TEST_F(stage6, charges_nothing_for_the_gateways_own_answers) {
  upstreams.full = true;
  auto c = of<stage::guard>(guarded(message("ping")));
  EXPECT_EQ(c->question.per_minute, 0);
  c->ticket.spend({});
}

}  // namespace
}  // namespace gate::pipeline
