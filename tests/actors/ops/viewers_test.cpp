#include "actors/ops/viewers.hpp"

#include <gtest/gtest.h>

#include "actors/ops/auth_hint.hpp"
#include "config/validate.hpp"

namespace gate::ops {
namespace {

config::snapshot_ptr compiled(const std::string& more) {
  auto parsed =
      config::load(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],)" + more + "}");
  for (const auto& p : parsed.problems) ADD_FAILURE() << config::to_line(p);
  return config::compile(std::move(parsed.doc));
}
const std::string required =
    R"("auth":{"mode":"required","resource":"https://g","issuers":[{"issuer":"https://i"}]})";

identity::access of(std::vector<std::string> groups) {
  auto who = std::make_shared<identity::caller>();
  who->who.issuer = "https://i";
  who->who.subject = "s";
  who->who.groups = std::move(groups);
  identity::access out;
  out.caller = std::move(who);
  return out;
}

TEST(viewers, are_operators_where_nobody_says_who_they_are) {
  const auto s = compiled(R"("server":{"introspection":{"enabled":true}})");
  EXPECT_TRUE(is_operator(*s, {}));
  EXPECT_TRUE(may_view(*s, {}));
  EXPECT_TRUE(events_for(*s, {}).all);
}

TEST(viewers, are_operators_by_their_groups) {
  const auto s =
      compiled(required + R"(,"server":{"introspection":{"enabled":true,"groups":["x","ops"]}})");
  for (const auto& groups : std::vector<std::vector<std::string>>{
           {"ops"}, {"a", "x"}, {}, {"op"}, {"OPS"}, {"ops "}, {""}}) {
    const auto who = of(groups);
    const bool yes =
        groups == std::vector<std::string>{"ops"} || groups == std::vector<std::string>{"a", "x"};
    EXPECT_EQ(is_operator(*s, who), yes);
    EXPECT_EQ(may_view(*s, who), yes);
    EXPECT_EQ(events_for(*s, who).all, yes);
    EXPECT_EQ(events_for(*s, who).subject, yes ? "" : "s");
  }
}

TEST(viewers, without_groups_see_and_are_no_operators) {
  const auto s = compiled(required + R"(,"server":{"introspection":{"enabled":true}})");
  const auto who = of({"ops"});
  EXPECT_FALSE(is_operator(*s, who));
  EXPECT_TRUE(may_view(*s, who));
  EXPECT_EQ(events_for(*s, who).issuer, "https://i");
}

TEST(auth_hint, says_where_mcp_is) {
  for (const auto& before : {std::string(), required + ','})
    EXPECT_NE(auth_hint(compiled(before + R"("server":{"mcpPath":"/v1/mcp"})")->doc)
                  .find(R"("mcpPath":"/v1/mcp")"),
              std::string::npos);
}

TEST(auth_hint, says_how_to_sign_in) {
  EXPECT_EQ(auth_hint(compiled(R"("server":{})")->doc),
            R"({"authRequired":false,"mcpPath":"/mcp"})");
  EXPECT_EQ(auth_hint(compiled(required)->doc),
            R"({"authRequired":true,"mcpPath":"/mcp","resource":"https://g"})");
  EXPECT_EQ(
      auth_hint(compiled(required + R"(,"server":{"console":{"oauth":{"clientId":"c"}}})")->doc),
      R"({"authRequired":true,"mcpPath":"/mcp","resource":"https://g",)"
      R"("oauth":{"issuer":"https://i","clientId":"c"}})");
  EXPECT_EQ(auth_hint(compiled(required + R"(,"server":{"console":{"oauth":{"clientId":"c\"",
                "issuer":"https://j","scopes":["a","b"]}}})")
                          ->doc),
            R"({"authRequired":true,"mcpPath":"/mcp","resource":"https://g",)"
            R"("oauth":{"issuer":"https://j","clientId":"c\"","scopes":["a","b"]}})");
}

}  // namespace
}  // namespace gate::ops
