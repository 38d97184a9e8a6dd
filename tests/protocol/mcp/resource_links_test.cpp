#include "protocol/mcp/resource_links.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol/limits.hpp"

namespace gate::mcp {
namespace {

using uris = std::vector<std::string>;

uris in(std::string_view result) {
  uris out;
  named_resources(result, [&](std::string_view uri) { out.emplace_back(uri); });
  return out;
}

TEST(resource_links, are_found_in_the_content_of_tools_and_prompts) {
  EXPECT_EQ(in(R"({"x":1,"content":[{"type":"text","text":"t"},7,[],
                  {"uri":"a://1","type":"resource_link","name":"n"},
                  {"type":"resource","resource":{"text":"","uri":"b:\/\/2"}}]})"),
            (uris{R"("a://1")", R"("b:\/\/2")"}));
  EXPECT_EQ(in(R"({"messages":[{"role":"user","content":{"type":"resource_link","uri":"c"}},
                  {"content":[{"type":"resource","resource":{"uri":"d"}}]},8]})"),
            (uris{R"("c")", R"("d")"}));
  EXPECT_EQ(in(R"({"c\u006fntent":[{"t\u0079pe":"resource\u005flink","ur\u0069":"e"}]})"),
            uris{R"("e")"});
}

TEST(resource_links, are_found_nowhere_else) {
  for (auto text :
       {"", "7", "[]", "{}", R"({"content":7})", R"({"content":[{"type":"resource_link"}]})",
        R"({"content":[{"type":"resource_link","uri":7}]})",
        R"({"content":[{"type":"resource","uri":"a"}]})",
        R"({"content":[{"type":"resource","resource":7}]})",
        R"({"content":[{"type":"text","uri":"a"}]})", R"({"content":[{"uri":"a"}]})",
        R"({"content":[{"type":7,"uri":"a"}]})",
        R"({"structuredContent":{"content":[{"type":"resource_link","uri":"a"}]}})",
        R"({"content":[{"type":"text","text":"{\"type\":\"resource_link\",\"uri\":\"a\"}"}]})"})
    EXPECT_EQ(in(text), uris{}) << text;
}

TEST(resource_links, are_looked_at_up_to_a_number) {
  std::string content, messages;
  for (std::size_t i = 0; i < 3 * limits::named_uris; ++i) {
    const auto link = R"({"type":"resource_link","uri":")" + std::to_string(i) + R"("})";
    content += (i ? "," : "") + link;
    messages.append(i ? "," : "").append(R"({"content":)").append(link).append("}");
  }
  const auto last = '"' + std::to_string(limits::named_uris - 1) + '"';
  for (const auto& result :
       {R"({"content":[)" + content + "]}", R"({"messages":[)" + messages + "]}",
        R"({"content":[)" + content + R"(],"messages":[)" + messages + "]}"}) {
    const auto all = in(result);
    ASSERT_EQ(all.size(), limits::named_uris);
    EXPECT_EQ(all.back(), last);
  }
}

TEST(resource_links, a_word_tells_results_that_name_none) {
  EXPECT_FALSE(may_name_resources(R"({"content":[{"type":"text","text":"a resource"}]})"));
  EXPECT_FALSE(may_name_resources(""));
  EXPECT_TRUE(may_name_resources(R"({"type":"resource"})"));
  EXPECT_TRUE(may_name_resources(R"({"type":"resource_link"})"));
}

}  // namespace
}  // namespace gate::mcp
