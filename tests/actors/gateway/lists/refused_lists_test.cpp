// Lists that guards refuse: what the client is told, and what the audit trail says was sent.
#include "tests/actors/gateway/lists/lists_stage.hpp"
#include "tests/support/refused.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

/// One upstream, whose lists are not kept.
std::string uncached(std::string_view more) {
  return R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","cacheTtlMs":-1)" +
         std::string(more) + "}]}";
}
/// Two of them.
std::string two_of(std::string_view of_a, std::string_view of_b, std::string_view sections = {}) {
  return R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a","cacheTtlMs":-1)" +
         std::string(of_a) +
         R"(},{"id":"b","url":"http://b.test/mcp","namespace":"b","cacheTtlMs":-1)" +
         std::string(of_b) + "}]" + std::string(sections) + "}";
}
/// What the audit trail says of the latest list.
std::string audited(world& w, std::string_view key, std::string_view method = "tools/list") {
  return at(w.audit(method).back(), key);
}

constexpr std::string_view one_a_minute = R"(,"rateLimit":{"requestsPerMinute":1})";
constexpr std::string_view one_an_hour = R"(,"budget":{"period":"hour","upstreamCalls":1})";
constexpr std::string_view touchy = R"(,"circuitBreaker":{"failureThreshold":1})";

TEST(refused_lists, name_the_limit) {
  world w({.config = uncached(one_a_minute)});
  client c(w);
  c.initialize();
  EXPECT_EQ(code(c.list("1")), "");
  EXPECT_EQ(audited(w, "upstreamCalls"), "1");
  auto no = c.list("2");
  EXPECT_EQ(code(no), "-32040");
  EXPECT_EQ(message(no), R"("upstream \"a\" rate limit exceeded; retry in 120s")");
  EXPECT_EQ(told(no, "retryAfterMs"), "120000");
  EXPECT_EQ(told(no, "reason"), R"("rate_limited")");
  EXPECT_EQ(audited(w, "outcome"), R"("rate_limited")");
  EXPECT_EQ(audited(w, "upstreamCalls"), "0");
  EXPECT_EQ(w.upstream("a").count("tools/list"), 1U);
  EXPECT_EQ(code(c.list("3")), "-32040") << "remembered for a second";
  EXPECT_EQ(audited(w, "upstreamCalls"), "0");
}

TEST(refused_lists, name_the_budget) {
  world w({.config = uncached(one_an_hour)});
  client c(w);
  c.initialize();
  EXPECT_EQ(code(c.list("1")), "");
  auto no = c.list("2");
  EXPECT_EQ(code(no), "-32044");
  EXPECT_EQ(message(no),
            R"_("upstream \"a\" budget exhausted (1/1); resets 2026-11-21T10:00:00Z")_");
  EXPECT_EQ(told(no, "resetsAt"), R"("2026-11-21T10:00:00Z")");
  EXPECT_EQ(audited(w, "outcome"), R"("budget_exhausted")");
  EXPECT_EQ(audited(w, "upstreamCalls"), "0");
}

TEST(refused_lists, name_the_circuit) {
  world w({.config = uncached(touchy)});
  client c(w);
  c.initialize();
  w.upstream("a").next("tools/list", reply::http(500));
  EXPECT_EQ(message(c.list("1")), R"("all upstreams unavailable: a")");
  EXPECT_EQ(audited(w, "upstreamCalls"), "1") << "it was asked";
  w.advance(1s);
  auto no = c.list("2");
  EXPECT_EQ(code(no), "-32041");
  EXPECT_EQ(message(no), R"_("upstream \"a\" unavailable (circuit open)")_");
  EXPECT_EQ(audited(w, "outcome"), R"("upstream_down")");
  EXPECT_EQ(audited(w, "upstreamCalls"), "0");
}

TEST(refused_lists, of_some_are_partial) {
  world w({.config = two_of(one_a_minute, {})});
  client c(w);
  c.initialize();
  EXPECT_EQ(failed(c.list("1")), "");
  EXPECT_EQ(audited(w, "upstreamCalls"), "2");
  auto some = c.list("2");
  EXPECT_EQ(code(some), "");
  EXPECT_EQ(failed(some), R"(["a"])");
  EXPECT_EQ(audited(w, "outcome"), R"("ok")");
  EXPECT_EQ(audited(w, "upstreamCalls"), "1");
}

TEST(refused_lists, of_all_are_refused_as_the_first_is) {
  world w({.config = two_of(one_an_hour, one_a_minute)});
  client c(w);
  c.initialize();
  EXPECT_EQ(code(c.list("1")), "");
  auto no = c.list("2");
  EXPECT_EQ(code(no), "-32044");
  EXPECT_EQ(told(no, "upstream"), R"("a")");
  EXPECT_EQ(audited(w, "upstreamCalls"), "0");
}

TEST(refused_lists, beside_one_that_is_down_are_all_unavailable) {
  world w({.config = two_of(one_a_minute, {})});
  client c(w);
  c.initialize();
  EXPECT_EQ(code(c.list("1")), "");
  w.upstream("b").always("tools/list", reply::failure(fetch_end::broken));
  auto no = c.list("2");
  EXPECT_EQ(code(no), "-32041");
  EXPECT_EQ(message(no), R"("all upstreams unavailable: a, b")");
  EXPECT_EQ(audited(w, "upstreamCalls"), "1");
}

TEST(refused_lists, by_all_circuits_name_all) {
  world w({.config = two_of(touchy, touchy)});
  client c(w);
  c.initialize();
  for (const auto* id : {"a", "b"}) w.upstream(id).always("tools/list", reply::http(500));
  c.list("1");
  w.advance(1s);
  auto no = c.list("2");
  EXPECT_EQ(code(no), "-32041");
  EXPECT_EQ(message(no), R"("all upstreams unavailable: a, b")");
  EXPECT_EQ(audited(w, "upstreamCalls"), "0");
}

TEST(refused_lists, that_are_asked_for_again_are_refused_no_longer) {
  world w({.config = uncached(one_a_minute)});
  client c(w);
  c.initialize();
  c.list("1");
  EXPECT_EQ(code(c.list("2")), "-32040");
  w.advance(120s);
  w.upstream("a").always("tools/list", reply::silence());
  auto hangs = c.list("3");
  w.advance(10s);
  EXPECT_EQ(code(hangs), "-32041") << "the refusal was of another time";
  EXPECT_EQ(audited(w, "upstreamCalls"), "1");
}

TEST(refused_lists, by_a_tenants_budget_are_that_tenants) {
  world w(guarded_world(guarded(
      R"([{"id":"a","url":"http://a.test/mcp","cacheTtlMs":-1}])",
      R"("tenants":[{"id":"t","subjects":{"groups":["t"]},"budget":{"upstreamCalls":1}}])")));
  client one(w), other(w);
  one.token = token_for("one", R"("groups":["t"])");
  other.token = token_for("other");
  one.initialize();
  other.initialize();
  EXPECT_EQ(code(one.list("1")), "");
  auto no = one.list("2");
  EXPECT_EQ(code(no), "-32044");
  EXPECT_EQ(told(no, "tenant"), R"("t")");
  no = other.list("1");
  EXPECT_EQ(code(no), "-32041") << "it came to nothing, but why is not this caller's business";
  EXPECT_EQ(told(no, "tenant"), "");
  w.advance(1s);
  EXPECT_EQ(code(other.list("2")), "");
  EXPECT_EQ(w.metric(R"(gate_tenant_upstream_calls_total{tenant="t"})"), 1);
}

TEST(refused_lists, of_tasks_are_refused_alike) {
  world w({.config = uncached(one_a_minute)});
  w.upstream("a").version = "2025-11-25";
  w.upstream("a").capabilities = R"({"tools":{},"tasks":{"list":{}}})";
  client c(w);
  c.initialize();
  EXPECT_EQ(code(c.request("1", "tasks/list")), "");
  EXPECT_EQ(audited(w, "upstreamCalls", "tasks/list"), "1");
  EXPECT_EQ(code(c.request("2", "tasks/list")), "-32040");
  EXPECT_EQ(audited(w, "upstreamCalls", "tasks/list"), "0");
}

// --- what was sent -------------------------------------------------------------------------------

TEST(lists_in_the_audit_trail, count_what_was_sent) {
  world w({.config = uncached({})});
  auto& a = w.upstream("a");
  client c(w);
  c.initialize();
  a.page_size = 1;
  a.tools = {R"({"name":"1"})", R"({"name":"2"})", R"({"name":"3"})"};
  EXPECT_EQ(code(c.list("1")), "");
  EXPECT_EQ(a.count("tools/list"), 3U);
  EXPECT_EQ(audited(w, "upstreamCalls"), "1") << "one list, whatever its pages";
  a.forget_sessions();
  EXPECT_EQ(code(c.list("2")), "");
  EXPECT_EQ(audited(w, "upstreamCalls"), "2") << "it was asked twice";
  EXPECT_EQ(code(c.request("3", "prompts/list")), "");
  EXPECT_EQ(audited(w, "upstreamCalls", "prompts/list"), "1");
}

TEST(lists_in_the_audit_trail, count_nothing_that_could_not_be_sent) {
  world w({.config = uncached({})});
  auto& a = w.upstream("a");
  a.capabilities = R"({"tools":{}})";
  client c(w);
  c.initialize();
  EXPECT_EQ(code(c.request("1", "prompts/list")), "");
  EXPECT_EQ(audited(w, "upstreamCalls", "prompts/list"), "0") << "it declared to have none";
  a.always("tools/list", reply::failure(fetch_end::connect_failed, true));
  EXPECT_EQ(code(c.list("2")), "-32041");
  EXPECT_EQ(audited(w, "upstreamCalls"), "0");
  w.advance(1s);
  w.crash_upstream(0);
  EXPECT_EQ(code(c.list("3")), "-32041");
  EXPECT_EQ(audited(w, "upstreamCalls"), "0") << "nobody is there";
}

TEST(lists_in_the_audit_trail, count_for_whoever_caused_them) {
  world w({.config = uncached({})});
  w.upstream("a").next("tools/list", reply::result(R"({"tools":[]})", 1s));
  client c(w);
  c.initialize();
  c.list("1");
  c.list("2");
  w.advance(1s);
  ASSERT_EQ(w.audit("tools/list").size(), 2U);
  EXPECT_EQ(at(w.audit("tools/list")[0], "upstreamCalls"), "1");
  EXPECT_EQ(at(w.audit("tools/list")[1], "upstreamCalls"), "0");
}

}  // namespace
}  // namespace gate
