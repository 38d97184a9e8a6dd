#include "protocol/json/scan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gate::json {
namespace {

using namespace std::string_literals;

// The classes of JSONTestSuite: what every parser must accept, must refuse, may do either way.

const std::vector<std::string> accepted{
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "10",
    "123456789012345678901234567890",
    "0.0",
    "-0.1",
    "0e1",
    "0E+1",
    "0e-1",
    "1.5e10",
    "1E22",
    "1e400",
    "-1e400",
    "1e-400",
    "1.000000000001",
    "0.4e00669999999999999999999999999999999999999999999999999999999999",
    "123e65",
    "20e1",
    "-9223372036854775809",
    "18446744073709551616",
    "100000000000000000000000000000000000000000",
    "\"\"",
    "\"a\"",
    "\"\\\"\"",
    "\"\\\\\"",
    "\"\\/\"",
    "\"\\b\\f\\n\\r\\t\"",
    "\"\\u0000\"",
    "\"\\u00e9\\uABCD\\uabcd\"",
    "\"\\ud834\\udd1e\"",
    "\"\\\\u0000\"",
    "\"a/*b*/c\"",
    "\"\x7f\"",
    "\"\xC3\xA9\"",
    "\"\xE2\x82\xAC\"",
    "\"\xF0\x9F\x98\x80\"",
    "\"\xEF\xBB\xBF\"",
    "\"\xF4\x8F\xBF\xBF\"",
    "\"\xED\x9F\xBF\"",
    "\"\xEE\x80\x80\"",
    "\"\xEF\xBF\xBF\"",
    // Grammatically fine although no code point (RFC 8259 §8.2).
    "\"\\ud800\"",
    "\"\\udc00\"",
    "\"\\ud800\\ud800\"",
    "\"\\uDEAD\"",
    "\"\\ud800\\u0041\"",
    "[]",
    "[ ]",
    "[1]",
    "[1,2]",
    "[1 , 2]",
    "[null, 1, \"1\", {}]",
    "[[]   ]",
    "[[[[]]]]",
    "[\"a\",[\"b\",[{\"c\":[]}]]]",
    "{}",
    "{ }",
    "{\"a\":1}",
    "{\"a\":1,\"b\":2}",
    "{\"a\":1,\"a\":2}",
    "{\"a\":1,\"a\":1}",
    "{\"\":0}",
    "{\"\\u0000\":42}",
    "{\"a\":[{\"b\":{}}]}",
    "{\"a\" : 1 , \"b\" : [ ] }",
    " 1 ",
    "\t\n\r 1 \t\n\r",
    " [] ",
    "\n{\n\"a\"\n:\n1\n}\n",
    "[1,2,{\"a\":\"x\"},[],[{}]]",
    "[-0.0, -1.5E-3]",
    "[true,false,null]",
    "[\"0123456789abcdef0123456789abcdef\"]",
    "[\"0123456789abcde\\n0123456789abcde\\\"\"]",
};

const std::vector<std::string> refused{
    "",
    " ",
    "\n",
    "nul",
    "nulll",
    "NULL",
    "True",
    "tru",
    "truex",
    "fals",
    "nan",
    "NaN",
    "-NaN",
    "Infinity",
    "-Infinity",
    "inf",
    "+1",
    "++1",
    "-",
    "--1",
    "- 1",
    "-a",
    "01",
    "-01",
    "00",
    "-012",
    ".5",
    "-.5",
    "1.",
    "1.e1",
    "-1.",
    "0.",
    "0.e1",
    "1e",
    "1e+",
    "1E-",
    "1e1.5",
    "0e",
    "0e+",
    "1.5.5",
    "1 000",
    "0x1",
    "0x",
    "1a",
    "1,",
    ",1",
    "1 2",
    "1_000",
    "1eE2",
    "9.e+",
    "\xEF\xBC\x91",
    "\"",
    "\"a",
    "a\"",
    "\"\\\"",
    "\"\\",
    "\"\\x00\"",
    "\"\\a\"",
    "\"\\'\"",
    "\"\\0\"",
    "\"\\U0041\"",
    "\"\\u\"",
    "\"\\u1\"",
    "\"\\u12\"",
    "\"\\u123\"",
    "\"\\u123g\"",
    "\"\\u 123\"",
    "\"\\u-123\"",
    "\"\\ud800\\u\"",
    "\"\\ud800\\u1\"",
    "\"\\ud800\\x\"",
    "\"a\nb\"",
    "\"a\tb\"",
    "\"\r\"",
    "\"\x01\"",
    "\"\x1f\"",
    "\"a\0b\""s,
    "'a'",
    "`a`",
    "a",
    "\"a\" \"b\"",
    "\"a\"x",
    "\"\\\n\"",
    "[",
    "]",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[,]",
    "[1,,2]",
    "[1 2]",
    "[1}",
    "[\"a\"",
    "[\"a",
    "[1:2]",
    "[\"a\":1]",
    "[]]",
    "[][]",
    "[1]x",
    "[1],",
    "[a]",
    "[*]",
    "[\"\",]",
    "[\"x\"]]",
    "[-]",
    "[1 true]",
    "[3[4]]",
    "[\n1\n,1",
    "[{}",
    "[{]",
    "[\"\x1\"]",
    "[\\n]",
    "[\\u000A\"\"]",
    "[\f]",
    "[\v]",
    "[\xC2\xA0]",
    "[\"a\x00a\"]"s,
    "[1]\0"s,
    "\0"s,
    "[\0]"s,
    "1\0"s,
    "[1,\0]"s,
    "{",
    "}",
    "{a:1}",
    "{'a':1}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1",
    "{\"a\":1,}",
    "{\"a\":1,,}",
    "{,\"a\":1}",
    "{\"a\" 1}",
    "{\"a\",1}",
    "{\"a\"::1}",
    "{1:1}",
    "{null:1}",
    "{\"a\":1 \"b\":2}",
    "{\"a\":1;\"b\":2}",
    "{\"a\":1]",
    "{]",
    "[}",
    "{\"a\":1}}",
    "{\"a\":1}#",
    "{\"a\":1}//x",
    "{\"a\":1}/**/",
    "{/**/\"a\":1}",
    "{\"a\":/**/1}",
    "{}}",
    "{}{}",
    "{\"a\":\"b}",
    "{\"a",
    "{\"a\"",
    "{\"a\":",
    "{[]:1}",
    "{\"a\":1,\"b\"}",
    "{\"a\":1,b:2}",
    "{\"a\":1,\"b\":}",
    "{\"\\u12\":1}",
    "{\"a\nb\":1}",
    "\xEF\xBB\xBF{}",
    "\xEF\xBB\xBF",
    "\xEF\xBB",
    "<a>",
    "<null>",
    "#",
    "/",
    "//",
    "/**/1",
    "1/**/",
    "\\",
    "\\u0041",
    "undefined",
    "[undefined]",
    "[1]\x0c",
    "\x0b[1]",
    "\xE2\x81\xA0",
};

const std::vector<std::string> not_utf8{
    "\"\x80\"",
    "\"\xBF\"",
    "\"\xC0\x80\"",
    "\"\xC1\xBF\"",
    "\"\xC3\"",
    "\"\xC3(\"",
    "\"\xE0\x80\x80\"",
    "\"\xE0\x9F\xBF\"",
    "\"\xE2\x82\"",
    "\"\xE2(\xA1\"",
    "\"\xED\xA0\x80\"",
    "\"\xED\xBF\xBF\"",
    "\"\xF0\x80\x80\x80\"",
    "\"\xF0\x8F\xBF\xBF\"",
    "\"\xF0\x9F\x98\"",
    "\"\xF4\x90\x80\x80\"",
    "\"\xF5\x80\x80\x80\"",
    "\"\xF8\x88\x80\x80\x80\"",
    "\"\xFE\"",
    "\"\xFF\"",
    "\"ok \xC3\xA9 \xE9\"",
    "{\"\xFF\":1}",
    "[\"0123456789abcdef\xFF 0123456789abcdef\"]",
    "\"\xC3\xA9\xC3\"",
};

TEST(json_validate, accepts_what_the_grammar_accepts) {
  for (const auto& text : accepted) {
    EXPECT_EQ(validate(text), fault::none) << text;
    EXPECT_EQ(validate(text, {128, false}), fault::none) << text;
  }
}

TEST(json_validate, refuses_what_the_grammar_refuses) {
  for (const auto& text : refused) {
    EXPECT_NE(validate(text), fault::none) << text;
    EXPECT_NE(validate(text, {128, false}), fault::none) << text;
  }
}

TEST(json_validate, checks_utf8_only_when_asked) {
  for (const auto& text : not_utf8) {
    EXPECT_EQ(validate(text), fault::encoding) << text;
    EXPECT_EQ(validate(text, {128, false}), fault::none) << text;
  }
}

TEST(json_validate, is_independent_of_where_the_text_lies) {
  // Strings are scanned in blocks of 16: every text at every offset, so that the ends of blocks,
  // text and allocation fall everywhere.
  auto check = [](const std::string& text, fault expected) {
    for (std::size_t shift = 0; shift < 17; ++shift) {
      auto padded = std::string(shift, ' ') + text;
      EXPECT_EQ(validate(padded), expected) << text << " behind " << shift;
      std::vector<char> exact(padded.begin(), padded.end());  // no terminator to run into
      EXPECT_EQ(validate({exact.data(), exact.size()}), expected) << text;
    }
  };
  for (const auto& text : accepted) check(text, fault::none);
  for (const auto& text : not_utf8) check(text, fault::encoding);
}

TEST(json_validate, every_special_byte_at_every_place_of_a_string) {
  for (std::size_t length = 1; length < 40; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        auto text = '"' + std::string(length, 'x') + '"';
        text[at + 1] = static_cast<char>(byte);
        fault expected = byte == '"'                   ? fault::trailing
                         : byte == '\\' || byte < 0x20 ? fault::syntax
                         : byte >= 0x80                ? fault::encoding
                                                       : fault::none;
        ASSERT_EQ(validate(text), expected) << length << ' ' << at << ' ' << byte;
        if (byte >= 0x80) {
          ASSERT_EQ(validate(text, {128, false}), fault::none);
        }
      }
    }
  }
}

TEST(json_validate, says_when_something_follows) {
  for (std::string text : {"1 2", "[]]", "{}{}", "\"a\"b", "null,"})
    EXPECT_EQ(validate(text), fault::trailing) << text;
}

TEST(json_validate, every_prefix_of_a_text_is_refused) {
  std::string text =
      R"({"a":[1.5e3,true,false,null,"x\u00e9\n",{"b":{}},[]],"long key 0123456789":"v"})";
  ASSERT_EQ(validate(text), fault::none);
  for (std::size_t n = 0; n < text.size(); ++n)
    EXPECT_EQ(validate(text.substr(0, n)), fault::syntax) << n;
}

std::string nested(std::size_t depth, char open, char close, const std::string& inner = {}) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i)
    text += open == '{' && i + 1 < depth ? "{\"k\":" : std::string(1, open);
  return text + inner + std::string(depth, close);
}

TEST(json_validate, counts_nesting) {
  for (std::uint32_t limit : {1u, 2u, 63u, 64u, 65u, 127u, 128u, 129u, 1000u, 4095u, 4096u}) {
    for (auto [open, close] : {std::pair{'[', ']'}, std::pair{'{', '}'}}) {
      EXPECT_EQ(validate(nested(limit, open, close), {limit, true}), fault::none) << limit;
      EXPECT_EQ(validate(nested(limit + 1, open, close), {limit, true}), fault::depth) << limit;
    }
  }
  EXPECT_EQ(validate("1", {0, true}), fault::none);
  EXPECT_EQ(validate("[]", {0, true}), fault::depth);
}

TEST(json_validate, depth_is_bounded_whatever_is_asked) {
  EXPECT_EQ(validate(nested(4096, '[', ']'), {0xFFFFFFFF, true}), fault::none);
  EXPECT_EQ(validate(nested(4097, '[', ']'), {0xFFFFFFFF, true}), fault::depth);
  EXPECT_EQ(validate(std::string(10'000'000, '['), {0xFFFFFFFF, true}), fault::depth);
}

TEST(json_validate, remembers_what_is_open_at_every_level) {
  // Alternating kinds over more than one word of the bit stack, then one wrong bracket at each
  // level.
  std::string open, close;
  for (int i = 0; i < 200; ++i) {
    bool object = i % 3 == 0 || i % 7 == 0;
    open += object ? "{\"k\":" : "[";
    close.insert(close.begin(), object ? '}' : ']');
  }
  EXPECT_EQ(validate(open + "1" + close, {4096, true}), fault::none);
  for (std::size_t i = 0; i < close.size(); ++i) {
    auto wrong = close;
    wrong[i] = wrong[i] == '}' ? ']' : '}';
    EXPECT_EQ(validate(open + "1" + wrong, {4096, true}), fault::syntax) << i;
  }
}

TEST(json_validate, every_fault_has_a_sentence) {
  for (auto f : {fault::none, fault::syntax, fault::depth, fault::encoding, fault::trailing,
                 fault::stopped}) {
    EXPECT_FALSE(describe(f).empty());
    EXPECT_NE(describe(f).back(), '.');
  }
}

}  // namespace
}  // namespace gate::json
