#include "actors/router/endpoints.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct endpoints_beside_mcp : sim::router_stage {
  sim::receipt_ptr get(std::string_view path, verb method = verb::get) {
    return arrive(method, {}, {}, path);
  }
};

TEST_F(endpoints_beside_mcp, ask_for_the_health_report) {
  const auto r = get("/health");
  ASSERT_EQ(doors.health.size(), 1U);
  EXPECT_FALSE(r->done());
  it.beside.on_health(doors.health[0],
                      {false, std::make_shared<const std::string>(R"({"status":"down"})")});
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->body, R"({"status":"down"})");
}

TEST_F(endpoints_beside_mcp, show_metrics) {
  const auto r = get("/metrics");
  EXPECT_EQ(r->status, 200);
  EXPECT_NE(r->body.find("gate_sessions"), std::string::npos);
}

TEST_F(endpoints_beside_mcp, are_few) {
  EXPECT_EQ(get("/elsewhere")->status, 404);
  EXPECT_EQ(get("/oauth/token", verb::post)->status, 404) << "it is not configured";
  EXPECT_EQ(get("/health", verb::post)->status, 405);
}

}  // namespace
}  // namespace gate::routing
