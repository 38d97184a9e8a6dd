#include "config/unsupported.hpp"

#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

std::vector<std::string> pointers(const std::string& text) {
  auto p = load(text);
  EXPECT_EQ(lines(p.problems), std::vector<std::string>{}) << text;
  std::vector<std::string> out;
  for (const auto& u : unsupported(p)) out.push_back(u.pointer);
  return out;
}

using list = std::vector<std::string>;

TEST(unsupported, what_this_build_has_is_not_named) {
  EXPECT_EQ(pointers(std::string(plain)), list{});
  EXPECT_EQ(pointers(upstream_with(R"("urls": ["http://x"], "namespace": "n",
      "protocol": "session", "owner": {"org": "o"}, "labels": {"k": "v"},
      "auth": {"strategy": "none"}, "timeouts": {"connectMs": 1, "requestMs": 2},
      "cacheTtlMs": -1, "maxResponseBytes": 9)")),
            list{});
  EXPECT_EQ(pointers(patched(plain, R"({"auth": {"mode": "disabled"},
      "audit": {"sinks": [{"type": "stdout"}, {"type": "webhook", "url": "https://x"},
                          {"type": "file", "path": "p"}]},
      "server": {"mcpPath": "/m", "allowedHosts": ["h"], "maxBodyBytes": 1, "keepAliveMs": 2,
                 "sessionIdleTimeoutMs": 3, "publicUrl": "https://h", "redisUrl": "redis://h"},
      "routing": {"namespaceSeparator": "_", "pageSize": 5}})")),
            list{});
}

TEST(unsupported, identity_and_policy_are_here) {
  EXPECT_EQ(pointers(std::string(secured)), list{});
  EXPECT_EQ(pointers(patched(secured, R"({"auth": {"issuers": null, "ema":
                {"idpIssuer": "https://i", "signingKeyRef": "K", "tokenTtlSec": 9}}})")),
            list{});
  EXPECT_EQ(pointers(patched(secured, R"({"policy": {"rules": []}, "tenants":
                [{"id": "t", "subjects": {"subs": ["s"]}, "upstreams": ["a"]}]})")),
            list{});
  for (const auto* auth :
       {R"({"strategy": "static", "secretRef": "S", "header": "X-Key", "scheme": ""})",
        R"({"strategy": "passthrough"})",
        R"({"strategy": "client-credentials", "tokenEndpoint": "https://t", "clientId": "c",
            "clientAuth": {"type": "client_secret_basic", "secretRef": "S"}, "scopes": ["s"],
            "resource": "https://r"})",
        R"({"strategy": "token-exchange", "tokenEndpoint": "https://t", "clientId": "c",
            "clientAuth": {"type": "client_secret_post", "secretRef": "S"}, "scopes": ["s"],
            "audience": "https://a"})"}) {
    EXPECT_EQ(pointers(patched(secured, R"({"upstreams": [{"id": "a", "url": "https://x",
                  "namespace": "a", "auth": )" +
                                            std::string(auth) + "}]}")),
              list{});
  }
}

TEST(unsupported, guards_are_here) {
  EXPECT_EQ(pointers(upstream_with(R"("urls": ["http://x", "http://y"],
      "timeouts": {"streamIdleMs": 1}, "circuitBreaker": {"failureThreshold": 1},
      "rateLimit": {"requestsPerMinute": 1}, "budget": {"upstreamCalls": 1},
      "healthCheck": {"intervalMs": 1})")),
            list{});
  EXPECT_EQ(pointers(patched(secured, R"({"tenants": [{"id": "t", "subjects": {"subs": ["s"]},
                "budget": {"upstreamCalls": 1}, "rateLimit": {"requestsPerMinute": 0}}],
                "server": {"rateLimit": {"requestsPerMinute": 1, "perPrincipalPerMinute": 1},
                           "budget": {"upstreamCalls": 1, "period": "day"}}})")),
            list{});
}

TEST(unsupported, discovery_is_here) {
  EXPECT_EQ(pointers(patched(plain, R"({"discovery": {"url": "https://r", "intervalMs": 1000,
                "bearerSecretRef": "B", "allowedAuthStrategies": ["static"],
                "allowedSecretRefs": ["S"], "allowedCredentialHosts": ["h"],
                "allowedUpstreamHosts": ["*.h"], "minHealthCheckIntervalMs": 5}})")),
            list{});
}

TEST(unsupported, reads_as_one_line) {
  auto found = unsupported(load(patched(plain, R"({"server": {"console": {}}})")));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(to_line(found[0]), "not supported by this build: /server/console");
}

struct use {
  std::string text;
  list expected;
};

class unsupported_use : public ::testing::TestWithParam<use> {};

TEST_P(unsupported_use, is_named) {
  EXPECT_EQ(pointers(GetParam().text), GetParam().expected);
}

std::string with(std::string_view members) {
  return upstream_with(R"("url": "http://x", )" + std::string(members));
}

INSTANTIATE_TEST_SUITE_P(upstream, unsupported_use,
                         ::testing::Values(use{with(R"("protocol": "auto")"), {}},
                                           use{with(R"("protocol": "2026-07-28")"), {}}));

INSTANTIATE_TEST_SUITE_P(
    sections, unsupported_use,
    ::testing::Values(use{patched(plain, R"({"policy": {"rules": []}, "tenants": [], "tracing":
                {"otlpEndpoint": "http://o", "serviceName": "s", "sampleRatio": 0.5,
                 "recordPrincipal": false}, "discovery": {"url": "https://r"}})"),
                          {}},
                      // Presence counts, even of the default.
                      use{patched(plain, R"({"server": {
                "introspection": {"enabled": true}, "console": {"enabled": true}}})"),
                          {}}));

}  // namespace
}  // namespace gate::config
