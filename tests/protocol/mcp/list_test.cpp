#include "protocol/mcp/list.hpp"

#include <gtest/gtest.h>

#include <string>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::mcp {
namespace {

constexpr list_shape tools{"tools", "name", true};
constexpr list_shape resources{"resources", "uri", false};

/// Reads a page with one item and returns that item.
list_item only(const std::string& item, std::string_view prefix = "ns__",
               const list_shape& shape = tools) {
  std::size_t skipped = 0;
  auto page = read_list_page("{\"" + std::string(shape.member) + "\":[" + item + "]}", shape,
                             prefix, &skipped);
  EXPECT_TRUE(page.has_value()) << item;
  if (!page.has_value() || page->items.size() != 1) {
    ADD_FAILURE() << "not one item: " << item;
    return {};
  }
  EXPECT_EQ(skipped, 0u);
  EXPECT_EQ(json::validate(page->items[0].raw, {4096, false}), json::fault::none);
  return page->items[0];
}

TEST(list_page, items_in_order) {
  auto page =
      read_list_page(R"({"_meta":{},"tools":[{"name":"a"}, {"name":"b"} ],"x":1})", tools, "ns__");
  ASSERT_TRUE(page.has_value());
  ASSERT_EQ(page->items.size(), 2u);
  EXPECT_EQ(page->items[0].key, "ns__a");
  EXPECT_EQ(page->items[0].raw, R"({"name":"ns__a"})");
  EXPECT_EQ(page->items[1].key, "ns__b");
  EXPECT_EQ(page->items[1].raw, R"({"name":"ns__b"})");
  EXPECT_FALSE(page->more);
  EXPECT_EQ(page->next_cursor, "");
}

TEST(list_page, nothing_but_the_name_is_touched) {
  struct row {
    std::string item, raw, key;
  };
  const row table[] = {
      {R"({"b":123456789012345678901234567890,"name":"t","a":[1.0,1e400,-0,1E+2,0.10]})",
       R"({"b":123456789012345678901234567890,"name":"ns__t","a":[1.0,1e400,-0,1E+2,0.10]})",
       "ns__t"},
      {R"({"x":1,"x":2,"name":"t","x":3})", R"({"x":1,"x":2,"name":"ns__t","x":3})", "ns__t"},
      {"{ \"name\" :\n\t\"t\" ,\r\n \"d\" : { } }", "{ \"name\" :\n\t\"ns__t\" ,\r\n \"d\" : { } }",
       "ns__t"},
      {R"({"inputSchema":{"properties":{"name":{"name":"no"}}},"name":"t"})",
       R"({"inputSchema":{"properties":{"name":{"name":"no"}}},"name":"ns__t"})", "ns__t"},
      {R"({"name":"\u0074\n\"\\\/"})", R"({"name":"ns__\u0074\n\"\\\/"})", "ns__t\n\"\\/"},
      {R"({"n\u0061me":"t"})", R"({"n\u0061me":"ns__t"})", "ns__t"},
      {"{\"name\":\"\xC3\xA9\xF0\x9F\x98\x80\",\"d\":\"\\ud800\"}",
       "{\"name\":\"ns__\xC3\xA9\xF0\x9F\x98\x80\",\"d\":\"\\ud800\"}",
       "ns__\xC3\xA9\xF0\x9F\x98\x80"},
      {"{\"name\":\"t\",\"d\":\"\xFF\xC3\"}", "{\"name\":\"ns__t\",\"d\":\"\xFF\xC3\"}", "ns__t"},
      {R"({"title":"name","description":"\"name\":\"x\"","name":"t"})",
       R"({"title":"name","description":"\"name\":\"x\"","name":"ns__t"})", "ns__t"},
      {R"({"name":"ns__t"})", R"({"name":"ns__ns__t"})", "ns__ns__t"},
  };
  for (const auto& r : table) {
    auto found = only(r.item);
    EXPECT_EQ(found.raw, r.raw);
    EXPECT_EQ(found.key, r.key);
  }
}

TEST(list_page, without_a_prefix_items_are_verbatim) {
  EXPECT_EQ(only(R"({"name":"a\u0062"})", "").raw, R"({"name":"a\u0062"})");
  EXPECT_EQ(only(R"({"name":"a\u0062"})", "").key, "ab");
  auto resource = only(R"({"name":"n","uri":"file:\/\/\/x"})", "ns__", resources);
  EXPECT_EQ(resource.raw, R"({"name":"n","uri":"file:\/\/\/x"})") << "URIs are never rewritten";
  EXPECT_EQ(resource.key, "file:///x");
}

TEST(list_page, separators_are_escaped_for_json) {
  auto found = only(R"({"name":"t"})", "ns\"\\\n\xC3\xA9");
  EXPECT_EQ(found.raw, "{\"name\":\"ns\\\"\\\\\\n\xC3\xA9t\"}");
  EXPECT_EQ(found.key, "ns\"\\\n\xC3\xA9t");
}

TEST(list_page, deep_items_pass) {
  auto deep = [](std::size_t n) {
    return R"({"name":"t","d":)" + std::string(n, '[') + std::string(n, ']') + "}";
  };
  EXPECT_EQ(only(deep(4093)).key, "ns__t");
  EXPECT_TRUE(read_list_page("{\"tools\":[" + deep(4094) + "]}", tools, "").has_error());
}

TEST(list_page, unusable_items_are_left_out) {
  std::string fits(limits::name_bytes - 4, 'x');
  for (std::string item :
       {R"({})", R"({"title":"x"})", R"({"name":1})", R"({"name":null})", R"({"name":["x"]})",
        R"({"name":{"name":"x"}})", R"({"name":""})", R"({"name":"a","name":"b"})",
        R"({"name":"a","name":"a"})", R"({"name":"a","n\u0061me":"b"})", R"({"name":"a","name":1})",
        R"("name")", "1", "null", "[]", R"([{"name":"x"}])", "{\"name\":\"\xFF\"}"}) {
    std::size_t skipped = 7;
    auto page = read_list_page(R"({"tools":[{"name":"a"},)" + item + R"(,{"name":"b"}]})", tools,
                               "ns__", &skipped);
    ASSERT_TRUE(page.has_value()) << item;
    EXPECT_EQ(page->items.size(), 2u) << item;
    EXPECT_EQ(skipped, 1u) << item;
  }
  EXPECT_EQ(only(R"({"name":")" + fits + "\"}").key.size(), limits::name_bytes);
  auto page = read_list_page(R"({"tools":[{"name":"x)" + fits + "\"}]}", tools, "ns__");
  ASSERT_TRUE(page.has_value());
  EXPECT_TRUE(page->items.empty()) << "the prefix counts";
}

TEST(list_page, next_cursor) {
  auto next = [](std::string_view tail) {
    auto page = read_list_page("{\"tools\":[]" + std::string(tail) + "}", tools, "ns__");
    EXPECT_TRUE(page.has_value()) << tail;
    return std::pair(page->more, page->next_cursor);
  };
  EXPECT_EQ(next(""), std::pair(false, std::string()));
  EXPECT_EQ(next(R"(,"nextCursor":"abc")"), std::pair(true, std::string("\"abc\"")));
  EXPECT_EQ(next(R"(,"nextCursor":"")"), std::pair(true, std::string("\"\"")));
  EXPECT_EQ(next(R"(,"nextCursor": "\u0041" )"), std::pair(true, std::string(R"("\u0041")")));
  EXPECT_EQ(next(R"(,"nextCursor":null)"), std::pair(false, std::string()));
  EXPECT_EQ(next(R"(,"next\u0043ursor":"x")"), std::pair(true, std::string("\"x\"")));
  EXPECT_EQ(next(R"(,"nextcursor":"x")"), std::pair(false, std::string()));
}

TEST(list_page, problems) {
  for (std::string_view text : {"",
                                "null",
                                "[]",
                                "1",
                                "{}",
                                R"({"tool":[]})",
                                R"({"tools":{}})",
                                R"({"tools":null})",
                                R"({"tools":"x"})",
                                R"({"tools":[]} x)",
                                R"({"tools":[)",
                                R"({"tools":[]})"
                                "}",
                                R"({"tools":[{"name":"a"})",
                                R"({"tools":[{"name":"a"},]})",
                                R"({"tools":[{"name":a}]})",
                                R"({"tools":[],"tools":[]})",
                                R"({"tools":[],"t\u006fols":[]})",
                                R"({"tools":[],})",
                                R"({"tools":[{"name"}]})",
                                R"({"tools":[01]})",
                                "{\"tools\":[\"\n\"]}",
                                R"({"result":{"tools":[]}})"}) {
    auto page = read_list_page(text, tools, "ns__");
    ASSERT_TRUE(page.has_error()) << text;
    EXPECT_FALSE(page.error().what.empty());
  }
}

TEST(list_page, length_is_bounded) {
  std::string text = R"({"tools":[{"name":"t"})";
  for (std::size_t i = 1; i < limits::list_items; ++i) text += R"(,{"name":"t"})";
  auto page = read_list_page(text + "]}", tools, "ns__");
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->items.size(), limits::list_items);
  EXPECT_TRUE(read_list_page(text + R"(,{"name":"t"}]})", tools, "ns__").has_error());
}

}  // namespace
}  // namespace gate::mcp
