#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "protocol/json/scan.hpp"

namespace gate::json {
namespace {

using pairs = std::vector<std::pair<std::string, std::string>>;

pairs walk(std::string_view text, fault* error = nullptr) {
  cursor c(text, {});
  pairs found;
  members(c, [&](std::string_view key, cursor& at) { found.emplace_back(key, at.value(1)); });
  c.finish();
  if (error) *error = c.error();
  return found;
}

TEST(json_members, gives_keys_and_values_verbatim) {
  fault error;
  auto found = walk(
      " { \"a\" : 1.0 , \"b\\n\":[ 1 , {\"x\":2} ],\"\":\"s\\u0041\" , \"a\":1e400 } ", &error);
  EXPECT_EQ(error, fault::none);
  EXPECT_EQ(
      found,
      (pairs{{"a", "1.0"}, {"b\\n", "[ 1 , {\"x\":2} ]"}, {"", "\"s\\u0041\""}, {"a", "1e400"}}));
}

TEST(json_members, empty_object) {
  fault error;
  EXPECT_TRUE(walk("{}", &error).empty());
  EXPECT_EQ(error, fault::none);
  EXPECT_TRUE(walk(" { } ", &error).empty());
  EXPECT_EQ(error, fault::none);
}

TEST(json_members, faults_end_the_walk) {
  for (std::string_view text :
       {"", "1", "[]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}",
        "{a:1}", "{\"a\":1]", "{\"a\" 1}", "{\"a\":tru}", "{\"a\":1}}", "{\"a\":1} x", "{1:1}"}) {
    fault error;
    walk(text, &error);
    EXPECT_NE(error, fault::none) << text;
  }
}

TEST(json_members, nested_walks) {
  std::string_view text = R"({"params":{"name":"x","list":[1,[2],"3"]},"id":7})";
  cursor c(text, {});
  std::string seen;
  members(c, [&](std::string_view key, cursor& at) {
    seen.append(key) += ' ';
    if (key != "params") {
      seen += at.value(1);
      return;
    }
    members(at, [&](std::string_view inner, cursor& deeper) {
      seen.append(inner) += ' ';
      if (inner != "list") {
        deeper.value(2);
        return;
      }
      elements(deeper, [&](cursor& e) { seen.append(e.value(3)) += ' '; });
    });
  });
  c.finish();
  EXPECT_TRUE(c.ok());
  EXPECT_EQ(c.offset(), text.size());
  EXPECT_EQ(seen, "params name list 1 [2] \"3\" id 7");
}

TEST(json_members, a_visitor_can_stop) {
  cursor c("{\"a\":1,\"b\":2}", {});
  int calls = 0;
  members(c, [&](std::string_view, cursor& at) {
    ++calls;
    at.fail(fault::stopped);
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(c.error(), fault::stopped);
  c.fail(fault::syntax);
  EXPECT_EQ(c.error(), fault::stopped) << "the first fault stays";
  EXPECT_EQ(c.value(), "");
  EXPECT_FALSE(c.take(','));
  EXPECT_EQ(c.peek(), '\0');
}

TEST(json_elements, walks_arrays) {
  auto list = [](std::string_view text, fault& error) {
    cursor c(text, {});
    std::vector<std::string> found;
    elements(c, [&](cursor& at) { found.emplace_back(at.value(1)); });
    c.finish();
    error = c.error();
    return found;
  };
  fault error;
  EXPECT_EQ(list("[1, \"a\" ,{},[ ]]", error),
            (std::vector<std::string>{"1", "\"a\"", "{}", "[ ]"}));
  EXPECT_EQ(error, fault::none);
  EXPECT_TRUE(list(" [ ] ", error).empty());
  EXPECT_EQ(error, fault::none);
  for (std::string_view text :
       {"", "{}", "[", "[1", "[1,", "[1,]", "[,]", "[1 2]", "[1}", "[1]]"}) {
    list(text, error);
    EXPECT_NE(error, fault::none) << text;
  }
}

TEST(json_cursor, nesting_counts_what_surrounds_the_value) {
  EXPECT_EQ(cursor("[[]]", {3, true}).value(1), "[[]]");
  cursor c("[[]]", {3, true});
  EXPECT_EQ(c.value(2), "");
  EXPECT_EQ(c.error(), fault::depth);
  EXPECT_EQ(cursor("1", {3, true}).value(7), "1");
}

TEST(json_cursor, a_null_byte_is_not_the_end) {
  cursor c(std::string_view("\0 1", 3), {});
  EXPECT_EQ(c.peek(), '\0');
  EXPECT_FALSE(c.take('1'));
  c.finish();
  EXPECT_EQ(c.error(), fault::trailing);
  cursor end("", {});
  EXPECT_FALSE(end.take('\0'));
}

TEST(json_cursor, strings_tell_about_escapes) {
  bool escaped = true;
  cursor plain("\"abc\"", {});
  EXPECT_EQ(plain.string(&escaped), "abc");
  EXPECT_FALSE(escaped);
  cursor other("\"a\\\"c\" ", {});
  EXPECT_EQ(other.string(&escaped), "a\\\"c");
  EXPECT_TRUE(escaped);
  cursor none("12", {});
  EXPECT_EQ(none.string(), "");
  EXPECT_EQ(none.error(), fault::syntax);
}

TEST(json_member, finds_the_first_of_that_name) {
  EXPECT_EQ(member(R"({"a":1,"b":{"c":2},"a":3})", "a"), "1");
  EXPECT_EQ(member(R"({"a":1,"b":{"c":2}})", "b"), R"({"c":2})");
  EXPECT_EQ(member(R"({"a":1,"b":{"c":2}})", "c"), "");
  EXPECT_EQ(member(R"({"\u0061":1})", "a"), "1");
  EXPECT_EQ(member("[1]", "a"), "");
  EXPECT_EQ(member("", "a"), "");
  EXPECT_EQ(member(R"({"a":1,"b":})", "a"), "") << "not well formed behind the member";
  EXPECT_EQ(member(R"({"a":1} x)", "a"), "");
}

TEST(json_pick, finds_what_member_finds) {
  const std::array<std::string_view, 3> names{"a", "b", "bb"};
  for (std::string_view text :
       {R"({"a":1,"b":[2],"a":3,"x":{"bb":4}})", R"( { "\u0062" : 1 , "b\u0062":"2" } )", "{}",
        "[]", "", R"({"a":1)", R"({"a":1}x)", R"({"a":1,"b":tru})"}) {
    const auto found = pick(text, names);
    for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(found[i], member(text, names[i]));
  }
  EXPECT_EQ(pick(R"({"a":1,"b\u0062":2})", names), (std::array<std::string_view, 3>{"1", "", "2"}));
}

TEST(json_same_scalar, strings_are_compared_by_value_all_else_by_bytes) {
  for (auto [a, b] : {std::pair{R"("a/b")", R"("a\/b")"},
                      {R"("a/b")", R"("\u0061\u002Fb")"},
                      {R"("\u00e9")", "\"\xC3\xA9\""},
                      {"1", "1"},
                      {R"("")", R"("")"}}) {
    EXPECT_TRUE(same_scalar(a, b)) << a << b;
    EXPECT_TRUE(same_scalar(b, a)) << a << b;
  }
  for (auto [a, b] : {std::pair{R"("1")", "1"},
                      {"1", "1.0"},
                      {R"("a")", R"("A")"},
                      {"", R"("")"},
                      {R"("a\\/b")", R"("a/b")"},
                      {R"("a\u0000")", R"("a")"},
                      {R"("\x")", "x"}}) {
    EXPECT_FALSE(same_scalar(a, b)) << a << b;
    EXPECT_FALSE(same_scalar(b, a)) << a << b;
  }
}

TEST(json_says, is_for_strings) {
  EXPECT_TRUE(says(R"("ref\/prompt")", "ref/prompt"));
  EXPECT_TRUE(says(R"("")", ""));
  for (auto raw : {"", "\"", "x", "ref/prompt", R"("ref/prompt)", R"("Ref/prompt")"})
    EXPECT_FALSE(says(raw, "ref/prompt")) << raw;
}

TEST(json_canonical, is_one_spelling_of_a_value) {
  EXPECT_EQ(canonical(R"("a\/b\u0041\n")"), R"("a/bA\n")");
  for (auto raw : {R"("a/b")", "7", "", R"({"a":"\/"})", R"("\x")"}) EXPECT_EQ(canonical(raw), raw);
}

TEST(json_same_key, resolves_escapes) {
  EXPECT_TRUE(same_key("method", "method"));
  EXPECT_TRUE(same_key("m\\u0065thod", "method"));
  EXPECT_TRUE(same_key("\\u006d\\u0065\\u0074\\u0068\\u006f\\u0064", "method"));
  EXPECT_TRUE(same_key("\\u006D\\u0065thod", "method"));
  EXPECT_TRUE(same_key("a\\/b\\n\\u00e9\\ud83d\\ude00", "a/b\n\xC3\xA9\xF0\x9F\x98\x80"));
  EXPECT_TRUE(same_key("", ""));
  for (std::string_view raw : {"metho\\u0064s", "m\\u0065tho", "\\u004dethod", "m\\u0065thod ",
                               "\\\\method", "m\\u0000ethod", "m\\u0065", "\\", "m\\u00", ""})
    EXPECT_FALSE(same_key(raw, "method")) << raw;
  EXPECT_FALSE(same_key("method", "m"));
  EXPECT_FALSE(same_key("m", "method"));
}

TEST(json_unquote, resolves_escapes) {
  const std::vector<std::pair<std::string, std::string>> table{
      {R"("")", ""},
      {R"("abc")", "abc"},
      {R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
      {R"("\u0041\u00e9\u20AC\ud83d\ude00")", "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {R"("\uDBFF\uDFFF")", "\xF4\x8F\xBF\xBF"},
      {R"("\u0000")", std::string(1, '\0')},
      {R"("\u007f\u0080\u07ff\u0800\uffff")", "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF"},
      {R"("\ud800")", "\xEF\xBF\xBD"},
      {R"("\udc00x")", "\xEF\xBF\xBDx"},
      {R"("\ud800\u0041")",
       "\xEF\xBF\xBD"
       "A"},
      {R"("\ud800\ud800\udc00")", "\xEF\xBF\xBD\xF0\x90\x80\x80"},
      {R"("\ud800\ue000")", "\xEF\xBF\xBD\xEE\x80\x80"},
      {R"("\ud800\n")", "\xEF\xBF\xBD\n"},
      {R"("\ud800\\udc00")", "\xEF\xBF\xBD\\udc00"},
      {"\"\xC3\xA9\\n\"", "\xC3\xA9\n"},
  };
  for (const auto& [raw, text] : table) {
    std::string out = "left over";
    EXPECT_TRUE(unquote(raw, out)) << raw;
    EXPECT_EQ(out, text) << raw;
  }
}

TEST(json_unquote, refuses_everything_else) {
  std::string out;
  for (std::string_view raw : {"", "\"", "a", "1", "null", "\"a", "a\"", "\"a\"b", "\"a\" ",
                               " \"a\"", "\"a\"\"", "\"\\x\"", "\"\xFF\"", "{}", "\"\n\""})
    EXPECT_FALSE(unquote(raw, out)) << raw;
}

TEST(json_quoted, escapes_what_must_be) {
  EXPECT_EQ(json::quoted(""), "\"\"");
  EXPECT_EQ(json::quoted("a/b"), "\"a/b\"");
  EXPECT_EQ(json::quoted("\"\\\b\f\n\r\t"), R"("\"\\\b\f\n\r\t")");
  EXPECT_EQ(json::quoted(std::string_view("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001f\x7f\"");
  EXPECT_EQ(json::quoted("\xC3\xA9\xF0\x9F\x98\x80"), "\"\xC3\xA9\xF0\x9F\x98\x80\"");
  EXPECT_EQ(json::quoted("a\xFF\xC3z\xED\xA0\x80"),
            "\"a\xEF\xBF\xBD\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
  std::string out = "x";
  append_quoted(out, "y");
  EXPECT_EQ(out, "x\"y\"");
}

TEST(json_quoted, every_byte_pair_is_valid_and_comes_back_if_it_was_utf8) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      std::string text{static_cast<char>(a), static_cast<char>(b)};
      for (std::size_t padding : {0, 14, 15, 16}) {
        auto whole = std::string(padding, 'x') + text;
        auto raw = json::quoted(whole);
        ASSERT_EQ(validate(raw), fault::none) << a << ' ' << b;
        std::string back;
        ASSERT_TRUE(unquote(raw, back));
        bool utf8 = (a < 0x80 && b < 0x80) || (a >= 0xC2 && a <= 0xDF && b >= 0x80 && b <= 0xBF);
        ASSERT_EQ(back == whole, utf8) << a << ' ' << b;
      }
    }
  }
}

}  // namespace
}  // namespace gate::json
