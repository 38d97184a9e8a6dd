#include "config/parse.hpp"

#include "protocol/limits.hpp"
#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

struct bad {
  std::string text;
  std::string pointer;
  std::string part;
};

TEST(parse, reads_every_field_of_a_plain_upstream) {
  auto p = parse(R"({"upstreams": [{"id": "a-1", "url": "http://x/mcp", "namespace": "ns",
    "owner": {"team": "t"}, "labels": {"k": "", "~/": "v"},
    "timeouts": {"connectMs": 1, "requestMs": 2e3}, "cacheTtlMs": -1, "maxResponseBytes": 7}],
    "server": {"mcpPath": "/m", "allowedHosts": ["h"], "maxBodyBytes": 5,
               "sessionIdleTimeoutMs": 6, "keepAliveMs": 8, "publicUrl": "https://h"},
    "routing": {"namespaceSeparator": "_", "pageSize": -3}})");
  ASSERT_EQ(lines(p.problems), std::vector<std::string>{});
  const auto& u = p.doc.upstreams.at(0);
  EXPECT_EQ(u.id, "a-1");
  EXPECT_EQ(u.url, "http://x/mcp");
  EXPECT_EQ(u.space, "ns");
  EXPECT_EQ(u.owner, (owner{.org = {}, .team = "t", .contact = {}}));
  EXPECT_EQ(u.labels, (text_map{{"k", ""}, {"~/", "v"}}));
  EXPECT_EQ(u.timeouts.connect, milliseconds(1));
  EXPECT_EQ(u.timeouts.request, milliseconds(2000));
  EXPECT_EQ(u.cache_ttl, milliseconds(-1));
  EXPECT_EQ(u.max_response_bytes, 7);
  EXPECT_EQ(p.doc.server.mcp_path, "/m");
  EXPECT_EQ(p.doc.server.allowed_hosts, text_list{"h"});
  EXPECT_EQ(p.doc.server.max_body_bytes, 5);
  EXPECT_EQ(p.doc.server.session_idle_timeout, milliseconds(6));
  EXPECT_EQ(p.doc.server.keep_alive, milliseconds(8));
  EXPECT_EQ(p.doc.server.public_url, "https://h");
  EXPECT_EQ(p.doc.routing.namespace_separator, "_");
  EXPECT_EQ(p.doc.routing.page_size, -3);
}

TEST(parse, defaults_are_those_of_the_requirements) {
  auto d = parse(plain).doc;
  const auto& u = d.upstreams.at(0);
  EXPECT_EQ(u.protocol, protocol_choice::session);
  EXPECT_EQ(u.auth.strategy, auth_strategy::none);
  EXPECT_EQ(u.timeouts.connect, milliseconds(5'000));
  EXPECT_EQ(u.timeouts.request, milliseconds(60'000));
  EXPECT_EQ(u.circuit_breaker.failure_threshold, 5);
  EXPECT_EQ(u.circuit_breaker.half_open_after, milliseconds(30'000));
  EXPECT_EQ(u.cache_ttl, milliseconds(30'000));
  EXPECT_EQ(u.max_response_bytes, 64 * 1024 * 1024);
  EXPECT_EQ(d.auth.mode, auth_mode::disabled);
  EXPECT_FALSE(d.policy || d.audit || d.discovery || d.tracing);
  EXPECT_EQ(d.server.mcp_path, "/mcp");
  EXPECT_EQ(d.server.max_body_bytes, 1'048'576);
  EXPECT_EQ(d.server.session_idle_timeout, milliseconds(1'800'000));
  EXPECT_EQ(d.server.keep_alive, milliseconds(15'000));
  EXPECT_EQ(d.routing.namespace_separator, "__");
  EXPECT_EQ(d.routing.page_size, 200);

  d = parse(R"({"auth": {"issuers": [{"issuer": "https://i"}],
                         "ema": {"idpIssuer": "https://i", "signingKeyRef": "K"}},
                "policy": {}, "server": {"budget": {"upstreamCalls": 1}},
                "discovery": {"url": "https://r"}, "tracing": {"otlpEndpoint": "http://o"}})")
          .doc;
  EXPECT_EQ(d.auth.issuers.at(0).groups_claim, "groups");
  EXPECT_EQ(d.auth.issuers.at(0).mode, issuer_mode::direct);
  EXPECT_EQ(d.auth.ema->token_ttl, seconds(600));
  EXPECT_EQ(d.auth.ema->token_rate_limit_per_minute, 600);
  EXPECT_EQ(d.policy->default_decision, decision::deny);
  EXPECT_EQ(d.server.budget->period, budget_period::month);
  EXPECT_EQ(d.discovery->interval, milliseconds(30'000));
  EXPECT_EQ(d.discovery->min_health_check_interval, milliseconds(1'000));
  EXPECT_EQ(d.tracing->service_name, "gate");
  EXPECT_EQ(d.tracing->sample_ratio, 1.0);
  EXPECT_TRUE(d.tracing->record_principal);
}

TEST(parse, nought_is_the_default) {
  auto p = parse(R"({"upstreams": [{"id": "a", "url": "http://x", "cacheTtlMs": 0,
                     "timeouts": {"connectMs": 0, "requestMs": -0.0}, "maxResponseBytes": 0}],
                     "server": {"maxBodyBytes": 0}, "routing": {"pageSize": 0},
                     "auth": {"ema": {"idpIssuer": "https://i", "signingKeyRef": "K",
                                      "tokenTtlSec": 0}},
                     "discovery": {"url": "https://r", "intervalMs": 0}})");
  EXPECT_EQ(lines(p.problems), std::vector<std::string>{});
  upstream standard;
  standard.id = "a";
  standard.url = "http://x";
  EXPECT_EQ(p.doc.upstreams.at(0), standard);
  EXPECT_EQ(p.doc.server, server_section{});
  EXPECT_EQ(p.doc.routing, routing_section{});
  EXPECT_EQ(p.doc.auth.ema->token_ttl, seconds(600));
  EXPECT_EQ(p.doc.discovery->interval, milliseconds(30'000));
}

TEST(parse, nought_is_itself_where_it_has_a_meaning) {
  auto p = parse(R"({"tracing": {"otlpEndpoint": "http://o", "sampleRatio": 0}})");
  EXPECT_EQ(lines(p.problems), std::vector<std::string>{});
  EXPECT_EQ(p.doc.tracing->sample_ratio, 0.0);
}

TEST(parse, claims_keep_their_type) {
  auto p = parse(R"({"policy": {"rules": [{"id": "r", "allow": [{"server": "*"}], "subjects":
    {"claims": {"s": "x", "i": 3, "d": 1.5, "b": true, "whole": 4.0}}}]}})");
  ASSERT_EQ(lines(p.problems), std::vector<std::string>{});
  auto& claims = p.doc.policy->rules.at(0).subjects->claims;
  EXPECT_EQ(claims["s"], claim_value("x"));
  EXPECT_EQ(claims["i"], claim_value(std::int64_t{3}));
  EXPECT_EQ(claims["d"], claim_value(1.5));
  EXPECT_EQ(claims["b"], claim_value(true));
  EXPECT_EQ(claims["whole"], claim_value(std::int64_t{4}));
}

class parse_refuses : public ::testing::TestWithParam<bad> {};

TEST_P(parse_refuses, with_pointer_and_sentence) {
  const auto& b = GetParam();
  auto p = parse(b.text);
  EXPECT_TRUE(has(p.problems, b.pointer, b.part)) << b.text;
  EXPECT_EQ(p.problems.size(), 1U) << b.text;
}

INSTANTIATE_TEST_SUITE_P(
    types, parse_refuses,
    ::testing::Values(
        bad{"[]", "", "expected an object, found an array"},
        bad{R"({"upstreams": {}})", "/upstreams", "expected an array, found an object"},
        bad{R"({"upstreams": [7]})", "/upstreams/0", "expected an object, found an integer"},
        bad{upstream_with(R"("url": null)"), "/upstreams/0/url", "expected a string, found null"},
        bad{upstream_with(R"("urls": ["http://x", true])"), "/upstreams/0/urls/1",
            "expected a string, found a boolean"},
        bad{upstream_with(R"("labels": {"a/b": 1})"), "/upstreams/0/labels/a~1b",
            "expected a string, found an integer"},
        bad{upstream_with(R"("timeouts": {"connectMs": "1"})"), "/upstreams/0/timeouts/connectMs",
            "expected an integer, found a string"},
        bad{upstream_with(R"("timeouts": {"connectMs": 1.5})"), "/upstreams/0/timeouts/connectMs",
            "expected an integer, found 1.5"},
        bad{R"({"server": {"console": {"enabled": 1}}})", "/server/console/enabled",
            "expected true or false, found an integer"},
        bad{R"({"tracing": {"otlpEndpoint": "http://x", "sampleRatio": "1"}})",
            "/tracing/sampleRatio", "expected a number, found a string"},
        bad{R"({"tenants": [{"id": "t", "subjects": {"claims": {"c": []}}}]})",
            "/tenants/0/subjects/claims/c", "expected a string, number or boolean"},
        // Rounded, they would match tokens that say other numbers.
        bad{R"({"tenants": [{"id": "t", "subjects": {"claims": {"c": 18446744073709551615}}}]})",
            "/tenants/0/subjects/claims/c", "too large"},
        bad{R"({"tenants": [{"id": "t", "subjects": {"claims": {"c": -1e300}}}]})",
            "/tenants/0/subjects/claims/c", "too large"}));

INSTANTIATE_TEST_SUITE_P(
    values, parse_refuses,
    ::testing::Values(
        bad{upstream_with(R"("protocol": "sesion")"), "/upstreams/0/protocol",
            R"(expected one of "session", "auto", "2026-07-28", found "sesion")"},
        bad{upstream_with(R"("protocol": 1)"), "/upstreams/0/protocol", "found an integer"},
        bad{upstream_with(R"("timeouts": {"requestMs": -1})"), "/upstreams/0/timeouts/requestMs",
            "-1 is out of bounds: 0 to 2147483647, or 0 for the default 60000"},
        bad{upstream_with(R"("cacheTtlMs": 2147483648)"), "/upstreams/0/cacheTtlMs",
            "out of bounds"},
        bad{upstream_with(R"("cacheTtlMs": 18446744073709551615)"), "/upstreams/0/cacheTtlMs",
            "18446744073709551615 is out of bounds"},
        bad{upstream_with(R"("cacheTtlMs": 1e300)"), "/upstreams/0/cacheTtlMs",
            "1e+300 is out of bounds"},
        bad{upstream_with(R"("budget": {"upstreamCalls": 0})"), "/upstreams/0/budget/upstreamCalls",
            "0 is out of bounds: 1 to"},
        bad{upstream_with(R"("budget": {"upstreamCalls": 1, "period": "week"})"),
            "/upstreams/0/budget/period", R"("hour", "day", "month")"},
        bad{R"({"discovery": {"url": "https://x", "intervalMs": 999}})", "/discovery/intervalMs",
            "999 is out of bounds: 1000 to"},
        bad{R"({"tracing": {"otlpEndpoint": "http://x", "sampleRatio": 1.01}})",
            "/tracing/sampleRatio", "1.01 is out of bounds: 0 to 1"},
        bad{R"({"tracing": {"otlpEndpoint": "http://x", "sampleRatio": -1}})",
            "/tracing/sampleRatio", "-1 is out of bounds: 0 to 1"},
        bad{upstream_with(R"("url": "")"), "/upstreams/0/url", "must not be empty"},
        bad{upstream_with(R"("urls": [])"), "/upstreams/0/urls", "must not be empty"},
        bad{upstream_with(R"("namespace": "a_b")"), "/upstreams/0/namespace",
            "lower-case letters, digits and hyphens"},
        bad{upstream_with(R"("namespace": "")"), "/upstreams/0/namespace", "must consist of"},
        bad{R"({"upstreams": [{"id": "A"}]})", "/upstreams/0/id", "lower-case letters"},
        bad{R"({"tenants": [{"id": "a b", "subjects": {}}]})", "/tenants/0/id",
            "lower-case letters"},
        bad{R"({"routing": {"namespaceSeparator": "-"}})", "/routing/namespaceSeparator",
            "must not be empty nor contain"},
        bad{R"({"routing": {"namespaceSeparator": ""}})", "/routing/namespaceSeparator",
            "must not be empty"},
        bad{R"({"routing": {"namespaceSeparator": "_x_"}})", "/routing/namespaceSeparator",
            "lower-case"},
        bad{R"({"server": {"allowedHosts": []}})", "/server/allowedHosts", "must not be empty"}));

INSTANTIATE_TEST_SUITE_P(
    fields, parse_refuses,
    ::testing::Values(bad{R"({"upstreams": [{}]})", "/upstreams/0/id", "required field is missing"},
                      bad{R"({"audit": {}})", "/audit/sinks", "required field is missing"},
                      bad{R"({"policy": {"rules": [{"id": "r"}]}})", "/policy/rules/0/allow",
                          "required field is missing"},
                      bad{R"({"upstream": []})", "/upstream",
                          R"(unknown field; did you mean "upstreams"?)"},
                      bad{upstream_with(R"("namespce": "x")"), "/upstreams/0/namespce",
                          R"(did you mean "namespace"?)"},
                      bad{upstream_with(R"("timeouts": {"connectms": 1})"),
                          "/upstreams/0/timeouts/connectms", R"(did you mean "connectMs"?)"},
                      bad{upstream_with(R"("owner": {"zzz": 1})"), "/upstreams/0/owner/zzz",
                          "unknown field; known here: org, team, contact"},
                      bad{upstream_with(R"("a~/b": 1)"), "/upstreams/0/a~0~1b", "unknown field"},
                      bad{upstream_with(R"("stdio": {})"), "/upstreams/0/stdio", "gate-stdio"},
                      bad{upstream_with(R"("env": {})"), "/upstreams/0/env", "gate-stdio"},
                      bad{upstream_with(R"("type": "http")"), "/upstreams/0/type", "\"url\""},
                      bad{upstream_with(R"("headers": {})"), "/upstreams/0/headers", "\"auth\""},
                      bad{upstream_with(R"("port": 1)"), "/upstreams/0/port", "\"url\""},
                      bad{R"({"mcpServers": {}})", "/mcpServers", "\"upstreams\""},
                      bad{R"({"upstreams": [], "port": 1})", "/port", "--port"},
                      bad{R"({"server": {"host": "x"}})", "/server/host", "--host"}));

INSTANTIATE_TEST_SUITE_P(
    duplicates, parse_refuses,
    ::testing::Values(
        bad{R"({"routing": {}, "upstreams": [], "routing": {}})", "/routing", "duplicate field"},
        bad{R"({"upstreams": [{"id": "a"}, {"id": "b", "id": "c"}]})", "/upstreams/1/id",
            "duplicate field"},
        bad{upstream_with(R"("labels": {"x": "1", "y": "2", "\u0078": "3"})"),
            "/upstreams/0/labels/x", "duplicate field"},
        bad{R"({"policy": {"rules": [{"id": "r", "allow": [{"server": "*", "server": "*"}]}]}})",
            "/policy/rules/0/allow/0/server", "duplicate field"}));

INSTANTIATE_TEST_SUITE_P(
    syntax, parse_refuses,
    ::testing::Values(
        bad{"", "", "the document is empty"}, bad{" \n\t ", "", "the document is empty"},
        bad{"\xEF\xBB\xBF{}", "", "byte order mark"},
        bad{"{\"a\":\n [1,2,}", "", "line 2, column 7: not valid JSON (syntax error)"},
        bad{"{\n\n\"a\" 1}", "", "line 3, column 5: not valid JSON"},
        bad{"{\"upstreams\":", "", "line 1, column 14: the document ends in the middle"},
        bad{"{} {}", "", "line 1, column 4: something follows the document"},
        bad{"{\"a\": \"\xff\"}", "", "line 1, column 8: not valid JSON"},
        bad{"{// no\n}", "", "line 1, column 2: not valid JSON"},
        bad{"{\"a\":" + std::string(128, '[') + std::string(128, ']') + "}", "",
            "nested deeper than 128 levels"}));

TEST(parse, depth_limit_itself_is_allowed) {
  auto p = parse("{\"a\":" + std::string(127, '[') + std::string(127, ']') + "}");
  ASSERT_EQ(p.problems.size(), 1U);
  EXPECT_TRUE(has(p.problems, "/a", "unknown field"));
}

TEST(parse, reports_everything_at_once) {
  auto p = parse(R"({
    "upstreams": [{"id": "A", "url": 5, "nspace": "x", "timeouts": {"connectMs": 1.5, "oops": 1}},
                  {"url": "http://x", "url": "http://y"}],
    "auth": {"mode": "on"}})");
  EXPECT_EQ(lines(p.problems),
            (std::vector<std::string>{
                "/upstreams/1/url: duplicate field: keep one of them",
                "/upstreams/0/id: must consist of lower-case letters, digits and hyphens",
                "/upstreams/0/url: expected a string, found an integer",
                "/upstreams/0/timeouts/connectMs: expected an integer, found 1.5",
                "/upstreams/0/timeouts/oops: unknown field; known here: connectMs, "
                "requestMs, maxRequestMs, streamIdleMs",
                "/upstreams/0/nspace: unknown field; did you mean \"namespace\"?",
                "/upstreams/1/id: required field is missing",
                "/auth/mode: expected one of \"disabled\", \"required\", found \"on\"",
            }));
}

TEST(parse, never_quotes_what_may_be_a_secret) {
  auto p = load(upstream_with(R"("url": "https://user:hunter2@x/",
      "auth": {"strategy": "static", "secretRef": "hunter2!", "header": "hunter2:"})"));
  EXPECT_EQ(p.problems.size(), 3U);
  for (const auto& line : lines(p.problems)) {
    EXPECT_EQ(line.find("hunter2"), std::string::npos) << line;
  }
}

/// Whoever mends what is told asks again; nobody reads more, and there may be one a byte.
TEST(parse, tells_of_so_many_problems_and_no_more) {
  std::string unknown = "{", twice = R"({"labels": {)";
  for (int i = 0; i < 3000; ++i) {
    unknown += R"("x)" + std::to_string(i) + R"(": 1, )";
    twice += R"("x": "", )";
  }
  EXPECT_EQ(parse(unknown + R"("y": 1})").problems.size(), limits::config_problems);
  EXPECT_EQ(parse(twice + R"("x": ""}})").problems.size(), limits::config_problems);
}

TEST(parse, bounds_lists) {
  std::string text = R"({"upstreams": [{})";
  for (std::size_t i = 0; i < limits::upstreams; ++i) text += ",{}";
  auto p = parse(text + "]}");
  EXPECT_TRUE(has(p.problems, "/upstreams", "10001 entries are too many: at most 10000"));
  EXPECT_EQ(p.problems.size(), 1U) << "none of them is looked at";
  text = R"("urls": ["http://x0")";
  for (std::size_t i = 1; i <= limits::endpoints; ++i)
    text += R"(,"http://x)" + std::to_string(i) + '"';
  EXPECT_TRUE(has(parse(upstream_with(text + "]")).problems, "/upstreams/0/urls", "too many"));
}

/// The pointers of what is inside a long name are made for problems only: else this would take
/// minutes.
TEST(parse, long_names_cost_what_they_are_long) {
  const std::string name(1'000'000, 'n');
  std::string inside;
  for (int i = 0; i < 100'000; ++i) inside += (i ? ",\"x" : "\"x") + std::to_string(i) + "\":1";
  auto p = parse("{\"" + name + "\":{" + inside + ",\"x7\":2}}");
  ASSERT_EQ(p.problems.size(), 2U);
  EXPECT_EQ(p.problems[0].pointer, "/" + name.substr(0, limits::pointer_key_bytes) + ".../x7");
  EXPECT_EQ(p.problems[1].pointer, "/" + name.substr(0, limits::pointer_key_bytes) + "...");
}

TEST(problem, pointers_end_between_characters) {
  std::string key(limits::pointer_key_bytes - 1, 'k');
  EXPECT_EQ(join_pointer("/a", key + "\xC3\xA4" + "rest"), "/a/" + key + "...");
  EXPECT_EQ(join_pointer("", key + "~"), "/" + key + "~0");
  EXPECT_EQ(join_pointer("", std::string(1000, '\x80')), "/...");
}

}  // namespace
}  // namespace gate::config
