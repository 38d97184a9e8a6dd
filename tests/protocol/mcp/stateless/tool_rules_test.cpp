#include "protocol/mcp/stateless/tool_rules.hpp"

#include <gtest/gtest.h>

namespace gate::mcp::stateless {
namespace {

list_item named(std::string name, std::string_view more) {
  auto raw = R"({"name":")" + name + "\"" + std::string(more) + "}";
  return {std::move(name), std::move(raw)};
}

item_list some_tools() {
  return {
      named("plain", ""),
      named("right", R"(,"inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}})"),
      named("wrong", R"(,"inputSchema":{"properties":{"a":{"type":"number","x-mcp-header":"A"}}})"),
      named("list", R"(,"outputSchema":{"type":"array"})"),
      named("worse", R"(,"inputSchema":{"x-mcp-header":""})")};
}

std::string names(const item_list& of) {
  std::string out;
  for (const auto& tool : of) out += tool.key + ' ';
  return out;
}

TEST(tool_rules, of_a_stateless_server) {
  auto tools = some_tools();
  const auto unusable = take_rules(tools, era::stateless);
  EXPECT_EQ(names(tools), "plain right list ");
  EXPECT_EQ(unusable.count, 2U);
  EXPECT_EQ(unusable.first, "wrong");
  EXPECT_EQ(unusable.why, "x-mcp-header is not on a string, an integer or a boolean");
  EXPECT_FALSE(tools[0].rules);
  ASSERT_TRUE(tools[1].rules);
  EXPECT_EQ(tools[1].rules->headers, (param_headers{{"A", {"a"}}}));
  EXPECT_EQ(tools[1].rules->wrapped, "");
  ASSERT_TRUE(tools[2].rules);
  EXPECT_TRUE(tools[2].rules->headers.empty());
  EXPECT_NE(tools[2].rules->wrapped.find(R"("result":{"type":"array"})"), std::string::npos);
}

TEST(tool_rules, of_a_server_with_sessions) {
  auto tools = some_tools();
  EXPECT_EQ(take_rules(tools, era::session).count, 0U);
  EXPECT_EQ(names(tools), "plain right wrong list worse ");
  ASSERT_TRUE(tools[1].rules);
  EXPECT_EQ(tools[1].rules->headers.size(), 1U);
  for (const auto i : {0, 2, 3, 4}) EXPECT_FALSE(tools[static_cast<std::size_t>(i)].rules) << i;
}

TEST(tool_rules, items_are_the_same_if_they_are_to_everybody) {
  auto a = some_tools(), b = some_tools();
  EXPECT_TRUE(same_item(a[3], b[3]));
  EXPECT_FALSE(same_item(a[3], b[0]));
  take_rules(a, era::stateless);
  EXPECT_FALSE(same_item(a[2], b[3])) << "one is wrapped for some";
  take_rules(b, era::stateless);
  EXPECT_TRUE(same_item(a[2], b[2]));
}

}  // namespace
}  // namespace gate::mcp::stateless
