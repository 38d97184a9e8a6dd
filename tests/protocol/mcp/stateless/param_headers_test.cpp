#include "protocol/mcp/stateless/param_headers.hpp"

#include <gtest/gtest.h>

#include "protocol/http/received_head.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::mcp::stateless {
namespace {

// --- annotations ---------------------------------------------------------------------------------

std::string schema(std::string_view properties) {
  return R"({"type":"object","properties":{)" + std::string(properties) + "}}";
}

/// What is wrong; empty: nothing.
std::string why(std::string_view raw_schema) {
  const auto read = read_annotations(raw_schema);
  return read ? std::string{} : read.error().what;
}

TEST(annotations, are_found_along_properties) {
  const auto read = read_annotations(
      schema(R"("a":{"type":"string","x-mcp-header":"Region"},"plain":{"type":"string"},)"
             R"("b":{"x-mcp-header":"N","type":"integer"},"c":{"type":"object","properties":{)"
             R"("d\u0065":{"type":"boolean","x-mcp-header":"Deep"}}})"));
  ASSERT_TRUE(read) << read.error().what;
  const param_headers wanted{{"Region", {"a"}}, {"N", {"b"}}, {"Deep", {"c", "de"}}};
  EXPECT_EQ(*read, wanted);
}

TEST(annotations, there_may_be_none) {
  for (const auto text : {"", "true", "{}", "7", R"({"properties":{"x-mcp-header":{}}})"}) {
    const auto read = read_annotations(text);
    ASSERT_TRUE(read) << text;
    EXPECT_TRUE(read->empty()) << text;
  }
}

TEST(annotations, a_property_may_be_called_so) {
  const auto read =
      read_annotations(schema(R"("x-mcp-header":{"type":"string","x-mcp-header":"X-Mcp-Header"})"));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, (param_headers{{"X-Mcp-Header", {"x-mcp-header"}}}));
}

TEST(annotations, in_data_are_none) {
  for (const auto keyword : {"const", "default", "enum", "examples", "x-other", "required"}) {
    const auto text = schema(R"("a":{"type":"object",")" + std::string(keyword) +
                             R"(":[{"x-mcp-header":"","type":"array"}]})");
    EXPECT_EQ(why(text), "") << text;
  }
}

TEST(annotations, are_tokens) {
  for (const auto good : {"a", "A-b_C", "!#$%&'*+-.^_`|~", "0"})
    EXPECT_EQ(why(schema(R"("a":{"type":"string","x-mcp-header":")" + std::string(good) + "\"}")),
              "");
  for (const auto bad : {R"("")", R"("a b")", R"("a:")", R"("\u00e4")", R"("a\r\nEvil: 1")",
                         R"("a\u0000")", "7", "null", "true", "[]", R"({"a":"b"})", "\"(a)\"",
                         R"("a\"")", R"("a/b")", R"("a,b")", R"("\u007f")"})
    EXPECT_EQ(why(schema(R"("a":{"type":"string","x-mcp-header":)" + std::string(bad) + "}")),
              "x-mcp-header is no header name")
        << bad;
}

TEST(annotations, are_on_primitive_types) {
  const auto of = [](std::string_view type) {
    return why(schema(R"("a":{)" + std::string(type) + R"("x-mcp-header":"A"})"));
  };
  for (const auto type : {"string", "integer", "boolean"})
    EXPECT_EQ(of(R"("type":")" + std::string(type) + "\","), "");
  for (const auto type :
       {R"("type":"number",)", R"("type":"object",)", R"("type":"array",)", R"("type":"null",)",
        R"("type":["string"],)", R"("type":["string","null"],)", R"("type":"String",)",
        R"("type":"string","type":"string",)", ""})
    EXPECT_EQ(of(type), "x-mcp-header is not on a string, an integer or a boolean") << type;
}

TEST(annotations, are_unique_whatever_the_case) {
  const auto two = [](std::string_view a, std::string_view b) {
    return why(schema(R"("a":{"type":"string","x-mcp-header":")" + std::string(a) +
                      R"("},"b":{"type":"object","properties":{"c":{"type":"string",)"
                      R"("x-mcp-header":")" +
                      std::string(b) + "\"}}}"));
  };
  EXPECT_EQ(two("A", "B"), "");
  EXPECT_EQ(two("A", "A"), "x-mcp-header names the same header as another");
  EXPECT_EQ(two("Ab", "aB"), "x-mcp-header names the same header as another");
  EXPECT_EQ(why(schema(R"("a":{"type":"string","x-mcp-header":"A","x-mcp-h\u0065ader":"B"})")),
            "x-mcp-header is there twice in one schema");
}

TEST(annotations, are_reached_by_properties_only) {
  constexpr auto annotated = R"({"type":"string","x-mcp-header":"A"})";
  const auto wrong = "x-mcp-header is not reached by properties only";
  EXPECT_EQ(why(annotated), wrong) << "the root itself";
  for (const std::string before :
       {R"("items":)", R"("additionalProperties":)", R"("not":)", R"("if":)", R"("then":)",
        R"("else":)", R"("contains":)", R"("propertyNames":)", R"("unevaluatedItems":)",
        R"("unevaluatedProperties":)", R"("additionalItems":)", R"("contentSchema":)"}) {
    EXPECT_EQ(why("{" + before + annotated + "}"), wrong) << before;
    EXPECT_EQ(why(schema(R"("a":{)" + before + annotated + "}")), wrong) << before;
    EXPECT_EQ(why("{" + before + schema(R"("a":)" + std::string(annotated)) + "}"), wrong)
        << before;
  }
  for (const std::string list : {"allOf", "anyOf", "oneOf", "prefixItems", "items"})
    EXPECT_EQ(why("{\"" + list + "\":[{}," + annotated + "]}"), wrong) << list;
  for (const std::string names :
       {"patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
    EXPECT_EQ(why("{\"" + names + R"(":{"a":)" + annotated + "}}"), wrong) << names;
}

TEST(annotations, stand_below_names_that_are_bounded_together) {
  const auto below = [](std::size_t bytes) {
    return why(schema('"' + std::string(bytes, 'n') +
                      R"(":{"properties":{"a":{"type":"string","x-mcp-header":"A"},)"
                      R"("b":{"type":"string","x-mcp-header":"B"}}})"));
  };
  EXPECT_EQ(below(limits::param_header_bytes / 2 - 1), "");
  EXPECT_EQ(below(limits::param_header_bytes / 2),
            "x-mcp-header stands below names that are too long");
}

TEST(annotations, are_bounded) {
  const auto in = [](std::size_t depth) {
    std::string out = R"({"type":"string","x-mcp-header":"A"})";
    for (std::size_t i = 0; i < depth; ++i) out = schema(R"("a":)" + out);
    return out;
  };
  EXPECT_EQ(why(in(limits::param_depth)), "");
  EXPECT_EQ(why(in(limits::param_depth + 1)), "x-mcp-header is nested too deeply");
  EXPECT_EQ(why(in(limits::schema_depth + 1)), "x-mcp-header is nested too deeply");
  EXPECT_EQ(why(in(2000)), "x-mcp-header is nested too deeply");

  EXPECT_EQ(why(in(3000)), "x-mcp-header stands in a schema that can not be read");

  const auto named = [](std::size_t bytes) {
    return why(
        schema(R"("a":{"type":"string","x-mcp-header":")" + std::string(bytes, 'a') + "\"}"));
  };
  EXPECT_EQ(named(limits::param_name_bytes), "");
  EXPECT_EQ(named(limits::param_name_bytes + 1), "x-mcp-header is too long");

  const auto many = [](std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i)
      out += (i ? ",\"p" : "\"p") + std::to_string(i) + R"(":{"type":"string","x-mcp-header":"H)" +
             std::to_string(i) + "\"}";
    return why(schema(out));
  };
  EXPECT_EQ(many(limits::param_headers), "");
  EXPECT_EQ(many(limits::param_headers + 1), "x-mcp-header is one of too many");
}

// --- what clients send ---------------------------------------------------------------------------

const param_headers all{{"Text", {"text"}}, {"Count", {"count"}}, {"Deep", {"in", "deep"}}};

std::string wrong_of(std::vector<http::header> headers, std::string_view arguments) {
  return param_disagreement(headers, all, arguments).value_or("");
}
constexpr auto text_wrong = "the header Mcp-Param-Text does not say what the argument says";
constexpr auto count_wrong = "the header Mcp-Param-Count does not say what the argument says";
constexpr auto deep_wrong = "the header Mcp-Param-Deep does not say what the argument says";

TEST(param_disagreement, none_where_headers_repeat_arguments) {
  EXPECT_EQ(wrong_of({{"Mcp-Param-Text", "eu"}, {"mcp-param-count", "42"}, {"MCP-PARAM-DEEP", "x"}},
                     R"({"deep":1,"in":{"deep":"x"},"count":42,"text":"eu"})"),
            "");
  EXPECT_EQ(wrong_of({{"Mcp-Param-Other", "x"}, {"Mcp-Param", "x"}, {"Mcp-Param-", "x"}}, "{}"),
            "");
}

TEST(param_disagreement, of_what_is_missing) {
  for (const auto nothing : {"", "{}", "null", "[]", R"({"text":null})", R"({"in":"x"})",
                             R"({"in":[{"deep":"x"}]})", R"({"in":{"deep":null}})"}) {
    EXPECT_EQ(wrong_of({}, nothing), "") << nothing;
    EXPECT_EQ(wrong_of({{"Mcp-Param-Text", "eu"}}, nothing), text_wrong) << nothing;
    EXPECT_EQ(wrong_of({{"Mcp-Param-Text", ""}}, nothing), text_wrong) << nothing;
  }
  EXPECT_EQ(wrong_of({}, R"({"text":"eu"})"), text_wrong);
  EXPECT_EQ(wrong_of({}, R"({"text":""})"), text_wrong);
  EXPECT_EQ(wrong_of({}, R"({"count":0})"), count_wrong);
  EXPECT_EQ(wrong_of({}, R"({"in":{"deep":false}})"), deep_wrong);
}

/// One header against one argument.
bool agree(std::string_view header, std::string_view argument) {
  return wrong_of({{"Mcp-Param-Text", header}}, R"({"text":)" + std::string(argument) + "}")
      .empty();
}

TEST(param_disagreement, of_texts) {
  EXPECT_TRUE(agree("eu", R"("eu")"));
  EXPECT_TRUE(agree("eu", R"("\u0065u")"));
  EXPECT_TRUE(agree("", R"("")"));
  EXPECT_TRUE(agree("=?base64?ZXU=?=", R"("eu")"));
  EXPECT_TRUE(agree("=?base64?w6Q=?=", R"("\u00e4")"));
  EXPECT_TRUE(agree("=?BASE64?w6Q=?=", R"("=?BASE64?w6Q=?=")"));
  EXPECT_FALSE(agree("EU", R"("eu")"));
  EXPECT_FALSE(agree("eu ", R"("eu")"));
  EXPECT_FALSE(agree("=?base64?ZXU?=", R"("eu")")) << "no Base64";
  EXPECT_FALSE(agree("=?base64?!?=", R"("=?base64?!?=")")) << "no Base64, though it says the same";
  EXPECT_FALSE(agree("7.0", R"("7")")) << "a text is no number";
}

TEST(param_disagreement, of_truths) {
  EXPECT_TRUE(agree("true", "true"));
  EXPECT_TRUE(agree("false", "false"));
  EXPECT_TRUE(agree("=?base64?dHJ1ZQ==?=", "true"));
  for (const auto other : {"True", "1", "false", ""}) EXPECT_FALSE(agree(other, "true")) << other;
}

TEST(param_disagreement, of_integers) {
  for (const auto said : {"42", "42.0", "42.000", "4.2e1", "420E-1", "0.42e+2"}) {
    EXPECT_TRUE(agree(said, "42")) << said;
    EXPECT_TRUE(agree("42", said)) << said;
  }
  for (const auto zero : {"0", "-0", "0.0", "0e99999999999999999999"})
    EXPECT_TRUE(agree(zero, "0")) << zero;
  for (const auto other : {"43", "-42", "42.1", "", "042", "+42", "0x2a", "42 ", "4 2", "NaN",
                           "4.2", "42e99999999999999999999", "42e-99999999999999999999", "true"})
    EXPECT_FALSE(agree(other, "42")) << other;
  EXPECT_TRUE(agree("9007199254740991", "9007199254740991"));
  EXPECT_TRUE(agree("-9007199254740991.0", "-9007199254740991"));
  EXPECT_FALSE(agree("9007199254740990", "9007199254740991"));
}

TEST(param_disagreement, of_what_no_header_can_say) {
  for (const auto number : {"4.5", "9007199254740992", "1e400"}) {
    EXPECT_TRUE(agree(number, number)) << number;
    EXPECT_FALSE(agree("4", number)) << number;
    EXPECT_EQ(wrong_of({}, R"({"text":)" + std::string(number) + "}"), "") << number;
  }
  for (const auto value : {"[]", "{}", R"(["eu"])"}) {
    EXPECT_FALSE(agree("eu", value)) << value;
    EXPECT_FALSE(agree("", value)) << value;
    EXPECT_EQ(wrong_of({}, R"({"text":)" + std::string(value) + "}"), "") << value;
  }
}

TEST(param_disagreement, of_what_is_there_twice) {
  EXPECT_EQ(wrong_of({{"Mcp-Param-Text", "eu"}, {"mcp-param-text", "eu"}}, R"({"text":"eu"})"), "");
  EXPECT_EQ(wrong_of({{"Mcp-Param-Text", "eu"}, {"mcp-param-text", "us"}}, R"({"text":"eu"})"),
            text_wrong);
  for (const auto said : {"eu", "us"})
    EXPECT_EQ(wrong_of({{"Mcp-Param-Text", said}}, R"({"text":"eu","text":"us"})"), text_wrong);
  EXPECT_EQ(wrong_of({}, R"({"text":null,"t\u0065xt":"us"})"), text_wrong);
}

TEST(param_headers, are_known_by_their_name) {
  const auto has = [](std::string_view name) {
    http::received_head head;
    head.headers = {{"Host", "x"}, {name, "x"}};
    head.look_up(false);
    return head.names_params;
  };
  EXPECT_TRUE(has("Mcp-Param-A"));
  EXPECT_TRUE(has("mcp-param-a"));
  EXPECT_FALSE(has("Mcp-Param-"));
  EXPECT_FALSE(has("Mcp-Method"));
}

// --- what servers are sent -----------------------------------------------------------------------

TEST(param_lines, repeat_arguments) {
  EXPECT_EQ(param_lines(all, R"({"text":"eu","count":42,"in":{"deep":true}})"),
            "Mcp-Param-Text: eu\r\nMcp-Param-Count: 42\r\nMcp-Param-Deep: true\r\n");
  EXPECT_EQ(param_lines(all, R"({"text":"","count":4.20e1})"),
            "Mcp-Param-Text: \r\nMcp-Param-Count: 42\r\n");
  EXPECT_EQ(param_lines(all, R"({"text":" \u00e4"})"), "Mcp-Param-Text: =?base64?IMOk?=\r\n");
  for (const auto nothing :
       {"", "{}", "7", R"({"text":null,"count":1.5,"in":{"deep":[]}})", R"({"text":{}})",
        R"({"text":"a","text":"b"})", R"({"count":9007199254740992})"})
    EXPECT_EQ(param_lines(all, nothing), "") << nothing;
}

TEST(param_lines, are_lines_whatever_is_said) {
  for (int c = 0; c < 256; ++c) {
    for (const auto around : {"", "x"}) {
      std::string text = around;
      text += static_cast<char>(c);
      text += around;
      const auto arguments = R"({"text":)" + json::quoted(text) + "}";
      const auto lines = param_lines(all, arguments);
      ASSERT_TRUE(lines.ends_with("\r\n")) << c;
      const auto line = lines.substr(0, lines.size() - 2);
      EXPECT_EQ(line.find_first_of(std::string_view("\r\n\0", 3)), line.npos) << c;
      const auto value = line.substr(line.find(": ") + 2);
      EXPECT_EQ(wrong_of({{"Mcp-Param-Text", value}}, arguments), "") << lines;
    }
  }
}

TEST(param_lines, are_bounded) {
  const std::string most(limits::param_header_bytes - std::string("Mcp-Param-Text: \r\n").size(),
                         'x');
  EXPECT_EQ(param_lines(all, R"({"text":")" + most + "\"}").size(), limits::param_header_bytes);
  EXPECT_EQ(param_lines(all, R"({"text":")" + most + R"(x","count":1})"), "Mcp-Param-Count: 1\r\n");
  EXPECT_EQ(param_lines(all, R"({"text":")" + most + R"(","count":1})").size(),
            limits::param_header_bytes);
}

}  // namespace
}  // namespace gate::mcp::stateless
