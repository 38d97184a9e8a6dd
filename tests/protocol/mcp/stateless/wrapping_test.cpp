#include "protocol/mcp/stateless/wrapping.hpp"

#include <gtest/gtest.h>

#include "protocol/json/scan.hpp"

namespace gate::mcp::stateless {
namespace {

std::string tool(std::string_view schema) {
  return R"({"name":"x", "outputSchema": )" + std::string(schema) + R"( ,"n":1.50})";
}
std::string wrapped_schema(std::string_view inner) {
  return R"({"type":"object","properties":{"result":)" + std::string(inner) +
         R"(},"required":["result"]})";
}

TEST(wrapping, tools_whose_values_are_objects_stay) {
  for (const auto& as_it_is :
       {tool(R"({"type":"object"})"), tool(R"({"properties":{},"type":"obj\u0065ct"})"),
        std::string(R"({"name":"x"})"), std::string(R"({"name":"outputSchema"})")})
    EXPECT_FALSE(wrap_tool(as_it_is)) << as_it_is;
}

TEST(wrapping, schemas_of_other_values_are_of_a_member) {
  for (const auto schema :
       {R"({"type":"array","items":{"type":"number"}})", "true", "false", "{}", "null",
        R"({"type":["object"]})", R"({"anyOf":[{"type":"object"}]})", R"({"const":1.50})"})
    EXPECT_EQ(wrap_tool(tool(schema)), tool(wrapped_schema(schema)));
}

TEST(wrapping, references_follow) {
  const auto becomes = [](std::string_view from, std::string_view to) {
    EXPECT_EQ(wrap_tool(tool(from)), tool(wrapped_schema(to))) << from;
  };
  becomes(R"({"$ref":"#"})", R"({"$ref":"#/properties/result"})");
  becomes(R"({"$ref":"#/$defs/a","$defs":{"a":{"items":{"$dynamicRef":"#\/$defs\/a"}}}})",
          R"({"$ref":"#/properties/result/$defs/a","$defs":{"a":{"items":)"
          R"({"$dynamicRef":"#/properties/result/$defs/a"}}}})");
  becomes(
      R"({"anyOf":[{"$ref":"#/x"},{"not":{"$ref":"#/y"}}]})",
      R"({"anyOf":[{"$ref":"#/properties/result/x"},{"not":{"$ref":"#/properties/result/y"}}]})");
}

TEST(wrapping, what_is_no_reference_to_the_schema_itself_stays) {
  for (const auto schema :
       {R"({"$ref":"https://a.test/b#/c"})", R"({"$ref":"#anchor"})", R"({"$ref":"other.json"})",
        R"({"$ref":7})", R"({"const":{"$ref":"#/a"}})", R"({"enum":[{"$ref":"#/a"}]})",
        R"({"default":{"$ref":"#"},"examples":[{"$ref":"#"}]})",
        R"({"properties":{"$ref":{"const":"#/a"}}})"})
    EXPECT_EQ(wrap_tool(tool(schema)), tool(wrapped_schema(schema)));
}

TEST(wrapping, references_below_a_name_of_its_own_stay) {
  for (const auto schema : {R"({"$id":"https://a.test/x","$ref":"#/a"})",
                            R"({"$ref":"#/a","items":{"$ref":"#/b"},"$id":"https://a.test/x"})"})
    EXPECT_EQ(wrap_tool(tool(schema)), tool(wrapped_schema(schema)));
  const auto mixed =
      R"({"$ref":"#/a","$defs":{"n":{"not":{"$ref":"#/b"},"$id":"n"}},"if":{"$ref":"#/c"}})";
  const auto moved = R"({"$ref":"#/properties/result/a","$defs":{"n":{"not":{"$ref":"#/b"},)"
                     R"("$id":"n"}},"if":{"$ref":"#/properties/result/c"}})";
  EXPECT_EQ(wrap_tool(tool(mixed)), tool(wrapped_schema(moved)));
}

std::optional<std::string> wrapped_result(const std::string& raw, bool known) {
  return wrap_result(raw, tool_result(raw), known);
}

TEST(wrapping, of_results) {
  const auto text = [](std::string_view of) {
    return R"([{"type":"text","text":)" + json::quoted(of) + "}]";
  };
  for (const std::string value : {"[1,2.50]", "7e0", "\"a\\u0062\"", "null", "true"})
    for (const bool known : {true, false}) {
      EXPECT_EQ(
          wrapped_result(R"({"content":[{}],"structuredContent":)" + value + R"(,"x":1.0})", known),
          R"({"content":[{}],"structuredContent":{"result":)" + value + R"(},"x":1.0})");
      EXPECT_EQ(
          wrapped_result(R"({"structuredContent": )" + value + "}", known),
          R"({"content":)" + text(value) + R"(,"structuredContent": {"result":)" + value + "}}");
      EXPECT_EQ(
          wrapped_result(R"({"structuredContent":)" + value + R"(,"content":[ ]})", known),
          R"({"structuredContent":{"result":)" + value + R"(},"content":)" + text(value) + "}");
    }
}

TEST(wrapping, of_objects_as_the_schema_was) {
  const std::string result = R"({"content":[{}],"structuredContent":{"a":1.0}})";
  EXPECT_FALSE(wrapped_result(result, false));
  EXPECT_EQ(wrapped_result(result, true),
            R"({"content":[{}],"structuredContent":{"result":{"a":1.0}}})");
  EXPECT_EQ(wrapped_result(R"({"structuredContent":{"a":1.0}})", false),
            R"({"content":[{"type":"text","text":"{\"a\":1.0}"}],"structuredContent":{"a":1.0}})");
}

TEST(wrapping, what_has_no_structure_stays) {
  for (const auto result : {"{}", R"({"content":[]})", R"({"isError":true,"content":[{}]})", "[]"})
    for (const bool known : {true, false}) EXPECT_FALSE(wrapped_result(result, known)) << result;
}

}  // namespace
}  // namespace gate::mcp::stateless
