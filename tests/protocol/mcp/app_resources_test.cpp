#include "protocol/mcp/app_resources.hpp"

#include <gtest/gtest.h>

namespace gate::mcp {
namespace {

TEST(app_resources, are_minted_in_a_federation) {
  EXPECT_EQ(minted_uri("gh", "ui://clock/face"), "ui://gate/gh/clock/face");
  EXPECT_EQ(minted_uri("gh", "ui://gate/other/x"), "ui://gate/gh/gate/other/x");
  EXPECT_EQ(minted_uri("gh", "ui://"), "ui://gate/gh/");
  for (const auto other : {"file:///a", "UI://a", "ui:/a", "", "x-ui://a"})
    EXPECT_FALSE(minted_uri("gh", other)) << other;
  EXPECT_FALSE(minted_uri("", "ui://clock/face"));
}

TEST(app_resources, are_read_as_they_were_minted) {
  for (const auto own : {"ui://clock/face", "ui://gate/other/x", "ui://", "ui://a?b#c"}) {
    const auto minted = minted_uri("gh", own);
    const auto read = read_minted(*minted);
    ASSERT_TRUE(read) << *minted;
    EXPECT_EQ(read->space, "gh");
    EXPECT_EQ(read->own, own);
    EXPECT_EQ(own_uri("gh", *minted), own);
    EXPECT_EQ(own_uri("notes", *minted), *minted) << "it is another's";
    EXPECT_EQ(own_uri("", *minted), *minted);
  }
  for (const auto none : {"ui://clock/face", "ui://gate", "ui://gate/", "ui://gate/gh",
                          "ui://gate//x", "ui://gateway/gh/x", "file:///gate/gh/x", ""}) {
    EXPECT_FALSE(read_minted(none)) << none;
    EXPECT_EQ(own_uri("gh", none), none);
  }
}

std::string minted(list_kind kind, std::string raw, std::string* key = nullptr) {
  list_item item{key ? *key : "", std::move(raw)};
  mint_item(kind, "gh", item);
  if (key) *key = item.key;
  return item.raw;
}

TEST(app_resources, of_tools) {
  EXPECT_EQ(
      minted(list_kind::tools, R"({"name":"a","_meta":{"ui":{"x":1.0,"resourceUri":"ui:\/\/a/b"},)"
                               R"("ui/resourceUri":"ui://a/b","other":"ui://a/b"}})"),
      R"({"name":"a","_meta":{"ui":{"x":1.0,"resourceUri":"ui://gate/gh/a/b"},)"
      R"("ui/resourceUri":"ui://gate/gh/a/b","other":"ui://a/b"}})");
  for (const auto same :
       {R"({"name":"a"})", R"({"name":"a","_meta":{}})", R"({"_meta":{"ui":{"resourceUri":7}}})",
        R"({"_meta":{"ui":"ui://a"}})", R"({"_meta":{"ui":{"resourceUri":"https://a"}}})",
        R"({"ui":{"resourceUri":"ui://a"}})"})
    EXPECT_EQ(minted(list_kind::tools, same), same);
}

TEST(app_resources, of_resources_and_templates) {
  std::string key = "ui://a/b";
  EXPECT_EQ(minted(list_kind::resources, R"({"name":"ui://a/b","uri":"ui://a/b"})", &key),
            R"({"name":"ui://a/b","uri":"ui://gate/gh/a/b"})");
  EXPECT_EQ(key, "ui://gate/gh/a/b");
  key = "ui://a/{b}";
  EXPECT_EQ(minted(list_kind::templates, R"({"uriTemplate":"ui://a/{b}"})", &key),
            R"({"uriTemplate":"ui://gate/gh/a/{b}"})");
  EXPECT_EQ(key, "ui://gate/gh/a/{b}");
  key = "file:///a";
  EXPECT_EQ(minted(list_kind::resources, R"({"uri":"file:///a"})", &key), R"({"uri":"file:///a"})");
  EXPECT_EQ(key, "file:///a");
}

TEST(app_resources, stay_where_nothing_is_rewritten) {
  list_item item{"ui://a", R"({"uri":"ui://a"})"};
  mint_item(list_kind::resources, "", item);
  EXPECT_EQ(item.key, "ui://a");
  EXPECT_EQ(item.raw, R"({"uri":"ui://a"})");
}

}  // namespace
}  // namespace gate::mcp
