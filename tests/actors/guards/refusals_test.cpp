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

// --- of a whole list -----------------------------------------------------------------------------

struct refusals_of_a_list : ::testing::Test {
  using ptr = std::shared_ptr<const refusal>;

  static config::snapshot_ptr federation() {
    config::document d;
    for (const auto* id : {"a", "b", "hidden"}) {
      config::upstream u;
      u.id = id;
      u.space = id;
      u.url = "http://x";
      d.upstreams.push_back(std::move(u));
    }
    d.policy.emplace().rules = {{"r", {}, {{"a", {}, {}}, {"b", {}, {}}}}};
    return config::compile(std::move(d));
  }
  refusals_of_a_list() { who.view = snapshot->policy.make_view(nullptr, nullptr, 1); }
  /// What is told when `a` and `b` were refused so.
  ptr told(ptr a, ptr b) {
    return refused_by_all(*snapshot, who, [&](std::size_t i) {
      return i == 0 ? a : i == 1 ? b : ptr{};
    });
  }

  config::snapshot_ptr snapshot = federation();
  identity::access who;
  ptr limit = std::make_shared<const refusal>(rate_limited("x", 1s));
  ptr circuit = std::make_shared<const refusal>(circuit_open("x"));
  ptr tenants = std::make_shared<const refusal>(budget_exhausted(refused_by({scope::tenant, "t"})));
};

TEST_F(refusals_of_a_list, are_the_first_ones) {
  const auto other = std::make_shared<const refusal>(rate_limited("y", 2s));
  EXPECT_EQ(told(limit, other), limit);
  EXPECT_EQ(told(other, circuit), other);
}

TEST_F(refusals_of_a_list, are_none_if_one_failed_otherwise) {
  EXPECT_FALSE(told(limit, nullptr));
  EXPECT_FALSE(told(nullptr, limit));
  EXPECT_FALSE(told(nullptr, nullptr));
}

TEST_F(refusals_of_a_list, give_way_to_the_names_of_all_that_are_down) {
  EXPECT_FALSE(told(circuit, circuit));
  EXPECT_FALSE(told(circuit, limit));
}

TEST_F(refusals_of_a_list, of_a_tenant_are_for_the_tenant) {
  EXPECT_FALSE(told(tenants, limit));
  EXPECT_FALSE(told(limit, tenants));
  who.tenant = "t";
  EXPECT_EQ(told(tenants, limit), tenants);
}

}  // namespace
}  // namespace gate::guards
