#include "actors/ops/explanation.hpp"

#include <gtest/gtest.h>

#include "actors/ops/usage_text.hpp"

namespace gate::ops {
namespace {

using namespace std::chrono_literals;

const wall_time midday{1'700'000'000s};

usage upstream_use(std::int64_t used, std::chrono::seconds retry_after) {
  usage u;
  u.scopes =
      std::make_shared<const std::vector<rate_scope>>(1, rate_scope{{scope::upstream, "a", 0}, 5});
  u.shown.windows = {{used, 90s, retry_after}};
  return u;
}
void add_budgets(usage& u, std::int64_t of_tenant, std::int64_t of_server) {
  u.costs = std::make_shared<const std::vector<allowance>>(
      std::vector<allowance>{{{scope::tenant, "t", 0}, config::budget_period::day, 10},
                             {{scope::server, {}, 0}, config::budget_period::month, 20}});
  u.shown.budgets = {{of_tenant, midday + 1h}, {of_server, midday + 2h}};
}

/// Every combination of full and not: the first guard in order speaks.
TEST(explanation, is_what_the_first_guard_would_say) {
  for (const bool limited : {false, true})
    for (const auto circuit :
         {breaker_state::closed, breaker_state::half_open, breaker_state::open})
      for (const bool tenant : {false, true})
        for (const bool server : {false, true}) {
          explanation e{.method = "tools/call", .name = "a__x", .upstream = "a"};
          e.calls = upstream_use(limited ? 5 : 4, limited ? 37s : 0s);
          add_budgets(e.calls, tenant ? 10 : 9, server ? 20 : 0);
          e.breaker = circuit;
          const auto no = guards_verdict(e);
          const auto expected =
              limited                          ? "upstream \"a\" rate limit exceeded; retry in 37s"
              : circuit == breaker_state::open ? "upstream \"a\" unavailable (circuit open)"
              : tenant ? "tenant \"t\" budget exhausted (10/10); resets 2023-11-14T23:13:20Z"
              : server ? "server budget exhausted (20/20); resets 2023-11-15T00:13:20Z"
                       : "";
          EXPECT_EQ(no ? no->message : "", expected);
        }
  explanation nowhere{.method = "tools/list", .name = ""};
  nowhere.breaker = breaker_state::open;
  EXPECT_FALSE(guards_verdict(nowhere));
}

TEST(explanation, is_told_in_full) {
  explanation e{.method = "tools/call", .name = "a__\"x\"", .upstream = "a"};
  e.decision = audit::decision::allow;
  e.rule = "r";
  e.tenant = "t";
  e.calls = upstream_use(5, 37s);
  add_budgets(e.calls, 1, 2);
  e.breaker = breaker_state::half_open;
  EXPECT_EQ(
      explanation_body(e, midday),
      R"({"method":"tools/call","name":"a__\"x\"","upstream":"a","decision":"allow","ruleId":"r",)"
      R"("tenant":"t","limits":[{"scope":"upstream","limit":5,"used":5,)"
      R"("resetsAt":"2023-11-14T22:14:50.000Z","retryAfterMs":37000}],"budgets":[)"
      R"({"scope":"tenant","period":"day","limit":10,"used":1,)"
      R"("resetsAt":"2023-11-14T23:13:20.000Z"},)"
      R"({"scope":"server","period":"month","limit":20,"used":2,)"
      R"("resetsAt":"2023-11-15T00:13:20.000Z"}],"breaker":"half-open","reason":"rate_limited",)"
      R"("message":"upstream \"a\" rate limit exceeded; retry in 37s"})");
  explanation no{.method = "x", .name = "y"};
  no.refused = refusal{reason::unknown_name, "nobody", {}, -1};
  EXPECT_EQ(explanation_body(no, midday),
            R"({"method":"x","name":"y","decision":"none","limits":[],"budgets":[],)"
            R"("reason":"unknown_name","message":"nobody"})");
}

TEST(explanation, of_what_nobody_could_be_asked_says_nothing_is_used) {
  explanation e{.method = "tools/call", .name = "a__x", .upstream = "a"};
  e.calls = upstream_use(5, 37s);
  add_budgets(e.calls, 10, 20);
  e.calls.shown = {};
  EXPECT_FALSE(guards_verdict(e));
  EXPECT_NE(explanation_body(e, midday).find(R"("limit":5,"used":0})"), std::string::npos);
}

}  // namespace
}  // namespace gate::ops
