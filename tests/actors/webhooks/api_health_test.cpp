// API: /health.
#include <gtest/gtest.h>

#include "protocol/limits.hpp"
#include "tests/actors/webhooks/api_stage.hpp"

namespace gate::hooks {
namespace {

using namespace std::chrono_literals;

const std::string well =
    R"({"status":"ok","version":")" GATE_VERSION
    R"(","store":"ok","webhooks":0,"deliveries":{"pending":0,"delivering":0,"succeeded":0,)"
    R"("failed":0,"dead":0}})";
const std::string down = R"({"status":"down","version":")" GATE_VERSION R"(","store":"down"})";

struct api_health : ::testing::Test, api_stage {
  receipt_ptr health() { return get("/health", ""); }
  std::size_t looks() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        it->asked, [](const auto& r) { return std::holds_alternative<ledger::count_all>(r); }));
  }
};

TEST_F(api_health, is_well_if_the_store_answers) {
  const auto r = health();
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->content_type, "application/json");
  EXPECT_EQ(r->body, well);
  EXPECT_EQ(health()->body, well);
  EXPECT_EQ(looks(), 1U) << "what was found holds for a second";
  advance(limits::health_reuse);
  health();
  EXPECT_EQ(looks(), 2U);
}

TEST_F(api_health, looks_once_for_all_who_ask) {
  it->silent = true;
  const auto one = health(), two = health(), gone = health();
  leave(gone);
  EXPECT_EQ(looks(), 1U);
  EXPECT_FALSE(one->done());
  answer();
  EXPECT_EQ(one->status, 200);
  EXPECT_EQ(two->status, 200);
  advance(limits::hooks_health_wait);
  for (const auto& r : {one, two, gone}) EXPECT_EQ(r->misuse, lines{});
}

TEST_F(api_health, does_not_wait_for_ever) {
  it->silent = true;
  const auto r = health();
  advance(limits::hooks_health_wait - 1ms);
  EXPECT_FALSE(r->done());
  advance(1ms);
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->body, down);
  EXPECT_EQ(health()->status, 503) << "for a second";
  advance(limits::health_reuse);
  const auto next = health();
  EXPECT_FALSE(next->done());
  EXPECT_EQ(looks(), 1U) << "the first question is still out";
  answer();
  EXPECT_EQ(next->status, 200);
}

TEST_F(api_health, is_down_without_a_store) {
  it->refuses = ledger::refusal::reason::unavailable;
  EXPECT_EQ(health()->status, 503);
  it->refuses.reset();
  advance(limits::health_reuse);
  EXPECT_EQ(health()->status, 200);
  it->silent = true;
  advance(limits::health_reuse);
  const auto waits = health();
  lose_ledger();
  EXPECT_EQ(waits->status, 503);
  advance(limits::health_reuse);
  EXPECT_EQ(health()->status, 503);
  it->silent = false;
  start_ledger();
  advance(limits::health_reuse);
  EXPECT_EQ(health()->status, 200);
}

TEST_F(api_health, is_down_while_it_stops) {
  it->silent = true;
  const auto waits = health();
  stop();
  EXPECT_EQ(waits->status, 503);
  EXPECT_EQ(health()->status, 503);
}

TEST(api_health_for_development, says_so) {
  api_stage w(true, true);
  EXPECT_NE(w.get("/health", "")->body.find(R"(,"dev_loopback":true})"), std::string::npos);
}

}  // namespace
}  // namespace gate::hooks
