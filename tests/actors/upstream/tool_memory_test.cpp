#include "actors/upstream/tool_memory.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

/// With something to know about it, or not.
mcp::list_item tool(std::string name, bool rules = true) {
  mcp::list_item out{std::move(name), "{}"};
  mcp::stateless::tool_rules known;
  if (rules) known.headers = {{"Count", {"count"}}};
  out.rules = std::make_shared<const mcp::stateless::tool_rules>(std::move(known));
  return out;
}

TEST(tool_memory, knows_the_latest_list) {
  tool_memory m;
  EXPECT_TRUE(m.empty());
  EXPECT_EQ(m.version(), 0U);
  const auto first = tool("ns__a");
  m.learn({first, tool("ns__b"), tool("ns__plain", false)}, 4);
  ASSERT_TRUE(m.find("a"));
  EXPECT_FALSE(m.find("a")->wrapped);
  EXPECT_TRUE(m.find("b"));
  EXPECT_FALSE(m.find("plain"));
  EXPECT_FALSE(m.find("ns__a"));
  EXPECT_EQ(m.version(), 1U);
  auto second = tool("ns__a");
  mcp::stateless::tool_rules other;
  other.wraps = true;
  other.headers = {{"Region", {"region"}}};
  second.rules = std::make_shared<const mcp::stateless::tool_rules>(other);
  m.learn({second, tool("ns__b", false)}, 4);
  EXPECT_TRUE(m.find("a")->wrapped);
  EXPECT_EQ(m.find("a")->headers, other.headers);
  EXPECT_FALSE(m.find("b")) << "it has lost what there was to know";
  EXPECT_EQ(m.version(), 2U);
}

TEST(tool_memory, keeps_what_another_caller_was_listed) {
  tool_memory m;
  m.learn({tool("a")}, 0);
  m.learn({tool("b")}, 0);
  EXPECT_TRUE(m.find("a"));
  EXPECT_TRUE(m.find("b"));
}

TEST(tool_memory, keeps_nothing_of_the_list_itself) {
  tool_memory m;
  std::weak_ptr<const mcp::stateless::tool_rules> text;
  {
    const auto listed = tool("a");
    text = listed.rules;
    m.learn({listed}, 0);
  }
  EXPECT_TRUE(text.expired());
  EXPECT_TRUE(m.find("a"));
}

TEST(tool_memory, is_bounded) {
  tool_memory m;
  for (std::size_t i = 0; i < limits::known_tools; ++i) m.learn({tool(std::to_string(i))}, 0);
  EXPECT_EQ(m.size(), limits::known_tools);
  m.learn({tool("7")}, 0);
  EXPECT_EQ(m.size(), limits::known_tools);
  m.learn({tool("new")}, 0);
  EXPECT_EQ(m.size(), 1U);
  EXPECT_TRUE(m.find("new"));
}

}  // namespace
}  // namespace gate::upstream
