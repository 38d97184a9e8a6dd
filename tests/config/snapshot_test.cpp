#include "config/snapshot/snapshot.hpp"

#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

snapshot_ptr compiled(std::string_view text) {
  auto p = load(text);
  EXPECT_EQ(lines(p.problems), std::vector<std::string>{});
  return compile(std::move(p.doc));
}

TEST(snapshot, single_upstream_without_namespace_is_passed_through) {
  auto s = compiled(plain);
  EXPECT_EQ(s->generation, 1U);
  EXPECT_TRUE(s->passthrough);
  ASSERT_EQ(s->upstreams.size(), 1U);
  const auto& u = s->upstreams[0];
  EXPECT_EQ(u.id, "a");
  EXPECT_EQ(u.prefix, "");
  EXPECT_EQ(u.endpoint.origin(), "http://127.0.0.1:9001");
  EXPECT_EQ(u.endpoint.target, "/mcp");
  EXPECT_EQ(u.connect, milliseconds(5'000));
  EXPECT_EQ(u.request, milliseconds(60'000));
  EXPECT_EQ(u.cache_ttl, milliseconds(30'000));
  EXPECT_EQ(u.max_response_bytes, 64U * 1024 * 1024);
  EXPECT_EQ(s->page_size, 200U);
  EXPECT_EQ(s->find_namespace(""), nullptr);
  EXPECT_EQ(s->find_namespace("a"), nullptr);
}

TEST(snapshot, namespaces_are_found) {
  auto s = compiled(R"({"upstreams": [
      {"id": "a", "url": "http://x", "namespace": "one", "cacheTtlMs": -1, "labels": {"k": "v"},
       "owner": {"team": "t"}, "timeouts": {"connectMs": 1, "requestMs": 2},
       "maxResponseBytes": 3, "listsPerClient": true},
      {"id": "b", "urls": ["https://y"], "namespace": "two"}],
    "routing": {"namespaceSeparator": "_", "pageSize": -1}})");
  EXPECT_FALSE(s->passthrough);
  EXPECT_TRUE(s->per_client);
  EXPECT_TRUE(s->find("a")->per_client);
  EXPECT_FALSE(s->find("b")->per_client);
  EXPECT_EQ(s->separator, "_");
  EXPECT_EQ(s->page_size, std::nullopt);
  const auto* one = s->find_namespace("one");
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->index, 0U);
  EXPECT_EQ(one->prefix, "one_");
  EXPECT_EQ(one->cache_ttl, std::nullopt);
  EXPECT_EQ(one->labels.at("k"), "v");
  EXPECT_EQ(one->owner->team, "t");
  EXPECT_EQ(one->connect, milliseconds(1));
  EXPECT_EQ(one->request, milliseconds(2));
  EXPECT_EQ(one->max_response_bytes, 3U);
  const auto* two = s->find_namespace(std::string_view("two_tool").substr(0, 3));
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(two->index, 1U);
  EXPECT_TRUE(two->endpoint.tls);
  EXPECT_EQ(s->slots, 2U);
  EXPECT_EQ(s->at(1), two);
  EXPECT_EQ(s->at(2), nullptr);
  EXPECT_EQ(s->find("b"), two);
  EXPECT_EQ(s->find("c"), nullptr);
  EXPECT_EQ(s->find_namespace("three"), nullptr);
  EXPECT_EQ(s->doc.upstreams.size(), 2U);
}

TEST(snapshot, single_upstream_with_namespace_is_not_passed_through) {
  auto s = compiled(upstream_with(R"("url": "http://x", "namespace": "n")"));
  EXPECT_FALSE(s->passthrough);
  ASSERT_NE(s->find_namespace("n"), nullptr);
}

TEST(snapshot, credentials_of_callers_share_no_lists) {
  const auto with_auth = [](std::string_view auth) {
    return compiled(upstream_with(R"("url": "https://x", "cacheTtlMs": 5000, "auth": )" +
                                  std::string(auth)))
        ->upstreams.at(0);
  };
  const auto client = R"("tokenEndpoint": "https://t", "clientId": "c",
      "clientAuth": {"type": "client_secret_basic", "secretRef": "S"})";
  struct row {
    std::string auth;
    auth_strategy strategy;
    bool per_caller;
  };
  for (const auto& [auth, strategy, per_caller] : std::vector<row>{
           {R"({"strategy": "none"})", auth_strategy::none, false},
           {R"({"strategy": "static", "secretRef": "S"})", auth_strategy::fixed, false},
           {R"({"strategy": "client-credentials", )" + std::string(client) + "}",
            auth_strategy::client_credentials, false}}) {
    const auto u = with_auth(auth);
    EXPECT_EQ(u.auth.strategy, strategy);
    EXPECT_EQ(u.per_caller, per_caller) << auth;
    EXPECT_EQ(u.cache_ttl, milliseconds(5'000)) << auth;
  }
  // These need known callers.
  for (const auto& auth : {std::string(R"({"strategy": "passthrough"})"),
                           R"({"strategy": "token-exchange", "audience": "https://a", )" +
                               std::string(client) + "}"}) {
    const auto s = compiled(patched(secured, R"({"upstreams": [{"id": "a", "url": "https://x",
        "namespace": "a", "cacheTtlMs": 5000, "auth": )" +
                                                 auth + "}]}"));
    EXPECT_TRUE(s->upstreams[0].per_caller) << auth;
    EXPECT_EQ(s->upstreams[0].cache_ttl, std::nullopt) << auth;
  }
  const auto s = compiled(upstream_with(R"("url": "https://x", "auth": {"strategy": "static",
      "secretRef": "S", "header": "X-Key"})"));
  EXPECT_EQ(s->upstreams[0].auth.secret_ref, "S");
  EXPECT_EQ(s->upstreams[0].auth.header, "X-Key");
}

TEST(snapshot, policy_and_tenants_are_compiled) {
  auto s = compiled(patched(secured, R"({
    "policy": {"rules": [{"id": "r", "subjects": {"groups": ["g"]},
                          "allow": [{"server": "b", "names": ["get_*"]}]}]},
    "tenants": [{"id": "s", "subjects": {"subs": ["x"]}},
                {"id": "t", "subjects": {"groups": ["g"]}, "upstreams": ["b"]}]})"));
  oauth::principal who;
  who.subject = "ann";
  who.groups = {"g"};
  who.claims = "{}";
  const auto tenant = s->tenants.resolve(&who);
  ASSERT_EQ(tenant.what, tenant_index::state::found);
  ASSERT_EQ(tenant.index, 1U);
  const auto& visible = s->doc.tenants[tenant.index].upstreams;
  const auto view = s->policy.make_view(&who, &*visible, 3);
  EXPECT_FALSE(view->visible(0));
  EXPECT_EQ(view->judge(1, "tools/call", "get_it").rule, "r");
  EXPECT_FALSE(view->judge(1, "tools/call", "set_it").allowed);
  EXPECT_EQ(view->id(), 3U);
}

TEST(snapshot, without_policy_and_tenants_all_is_open) {
  auto s = compiled(secured);
  EXPECT_EQ(s->tenants.resolve(nullptr).what, tenant_index::state::none);
  EXPECT_TRUE(s->policy.make_view(nullptr, nullptr, 3)->open());
  EXPECT_TRUE(s->policy.make_view(nullptr, nullptr, 3)->reaches(1));
}

/// `text_hash.hpp`: a view finds what a string is filed under.
TEST(snapshot, text_hash_is_the_same_for_text_of_either_kind) {
  EXPECT_EQ(text_hash{}(std::string("abc")), text_hash{}(std::string_view("abcd").substr(0, 3)));
}

TEST(snapshot, no_upstream_yet) {
  auto s = compiled(R"({"discovery": {"url": "https://r"}})");
  EXPECT_FALSE(s->passthrough);
  EXPECT_TRUE(s->upstreams.empty());
  EXPECT_EQ(s->slots, 0U);
  EXPECT_EQ(s->at(0), nullptr);
}

TEST(snapshot, guards_are_compiled) {
  const auto bare = compiled(plain)->upstreams.at(0);
  EXPECT_EQ(bare.endpoints.size(), 1U);
  EXPECT_EQ(bare.stream_idle, milliseconds(0));
  EXPECT_EQ(bare.request, milliseconds(60'000));
  EXPECT_EQ(bare.max_request, milliseconds(600'000));
  EXPECT_EQ(bare.breaker, circuit_breaker{});
  EXPECT_EQ(bare.requests_per_minute, 0);
  EXPECT_EQ(bare.budget, std::nullopt);
  EXPECT_EQ(bare.probe_interval, milliseconds(0));
  const auto u = compiled(upstream_with(R"("urls": ["http://x", "https://y:8443/m"],
      "timeouts": {"requestMs": 5, "maxRequestMs": 7, "streamIdleMs": 4},
      "circuitBreaker": {"failureThreshold": 2},
      "rateLimit": {"requestsPerMinute": 3}, "budget": {"upstreamCalls": 5, "period": "hour"},
      "healthCheck": {"intervalMs": 6})"))
                     ->upstreams.at(0);
  ASSERT_EQ(u.endpoints.size(), 2U);
  EXPECT_EQ(u.endpoint.host, "x");
  EXPECT_EQ(u.endpoints[1].authority(), "y:8443");
  EXPECT_EQ(u.stream_idle, milliseconds(4));
  EXPECT_EQ(u.max_request, milliseconds(7));
  EXPECT_EQ(u.breaker.failure_threshold, 2);
  EXPECT_EQ(u.breaker.half_open_after, milliseconds(30'000));
  EXPECT_EQ(u.requests_per_minute, 3);
  EXPECT_EQ(u.budget->period, budget_period::hour);
  EXPECT_EQ(u.probe_interval, milliseconds(6));
}

}  // namespace
}  // namespace gate::config
