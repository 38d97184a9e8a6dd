#include "protocol/mcp/json_schema.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gate::mcp {
namespace {

/// Writes down what it is told.
struct recorder {
  std::string said;
  void enter() { said += '('; }
  void leave() { said += ')'; }
  void keyword(std::string_view key, json::cursor& at) {
    said.append(key).append("=").append(at.value()) += ' ';
  }
  void down(std::string_view keyword, std::string_view name) {
    said.append(keyword).append(name.empty() ? "" : ".").append(name);
  }
  void up() { said += '/'; }
  void unseen(std::string_view raw) { said.append("<").append(raw).append(">"); }
};

std::string walk(std::string_view text) {
  recorder v;
  json::cursor c(text, {json::deepest, false});
  walk_schema(c, v);
  EXPECT_TRUE(c.ok()) << text;
  EXPECT_EQ(c.peek(), '\0') << text << ": all of it is consumed";
  return v.said;
}

TEST(json_schema, keywords_hold_schemas_or_values) {
  for (const auto& k : schema_keywords) {
    EXPECT_EQ(subschemas_of(k.name, '{'), k.of_object);
    EXPECT_EQ(subschemas_of(k.name, '['), k.of_array);
    EXPECT_EQ(subschemas_of(k.name, 't'), subschemas::none);
  }
  for (const auto data : {"const", "default", "enum", "examples", "type", "$ref", "x-other", ""})
    EXPECT_EQ(subschemas_of(data, '{'), subschemas::none) << data;
  EXPECT_EQ(subschemas_of(R"(\u006eot)", '{'), subschemas::one);
}

TEST(json_schema, is_walked_in_the_order_of_its_text) {
  EXPECT_EQ(walk("{}"), "()");
  EXPECT_EQ(walk("true"), "<true>");
  EXPECT_EQ(walk("[{}]"), "<[{}]>");
  EXPECT_EQ(
      walk(R"({"type":"object","properties":{"a":{"type":"string"},"b":false}, "x":{"not":{}}})"),
      R"((type="object" properties.a(type="string" )/properties.b<false>/x={"not":{}} ))");
  EXPECT_EQ(walk(R"({"allOf":[ {},true],"items":[{}],"not":{}})"),
            "(allOf()/allOf<true>/items()/not()/)");
  EXPECT_EQ(walk(R"({"items":{},"dependencies":{"a":["b"],"c":{}},"properties":7})"),
            R"((items()/dependencies.a<["b"]>/dependencies.c()/properties=7 ))");
}

TEST(json_schema, is_not_entered_too_deeply) {
  std::string text = "{}";
  for (std::uint32_t i = 0; i < limits::schema_depth; ++i) text = R"({"not":)" + text + "}";
  const auto said = walk(text);
  EXPECT_NE(said.find("<{}>"), said.npos);
  EXPECT_EQ(walk(text.substr(7, text.size() - 8)).find('<'), std::string::npos);
}

}  // namespace
}  // namespace gate::mcp
