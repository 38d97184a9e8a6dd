#include "config/validate.hpp"

#include "protocol/endpoints.hpp"
#include "protocol/limits.hpp"
#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

class validate_rules : public ::testing::TestWithParam<rule_case> {};

TEST_P(validate_rules, hold) {
  expect_rule(GetParam());
}

std::string one_upstream(std::string_view members) {
  return R"({"upstreams": [{"id": "a", )" + std::string(members) + "}]}";
}

std::string with_auth(std::string_view auth) {
  return R"({"upstreams": [{"id": "a", "url": "http://x/mcp", "auth": )" + std::string(auth) +
         "}]}";
}

INSTANTIATE_TEST_SUITE_P(
    upstreams, validate_rules,
    ::testing::Values(
        rule_case{plain, "{}"}, rule_case{secured, "{}"},
        rule_case{plain, R"({"upstreams": []})", "/upstreams", "at least one upstream"},
        rule_case{plain, R"({"upstreams": null})", "/upstreams", "at least one upstream"},
        rule_case{plain, R"({"upstreams": [], "discovery": {"url": "https://r.example.com"}})"},
        rule_case{plain, R"({"upstreams": null, "discovery": {"url": "https://r.example.com"}})"},
        rule_case{plain, one_upstream(R"("namespace": "a")"), "/upstreams/0", "neither"},
        rule_case{plain, one_upstream(R"("url": "http://x", "urls": ["http://y"])"), "/upstreams/0",
                  "both"},
        rule_case{plain, one_upstream(R"("urls": ["http://x", "https://y:8443/mcp?k=1"])")},
        rule_case{plain, one_upstream(R"("urls": ["http://x", "http://y", "http://x"])"),
                  "/upstreams/0/urls/2", "same endpoint as /urls/0"},
        rule_case{plain, one_upstream(R"("url": "http://x", "timeouts": {"requestMs": 5,
                  "maxRequestMs": 5})")},
        rule_case{plain, one_upstream(R"("url": "http://x", "timeouts": {"requestMs": 5,
                  "maxRequestMs": 4})"),
                  "/upstreams/0/timeouts/maxRequestMs", "below requestMs"},
        rule_case{plain, one_upstream(R"("url": "http://x", "timeouts": {"maxRequestMs": 59999})"),
                  "/upstreams/0/timeouts/maxRequestMs", "below requestMs"},
        rule_case{plain, one_upstream(R"("url": "ftp://x")"), "/upstreams/0/url", "usable URL"},
        rule_case{plain, one_upstream(R"("url": "http://u:p@x")"), "/upstreams/0/url", "user"},
        rule_case{plain, one_upstream(R"("urls": ["http://x", "x"])"), "/upstreams/0/urls/1",
                  "usable URL"},
        rule_case{plain, one_upstream(R"("url": "http://x", "namespace": "only-0")")},
        rule_case{plain, R"({"upstreams": [{"id": "a", "url": "http://x", "namespace": "a"},
                                           {"id": "b", "url": "http://y"}]})",
                  "/upstreams/1/namespace", "more than one upstream"},
        rule_case{plain, R"({"upstreams": [{"id": "a", "url": "http://x", "namespace": "a"},
                                           {"id": "a", "url": "http://y", "namespace": "b"}]})",
                  "/upstreams/1/id", R"("a" is taken by /upstreams/0)"},
        rule_case{plain, R"({"upstreams": [{"id": "a", "url": "http://x", "namespace": "n"},
                                           {"id": "b", "url": "http://x", "namespace": "n"}]})",
                  "/upstreams/1/namespace", R"("n" is taken by /upstreams/0)"},
        rule_case{plain, R"({"routing": {"namespaceSeparator": "_T."}})"}));

constexpr std::string_view client =
    R"("tokenEndpoint": "https://t.example.com/token", "clientId": "c",
       "clientAuth": {"type": "client_secret_post", "secretRef": "S"})";

std::string strategy(std::string_view name, std::string_view members) {
  return with_auth(R"({"strategy": ")" + std::string(name) + '"' + std::string(members) + "}");
}

std::string client_strategy(std::string_view name, std::string_view more) {
  return strategy(name, ", " + std::string(client) + std::string(more));
}

INSTANTIATE_TEST_SUITE_P(
    strategies, validate_rules,
    ::testing::Values(
        rule_case{plain, strategy("none", "")},
        rule_case{plain, strategy("none", R"(, "secretRef": "S")"), "/upstreams/0/auth/secretRef",
                  R"(no meaning with strategy "none")"},
        rule_case{plain, strategy("static", R"(, "secretRef": "S")")},
        rule_case{plain, strategy("static", R"(, "secretRef": "S", "header": "X-Key",
                                               "scheme": "")")},
        rule_case{plain, strategy("static", ""), "/upstreams/0/auth/secretRef", "required"},
        rule_case{plain, strategy("static", R"(, "secretRef": "S", "clientId": "c")"),
                  "/upstreams/0/auth/clientId", "no meaning"},
        rule_case{plain, strategy("static", R"(, "secretRef": "S", "header": "X Key")"),
                  "/upstreams/0/auth/header", "not a header name"},
        rule_case{plain, strategy("static", R"(, "secretRef": "S", "header": "X\r\nY")"),
                  "/upstreams/0/auth/header", "not a header name"},
        rule_case{plain, strategy("static", R"(, "secretRef": "S", "header": "Host")"),
                  "/upstreams/0/auth/header", "sets this header itself"},
        rule_case{plain, strategy("static", R"(, "secretRef": "S", "scheme": "a b")"),
                  "/upstreams/0/auth/scheme", "authentication scheme"},
        rule_case{secured, strategy("passthrough", "")},
        rule_case{plain, strategy("passthrough", ""), "/upstreams/0/auth/strategy",
                  R"("mode": "required")"},
        rule_case{secured, strategy("passthrough", R"(, "scheme": "Bearer")"),
                  "/upstreams/0/auth/scheme", "no meaning"},
        rule_case{plain, client_strategy("client-credentials", "")},
        rule_case{plain, client_strategy("client-credentials",
                                         R"(, "scopes": ["a:b", "c"], "resource": "https://r")")},
        rule_case{plain, client_strategy("client-credentials", R"(, "scopes": ["a b"])"),
                  "/upstreams/0/auth/scopes/0", "not a scope"},
        rule_case{plain, client_strategy("client-credentials", R"(, "audience": "x")"),
                  "/upstreams/0/auth/audience", "no meaning"},
        rule_case{plain, client_strategy("client-credentials", R"(, "resource": "r")"),
                  "/upstreams/0/auth/resource", "usable URL"},
        rule_case{secured, client_strategy("token-exchange", R"(, "audience": "x")")},
        rule_case{secured, client_strategy("token-exchange", ""), "/upstreams/0/auth/audience",
                  "required"},
        rule_case{
            secured,
            client_strategy("token-exchange", R"(, "audience": "x", "resource": "https://r")"),
            "/upstreams/0/auth/resource", "no meaning"},
        rule_case{plain, client_strategy("token-exchange", R"(, "audience": "x")"),
                  "/upstreams/0/auth/strategy", R"("mode": "required")"}));

TEST(validate, what_belongs_to_a_signature_has_no_meaning_with_a_secret) {
  const auto with = [](std::string_view client_auth) {
    return load(strategy("client-credentials",
                         R"(, "tokenEndpoint": "https://as.example.com/t", "clientId": "c",
                            "clientAuth": )" +
                             std::string(client_auth)))
        .problems;
  };
  const std::string more = R"("secretRef": "S", "keyId": "k", "audience": "a"})";
  EXPECT_EQ(lines(with(R"({"type": "private_key_jwt", )" + more)), std::vector<std::string>{});
  EXPECT_EQ(lines(with(R"({"type": "private_key_jwt", "secretRef": "S"})")),
            std::vector<std::string>{});
  const auto found = with(R"({"type": "client_secret_basic", )" + more);
  EXPECT_EQ(found.size(), 2U);
  for (auto key : {"keyId", "audience"})
    EXPECT_TRUE(has(found, "/upstreams/0/auth/clientAuth/" + std::string(key), "no meaning"));
}

TEST(validate, client_strategies_name_all_that_is_missing) {
  auto p = load(strategy("client-credentials", ""));
  EXPECT_EQ(p.problems.size(), 3U);
  for (auto key : {"tokenEndpoint", "clientId", "clientAuth"}) {
    EXPECT_TRUE(has(p.problems, "/upstreams/0/auth/" + std::string(key), "required"));
  }
}

/// Every URL that must be https, with the rest of a document around it.
struct mandate {
  std::string_view base;
  std::string before;
  std::string after;
  std::string pointer;
  bool takes_ipv6 = true;
};

class validate_https : public ::testing::TestWithParam<mandate> {};

TEST_P(validate_https, loopback_is_exempt) {
  const auto& m = GetParam();
  auto with = [&](std::string_view url) {
    return load(patched(m.base, m.before + '"' + std::string(url) + '"' + m.after)).problems;
  };
  for (auto good : {"https://h.example.com/x", "http://localhost:81/x", "http://127.8.9.1/x",
                    "http://[::1]:81/x"}) {
    if (!m.takes_ipv6 && std::string_view(good).find('[') != std::string_view::npos) continue;
    EXPECT_EQ(lines(with(good)), std::vector<std::string>{}) << m.pointer << " " << good;
  }
  for (auto bad : {"http://h.example.com/x", "http://10.0.0.1/x", "http://localhost.evil.com/"}) {
    EXPECT_TRUE(has(with(bad), m.pointer, "must be https")) << bad;
  }
  for (auto bad : {"x", "https://", "https://h#f", "redis://h"}) {
    EXPECT_TRUE(has(with(bad), m.pointer, "not a usable URL")) << bad;
  }
}

INSTANTIATE_TEST_SUITE_P(
    mandates, validate_https,
    ::testing::Values(
        mandate{secured, R"({"auth": {"issuers": [{"issuer": )", "}]}}", "/auth/issuers/0/issuer"},
        mandate{secured, R"({"auth": {"issuers": [{"issuer": "https://i", "jwksUri": )", "}]}}",
                "/auth/issuers/0/jwksUri"},
        mandate{secured, R"({"auth": {"ema": {"signingKeyRef": "K", "idpIssuer": )", "}}}",
                "/auth/ema/idpIssuer"},
        mandate{secured,
                R"({"auth": {"ema": {"signingKeyRef": "K", "idpIssuer": "https://i",
                                     "idpJwksUri": )",
                "}}}", "/auth/ema/idpJwksUri"},
        mandate{plain,
                R"({"upstreams": [{"id": "a", "url": "http://x", "auth":
                    {"strategy": "client-credentials", "clientId": "c",
                     "clientAuth": {"type": "client_secret_post", "secretRef": "S"},
                     "tokenEndpoint": )",
                "}}]}", "/upstreams/0/auth/tokenEndpoint"},
        mandate{plain, R"({"discovery": {"url": )", "}}", "/discovery/url"},
        mandate{secured,
                R"({"server": {"introspection": {"enabled": true}, "console": {"enabled": true,
                    "oauth": {"clientId": "c", "issuer": )",
                "}}}}", "/server/console/oauth/issuer", false}));

std::string server(std::string_view members) {
  return R"({"server": {)" + std::string(members) + "}}";
}

std::string path(std::string_view p) {
  return server(R"("mcpPath": ")" + std::string(p) + '"');
}

INSTANTIATE_TEST_SUITE_P(
    server, validate_rules,
    ::testing::Values(
        rule_case{plain, path("/")}, rule_case{plain, path("/v1/mcp")},
        rule_case{plain, path("/healthy")}, rule_case{plain, path("/api/mcp")},
        rule_case{plain, path("mcp"), "/server/mcpPath", "must begin with"},
        rule_case{plain, path("/m cp"), "/server/mcpPath", "plain path"},
        rule_case{plain, path("/mcp?x"), "/server/mcpPath", "plain path"},
        rule_case{plain, path("/%6dcp"), "/server/mcpPath", "plain path"},
        rule_case{plain, path("/a/../b"), "/server/mcpPath", "segments"},
        rule_case{plain, path("/health"), "/server/mcpPath", "collides"},
        rule_case{plain, path("/healthz"), "/server/mcpPath", "collides"},
        rule_case{plain, path("/metrics"), "/server/mcpPath", "collides"},
        rule_case{plain, path("/oauth/token"), "/server/mcpPath", "collides"},
        rule_case{plain, path("/api/federation"), "/server/mcpPath", "collides"},
        rule_case{plain, path("/console/x"), "/server/mcpPath", "collides"},
        rule_case{plain, path("/.well-known/x"), "/server/mcpPath", "collides"},
        rule_case{plain, server(R"("allowedHosts": ["*"])")},
        rule_case{plain, server(R"("allowedHosts": ["mcp.example.com", "10.0.0.1", "[::1]",
                                                    "fe80::1", "LOCALHOST"])")},
        rule_case{plain, server(R"("allowedHosts": ["a.example", "*"])"), "/server/allowedHosts/1",
                  "only entry"},
        rule_case{plain, server(R"("allowedHosts": ["a.example:80"])"), "/server/allowedHosts/0",
                  "without scheme, port"},
        rule_case{plain, server(R"("allowedHosts": ["https://a.example"])"),
                  "/server/allowedHosts/0", "not a host name"},
        rule_case{plain, server(R"("allowedHosts": ["*.example.com"])"), "/server/allowedHosts/0",
                  "wildcard"},
        rule_case{plain, server(R"("publicUrl": "http://gate.internal:8080/base")")},
        rule_case{plain, server(R"("publicUrl": "gate.example.com")"), "/server/publicUrl",
                  "usable URL"},
        rule_case{plain, server(R"("redisUrl": "redis://cache:6379/3")")},
        rule_case{plain, server(R"("redisUrl": "redis://[::1]")")},
        rule_case{plain, server(R"("redisUrl": "http://cache")"), "/server/redisUrl", "redis://"},
        rule_case{plain, server(R"("redisUrl": "rediss://cache")")},
        rule_case{plain, server(R"("redisUrl": "unix:///run/redis.sock")")},
        rule_case{plain, server(R"("redisUrl": "unix://run")"), "/server/redisUrl", "absolute"},
        rule_case{plain, server(R"("redisUrl": "unix://u:pw@/run")"), "/server/redisUrl",
                  "REDIS_URL"},
        rule_case{plain, server(R"("redisUrl": "redis://:pw@cache")"), "/server/redisUrl",
                  "REDIS_URL"},
        rule_case{plain, server(R"("redisUrl": "redis://cache/x")"), "/server/redisUrl",
                  "database number"},
        rule_case{plain, server(R"("redisUrl": "redis://cache:0")"), "/server/redisUrl", "port"},
        rule_case{plain, server(R"("introspection": {"enabled": true}, "console":
                                   {"enabled": true})")},
        rule_case{plain, server(R"("console": {"enabled": true})"), "/server/console/enabled",
                  "introspection"},
        rule_case{plain, server(R"("console": {"enabled": false})")},
        rule_case{secured, server(R"("introspection": {"enabled": true, "groups": ["g"]})")},
        rule_case{plain, server(R"("introspection": {"enabled": true, "groups": ["g"]})"),
                  "/server/introspection/groups", R"("mode": "required")"},
        rule_case{secured, server(R"("console": {"oauth": {"clientId": "c"}})")},
        rule_case{plain, server(R"("console": {"oauth": {"clientId": "c"}})"),
                  "/server/console/oauth/issuer", "exactly one direct issuer"},
        rule_case{secured,
                  server(R"("console": {"oauth": {"clientId": "c", "issuer": "https://[::1]/x"}})"),
                  "/server/console/oauth/issuer", "IPv6"},
        rule_case{secured, R"({"auth": {"issuers": [{"issuer": "https://[2001:db8::1]"}]},
                               "server": {"console": {"oauth": {"clientId": "c"}}}})",
                  "/server/console/oauth/issuer", "IPv6"},
        rule_case{secured, server(R"("console": {"oauth": {"clientId": "c", "scopes": [" "]}})"),
                  "/server/console/oauth/scopes/0", "not a scope"}));

std::string sinks(std::string_view list) {
  return R"({"audit": {"sinks": [)" + std::string(list) + "]}}";
}

INSTANTIATE_TEST_SUITE_P(
    audit, validate_rules,
    ::testing::Values(
        rule_case{plain, sinks("")}, rule_case{plain, sinks(R"({"type": "stdout"})")},
        rule_case{plain, sinks(R"({"type": "stdout"}, {"type": "stdout"})"), "/audit/sinks/1",
                  "already the sink /audit/sinks/0"},
        rule_case{plain, sinks(R"({"type": "stdout", "url": "https://x"})"), "/audit/sinks/0/url",
                  R"(no meaning for a "stdout" sink)"},
        rule_case{plain, sinks(R"({"type": "webhook", "url": "https://x", "headers":
                                   {"X-A": "b\tc"}})")},
        rule_case{plain, sinks(R"({"type": "webhook"})"), "/audit/sinks/0/url", "required"},
        rule_case{plain, sinks(R"({"type": "webhook", "url": "x"})"), "/audit/sinks/0/url",
                  "usable URL"},
        rule_case{plain, sinks(R"({"type": "webhook", "url": "https://x", "path": "/p"})"),
                  "/audit/sinks/0/path", "no meaning"},
        rule_case{plain, sinks(R"({"type": "webhook", "url": "https://x", "headers":
                                   {"X A": "b"}})"),
                  "/audit/sinks/0/headers/X A", "not a header name"},
        rule_case{plain, sinks(R"({"type": "webhook", "url": "https://x", "headers":
                                   {"X-A": "b\r\nEvil: 1"}})"),
                  "/audit/sinks/0/headers/X-A", "line breaks"},
        rule_case{plain, sinks(R"({"type": "webhook", "url": "https://x", "headers":
                                   {"content-length": "1"}})"),
                  "/audit/sinks/0/headers/content-length", "sets this header itself"},
        rule_case{plain, sinks(R"({"type": "webhook", "url": "http://127.0.0.1:9/x"})")},
        rule_case{plain, sinks(R"({"type": "webhook", "url": "https://10.0.0.5/events"})")},
        rule_case{plain, sinks(R"({"type": "webhook", "url": "http://x.test"})"),
                  "/audit/sinks/0/url", "https"},
        rule_case{plain,
                  sinks(R"({"type": "webhook", "url": "https://x", "bearerSecretRef": "T"})")},
        rule_case{plain, sinks(R"({"type": "webhook", "url": "https://x", "bearerSecretRef": "T",
                                   "headers": {"authorization": "Basic x"}})"),
                  "/audit/sinks/0/headers/authorization", "bearerSecretRef"},
        rule_case{plain, sinks(R"({"type": "stdout", "bearerSecretRef": "T"})"),
                  "/audit/sinks/0/bearerSecretRef", "no meaning"},
        rule_case{plain, sinks(R"({"type": "file", "path": "/p", "maxBytes": 1048576},
                                  {"type": "file", "path": "/q"})")},
        rule_case{plain, sinks(R"({"type": "file", "path": "/p"}, {"type": "file", "path": "/p"})"),
                  "/audit/sinks/1/path", "another sink"},
        rule_case{plain, sinks(R"({"type": "file", "path": "/a/p"},
                                  {"type": "file", "path": "/a/./b/../p"})"),
                  "/audit/sinks/1/path", "another sink"},
        rule_case{plain, sinks(R"({"type": "file", "path": "p"}, {"type": "file", "path": "p.1"})"),
                  "/audit/sinks/1/path", "predecessor"},
        rule_case{plain, sinks(R"({"type": "file", "path": "p.1"}, {"type": "file", "path": "p"})"),
                  "/audit/sinks/1/path", "predecessor"},
        rule_case{plain, sinks(R"({"type": "file", "path": "p\u0000q"})"), "/audit/sinks/0/path",
                  "NUL"},
        rule_case{plain, sinks(R"({"type": "stdout", "maxBytes": 1048576})"),
                  "/audit/sinks/0/maxBytes", "no meaning"},
        rule_case{plain, sinks(R"({"type": "file", "path": "/p"})")},
        rule_case{plain, sinks(R"({"type": "file"})"), "/audit/sinks/0/path", "required"},
        rule_case{plain, sinks(R"({"type": "file", "path": "/p", "headers": {}})"),
                  "/audit/sinks/0/headers", "no meaning"}));

std::string discovery(std::string_view members) {
  return R"({"discovery": {"url": "https://r.example.com")" + std::string(members) + "}}";
}

INSTANTIATE_TEST_SUITE_P(
    discovery, validate_rules,
    ::testing::Values(
        rule_case{plain, discovery("")},
        rule_case{plain, discovery(R"(, "allowedAuthStrategies": ["none"])")},
        rule_case{plain, discovery(R"(, "allowedSecretRefs": [])")},
        rule_case{plain, discovery(R"(, "allowedAuthStrategies": ["none", "static"])"),
                  "/discovery/allowedCredentialHosts", "required"},
        rule_case{plain, discovery(R"(, "allowedSecretRefs": ["S"])"),
                  "/discovery/allowedCredentialHosts", "required"},
        rule_case{plain, discovery(R"(, "allowedSecretRefs": ["S"], "allowedCredentialHosts":
                                      ["a.example.com", "*.b.example.com"])")},
        rule_case{plain, discovery(R"(, "allowedSecretRefs": ["a-b"], "allowedCredentialHosts":
                                      ["h"])"),
                  "/discovery/allowedSecretRefs/0", "environment variable"},
        rule_case{plain, discovery(R"(, "allowedCredentialHosts": ["https://a"])"),
                  "/discovery/allowedCredentialHosts/0", "not a host"},
        rule_case{plain, discovery(R"(, "allowedCredentialHosts": ["*"])"),
                  "/discovery/allowedCredentialHosts/0", "not a host"},
        rule_case{plain, discovery(R"(, "allowedUpstreamHosts": ["a.*.com"])"),
                  "/discovery/allowedUpstreamHosts/0", "not a host"},
        rule_case{plain, discovery(R"(, "allowedAuthStrategies": ["basic"])"),
                  "/discovery/allowedAuthStrategies/0", "expected one of"}));

INSTANTIATE_TEST_SUITE_P(
    tracing, validate_rules,
    ::testing::Values(rule_case{plain, R"({"tracing": {"otlpEndpoint": "http://collector:4318"}})"},
                      rule_case{plain, R"({"tracing": {"otlpEndpoint": "collector:4318"}})",
                                "/tracing/otlpEndpoint", "usable URL"},
                      rule_case{plain, R"({"tracing": {}})", "/tracing/otlpEndpoint",
                                "required field"}));

TEST(load, leaves_every_endpoint_its_path) {
  for (const auto& e : endpoints) {
    for (const auto& p : {std::string(e.path), std::string(e.path) + "/x"}) {
      const bool taken = p == e.path || e.tree || p.starts_with("/.well-known/");
      expect_rule(taken ? rule_case{plain, path(p), "/server/mcpPath", "collides"}
                        : rule_case{plain, path(p)});
    }
  }
}

TEST(load, reports_structure_and_rules_together) {
  auto p = load(R"({
    "upstreams": [{"id": "a", "url": "ftp://x", "oops": 1}, {"id": "a", "url": "http://x"}],
    "server": {"mcpPath": "mcp", "maxBodyBytes": -1}})");
  EXPECT_EQ(p.problems.size(), 7U);
  EXPECT_TRUE(has(p.problems, "/upstreams/0/oops", "unknown field"));
  EXPECT_TRUE(has(p.problems, "/upstreams/0/url", "not a usable URL"));
  EXPECT_TRUE(has(p.problems, "/upstreams/0/namespace", "required"));
  EXPECT_TRUE(has(p.problems, "/upstreams/1/namespace", "required"));
  EXPECT_TRUE(has(p.problems, "/upstreams/1/id", "is taken"));
  EXPECT_TRUE(has(p.problems, "/server/mcpPath", "must begin"));
  EXPECT_TRUE(has(p.problems, "/server/maxBodyBytes", "out of bounds"));
}

TEST(load, does_not_complain_about_what_follows_from_an_unreadable_field) {
  // The id cannot be read, so nobody knows whether the rule's server exists.
  auto p = load(R"({"upstreams": [{"id": 7, "url": "http://x"}],
                    "policy": {"rules": [{"id": "r", "allow": [{"server": "a"}]}]}})");
  EXPECT_EQ(lines(p.problems),
            std::vector<std::string>{"/upstreams/0/id: expected a string, found an integer"});
  // Neither of "has no url" and "acts for the caller" is known.
  p = load(R"({"upstreams": [{"id": "a", "url": 7, "auth": {"strategy": "passthrough"}}],
               "auth": {"mode": "requird"}})");
  EXPECT_EQ(p.problems.size(), 2U);
  EXPECT_EQ(load("{").problems.size(), 1U);
}

/// Nobody reads sixteen thousand lines; how many there are tells how to go about it.
TEST(load, tells_of_so_many_problems_and_how_many_more_there_are) {
  std::string wrong, bare;
  constexpr std::size_t many = 8000;
  for (std::size_t i = 0; i < many; ++i) {
    wrong += (i ? "," : "") + std::string(R"({"id":1})");
    bare += (i ? "," : "") + (R"({"id":"u)" + std::to_string(i) + R"("})");
  }
  for (const auto& [text, found] :
       {std::pair(wrong, many), std::pair(bare, 2 * many)}) {  // bare: no url, no namespace
    const auto problems = load(R"({"upstreams":[)" + text + "]}").problems;
    ASSERT_EQ(problems.size(), limits::config_problems + 1);
    EXPECT_EQ(problems[0].pointer.substr(0, 13), "/upstreams/0/");
    EXPECT_EQ(problems.back().pointer, "");
    EXPECT_TRUE(problems.back().what.ends_with("more: mend these first"));
    const auto more = std::stoul(problems.back().what.substr(4));
    EXPECT_GE(more + limits::config_problems, found);
  }
}

TEST(load, tells_of_all_problems_if_they_are_not_that_many) {
  std::string text;
  for (std::size_t i = 0; i < limits::config_problems; ++i)
    text += (i ? R"(,"x)" : R"("x)") + std::to_string(i) + R"(":1)";
  const auto p = load(R"({"upstreams":[{"id":"a","url":"http://a",)" + text + "}]}").problems;
  ASSERT_EQ(p.size(), limits::config_problems);
  EXPECT_NE(p.back().pointer, "");
}

TEST(problem, pointers_are_escaped) {
  EXPECT_EQ(join_pointer("/a", "b/c~d"), "/a/b~1c~0d");
  EXPECT_EQ(to_line({"/a", "is wrong"}), "/a: is wrong");
  EXPECT_EQ(to_line({"", "is empty"}), "is empty");
}

}  // namespace
}  // namespace gate::config
