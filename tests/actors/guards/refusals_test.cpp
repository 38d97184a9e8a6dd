#include "actors/guards/refusals.hpp"

#include <gtest/gtest.h>

namespace gate::guards {
namespace {

using namespace std::chrono;

charged refused_by(scope_key scope) {
  charged out;
  out.yes = false;
  out.scope = std::move(scope);
  out.used = 101;
  out.limit = 100;
  out.resets = sys_days{year{2026} / 12 / 1};
  return out;
}

TEST(a_refusal, for_the_rate_of_an_upstream) {
  const auto r = rate_limited("notes", 37s);
  EXPECT_EQ(r.message, R"(upstream "notes" rate limit exceeded; retry in 37s)");
  EXPECT_EQ(refusal_data(r),
            R"({"gate":{"reason":"rate_limited","upstream":"notes","retryAfterMs":37000}})");
  EXPECT_EQ(row(r.why).session_code, -32040);
}

TEST(a_refusal, for_an_open_circuit) {
  const auto r = circuit_open("notes");
  EXPECT_EQ(r.message, R"(upstream "notes" unavailable (circuit open))");
  EXPECT_EQ(refusal_data(r), R"({"gate":{"reason":"upstream_down","upstream":"notes"}})");
  EXPECT_EQ(row(r.why).session_code, -32041);
}

TEST(a_refusal, for_a_budget_that_is_used_up) {
  const auto upstream = budget_exhausted(refused_by({scope::upstream, "notes"}));
  EXPECT_EQ(upstream.message,
            R"(upstream "notes" budget exhausted (101/100); resets 2026-12-01T00:00:00Z)");
  EXPECT_EQ(refusal_data(upstream), R"({"gate":{"reason":"budget_exhausted","upstream":"notes",)"
                                    R"("resetsAt":"2026-12-01T00:00:00Z"}})");
  EXPECT_EQ(row(upstream.why).session_code, -32044);

  const auto tenant = budget_exhausted(refused_by({scope::tenant, "acme"}));
  EXPECT_EQ(tenant.message,
            R"(tenant "acme" budget exhausted (101/100); resets 2026-12-01T00:00:00Z)");
  EXPECT_EQ(refusal_data(tenant), R"({"gate":{"reason":"budget_exhausted",)"
                                  R"("resetsAt":"2026-12-01T00:00:00Z","tenant":"acme"}})");

  const auto server = budget_exhausted(refused_by({}));
  EXPECT_EQ(server.message, "server budget exhausted (101/100); resets 2026-12-01T00:00:00Z");
  EXPECT_EQ(refusal_data(server),
            R"({"gate":{"reason":"budget_exhausted","resetsAt":"2026-12-01T00:00:00Z"}})");
}

}  // namespace
}  // namespace gate::guards
