/// The rules of config/rules/access.cpp: auth, policy, tenants.
#include "config/validate.hpp"
#include "tests/config/support.hpp"

namespace gate::config {
namespace {

using namespace testing;

class access_rules : public ::testing::TestWithParam<rule_case> {};

TEST_P(access_rules, hold) {
  expect_rule(GetParam());
}

std::string auth_with(std::string_view members) {
  return R"({"auth": {)" + std::string(members) + "}}";
}

std::string ema_for(std::string_view seconds) {
  return auth_with(R"("ema": {"idpIssuer": "https://i", "signingKeyRef": "K",
                              "tokenTtlSec": )" +
                   std::string(seconds) + "}");
}

INSTANTIATE_TEST_SUITE_P(
    auth, access_rules,
    ::testing::Values(
        rule_case{plain, auth_with(R"("mode": "disabled")")},
        rule_case{secured, auth_with(R"("resource": null)"), "/auth/resource", "required"},
        rule_case{secured, auth_with(R"("resource": "urn:x")"), "/auth/resource", "usable URL"},
        rule_case{secured, auth_with(R"("resource": "https://h/#f")"), "/auth/resource",
                  "fragment"},
        rule_case{secured, auth_with(R"("issuers": [])"), "/auth/issuers", "at least one issuer"},
        rule_case{secured, auth_with(R"("issuers": null, "ema": {"idpIssuer": "https://i",
                                        "signingKeyRef": "K"})")},
        rule_case{secured, auth_with(R"("issuers": [{"issuer": "https://i", "mode": "exchange"}],
                                        "ema": {"idpIssuer": "https://i",
                                                "signingKeyRef": "K"})")},
        rule_case{secured, auth_with(R"("issuers": [{"issuer": "https://i"},
                                           {"issuer": "https://j", "mode": "exchange"}])"),
                  "/auth/issuers/1/mode", R"(needs "auth.ema")"},
        rule_case{secured,
                  auth_with(R"("issuers": [{"issuer": "https://i"}, {"issuer": "https://i"}])"),
                  "/auth/issuers/1/issuer", "same issuer as /auth/issuers/0"},
        rule_case{secured, auth_with(R"("issuers": [{"issuer": "https://i?x=1"}])"),
                  "/auth/issuers/0/issuer", "query"},
        rule_case{plain, auth_with(R"("resource": "https://r", "ema": {"idpIssuer": "https://i",
                                      "signingKeyRef": "K"})"),
                  "/auth/mode", R"(must be "required")"},
        rule_case{secured, auth_with(R"("resource": null, "mode": "disabled")")},
        rule_case{secured,
                  auth_with(R"("ema": {"idpIssuer": "https://i", "signingKeyRef": "k k"})"),
                  "/auth/ema/signingKeyRef", "environment variable"},
        rule_case{secured, ema_for("1")}, rule_case{secured, ema_for("86400")},
        rule_case{secured, ema_for("0")},
        rule_case{secured, ema_for("86401"), "/auth/ema/tokenTtlSec", "1 to 86400"},
        rule_case{secured, ema_for("-1"), "/auth/ema/tokenTtlSec", "0 for the default 600"},
        // The same issuer twice, once for each way in, is a usual arrangement.
        rule_case{secured, auth_with(R"("issuers": [{"issuer": "https://i", "mode": "direct"}],
                                        "ema": {"idpIssuer": "https://i",
                                                "signingKeyRef": "K"})")}));

INSTANTIATE_TEST_SUITE_P(
    policy, access_rules,
    ::testing::Values(
        rule_case{plain, R"({"policy": {}})"},
        rule_case{plain, R"({"policy": {"rules": [{"id": "r", "allow": [{"server": "*"}]},
                                                  {"id": "s", "allow": [{"server": "a"}]}]}})"},
        rule_case{plain, R"({"policy": {"rules": [{"id": "r", "allow": [{"server": "aa"}]}]}})",
                  "/policy/rules/0/allow/0/server", R"(no upstream has the id "aa")"},
        rule_case{plain, R"({"policy": {"rules": [{"id": "r", "allow": [{"server": "aa"}]}]},
                             "discovery": {"url": "https://r"}})"},
        rule_case{plain, R"({"policy": {"rules": [{"id": "r", "allow": [{"server": "a"}]},
                                                  {"id": "r", "allow": [{"server": "a"}]}]}})",
                  "/policy/rules/1/id", "taken by /policy/rules/0"},
        rule_case{plain, R"({"policy": {"rules": [{"id": "r", "allow": []}]}})",
                  "/policy/rules/0/allow", "must not be empty"},
        rule_case{plain, R"({"policy": {"rules": [{"id": "r", "subjects": {},
                                                   "allow": [{"server": "a"}]}]}})"}));

std::string grant_of(std::string_view methods) {
  return R"({"policy": {"rules": [{"id": "r", "allow": [{"server": "a", "methods": [)" +
         std::string(methods) + "]}]}]}}";
}
constexpr std::string_view first_method = "/policy/rules/0/allow/0/methods/0";

/// What would have no effect in a grant is refused, with what to do instead.
INSTANTIATE_TEST_SUITE_P(
    methods, access_rules,
    ::testing::Values(
        rule_case{plain, grant_of(R"("tools/call", "prompts/get", "resources/read",
                                     "resources/subscribe")")},
        rule_case{plain, grant_of(R"("tools/call", "tool/call")"),
                  "/policy/rules/0/allow/0/methods/1", R"(did you mean "tools/call"?)"},
        rule_case{plain, grant_of(R"("everything")"), std::string(first_method),
                  "known here: tools/call, prompts/get, resources/read, resources/subscribe"},
        rule_case{plain, grant_of(R"("*")"), std::string(first_method), "leave \"methods\" out"},
        rule_case{plain, grant_of(R"("")"), std::string(first_method), "must not be empty"},
        rule_case{plain, grant_of(R"("tools/list")"), std::string(first_method),
                  "\"tools/list\" is never judged: a list shows"},
        rule_case{plain, grant_of(R"("tasks/list")"), std::string(first_method), "a list shows"},
        rule_case{plain, grant_of(R"("completion/complete")"), std::string(first_method),
                  R"(name "prompts/get" or "resources/read")"},
        rule_case{plain, grant_of(R"("tasks/result")"), std::string(first_method),
                  "not judged by its name"},
        rule_case{plain, grant_of(R"("resources/unsubscribe")"), std::string(first_method),
                  "may always be ended"},
        rule_case{plain, grant_of(R"("ping")"), std::string(first_method), "never judged"},
        rule_case{plain, grant_of(R"("notifications/progress")"), std::string(first_method),
                  "never judged"}));

std::string tenants(std::string_view first, std::string_view second = {}) {
  auto out = R"({"tenants": [{"id": "s", )" + std::string(first) + "}";
  if (!second.empty()) out += R"(, {"id": "t", )" + std::string(second) + "}";
  return out + "]}";
}

INSTANTIATE_TEST_SUITE_P(
    tenants, access_rules,
    ::testing::Values(
        rule_case{secured, tenants(R"("subjects": {"subs": ["x"]}, "upstreams": ["a", "b"])")},
        rule_case{secured, tenants(R"("subjects": {"claims": {"org": 7}})")},
        rule_case{secured, tenants(R"("subjects": {})"), "/tenants/0/subjects", "selector"},
        rule_case{secured, tenants(R"("subjects": {"subs": [], "claims": {}})"),
                  "/tenants/0/subjects", "selector"},
        rule_case{secured, tenants(R"("subjects": {"subs": ["x"]}, "upstreams": ["z"])"),
                  "/tenants/0/upstreams/0", R"(no upstream has the id "z")"},
        rule_case{secured, R"({"discovery": {"url": "https://r"}, "tenants":
                     [{"id": "s", "subjects": {"subs": ["x"]}, "upstreams": ["z"]}]})"},
        rule_case{secured, R"({"tenants": [{"id": "s", "subjects": {"subs": ["x"]}},
                                           {"id": "s", "subjects": {"subs": ["y"]}}]})",
                  "/tenants/1/id", "taken by /tenants/0"},
        rule_case{secured,
                  tenants(R"("subjects": {"groups": ["x"]})",
                          R"("subjects": {"groups": ["y", "x"], "subs": ["q"]})"),
                  "/tenants/1/subjects", "at most one tenant"},
        rule_case{secured,
                  tenants(R"("subjects": {"claims": {"org": 7}})",
                          R"("subjects": {"claims": {"org": 7}})"),
                  "/tenants/1/subjects", "at most one tenant"},
        rule_case{secured, tenants(R"("subjects": {"groups": ["x"], "claims": {"org": 7}})",
                                   R"("subjects": {"groups": ["x"], "claims": {"org": 8}})")},
        rule_case{secured,
                  tenants(R"("subjects": {"groups": ["x"]})", R"("subjects": {"groups": ["y"]})")},
        rule_case{secured,
                  tenants(R"("subjects": {"groups": ["x"]})", R"("subjects": {"subs": ["x"]})")},
        rule_case{secured, tenants(R"("subjects": {"groups": ["x", "x"]})")},
        rule_case{secured,
                  tenants(R"("subjects": {"issuers": ["https://login.example.com"]})",
                          R"("subjects": {"issuers": ["https://login.example.com"]})"),
                  "/tenants/1/subjects", "principals of /tenants/0 too"}));

TEST(access, thousands_of_tenants_are_no_matter) {
  document d;
  d.upstreams.emplace_back();
  for (int i = 0; i < 10'000; ++i) {
    auto& t = d.tenants.emplace_back();
    t.id = "t" + std::to_string(i);
    t.subjects.groups = {"g" + std::to_string(i), "h" + std::to_string(i)};
  }
  d.tenants.back().subjects.groups[1] = "g7";
  std::vector<std::string> found;
  for (const auto& p : validate(d)) {
    if (p.pointer.starts_with("/tenants")) found.push_back(to_line(p));
  }
  EXPECT_EQ(found, std::vector<std::string>{
                       "/tenants/9999/subjects: selects principals of /tenants/7 too: a principal "
                       "belongs to at most one tenant"});
}

}  // namespace
}  // namespace gate::config
