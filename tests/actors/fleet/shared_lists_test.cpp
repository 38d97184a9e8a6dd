// Lists in the shared store: as they were written, and nothing else.
#include "actors/fleet/shared_lists.hpp"

#include <gtest/gtest.h>

#include <random>

#include "protocol/limits.hpp"
#include "protocol/resp/reader.hpp"

namespace gate::fleet {
namespace {

using namespace std::chrono_literals;

raw_list two_pages() {
  return {{R"({"tools":[],"nextCursor":"1"})", R"({"tools":[{"name":"x\n"}]})"},
          mcp::era::stateless,
          true};
}

TEST(shared_lists, are_read_as_they_were_written) {
  const auto text = written(two_pages());
  ASSERT_TRUE(text);
  const auto read = read_raw_list(*text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->pages, two_pages().pages);
  EXPECT_EQ(read->era, mcp::era::stateless);
  EXPECT_TRUE(read->makes_tasks);
}

TEST(shared_lists, that_were_cut_or_lengthened_are_none) {
  const auto text = written(two_pages()).value();
  for (std::size_t n = 0; n < text.size(); ++n)
    EXPECT_FALSE(read_raw_list(std::string_view(text).substr(0, n))) << n;
  EXPECT_FALSE(read_raw_list(text + "x"));
}

TEST(shared_lists, that_lie_about_themselves_are_none) {
  for (const auto* text : {"", "0 0 0\n", "2 0 1\n1\nx", "0 2 1\n1\nx", "0 0 1001\n", "0 0 1\n2\nx",
                           "-1 0 1\n1\nx", "0 0 1\n18446744073709551615\nx",
                           "0 0 1\n99999999999999999999\nx", "0 0 1 \n1\nx", "0  0 1\n1\nx"})
    EXPECT_FALSE(read_raw_list(text)) << text;
  EXPECT_TRUE(read_raw_list("0 0 1\n1\nx")) << "what its pages say is the reader's concern";
}

TEST(shared_lists, hold_no_more_than_was_there_however_they_were_spoilt) {
  std::mt19937 dice(7);
  const auto draw = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(dice);
  };
  constexpr std::string_view likely = "0123456789 \n-{x";
  const auto good = written(two_pages()).value();
  for (int i = 0; i < 20'000; ++i) {
    auto text = good;
    for (auto n = 1 + draw(4); n > 0; --n) text[draw(text.size())] = likely[draw(likely.size())];
    const auto list = read_raw_list(text);
    if (!list) continue;
    std::size_t bytes = 0;
    for (const auto& page : list->pages) bytes += page.size();
    ASSERT_LT(bytes, text.size()) << text;
    ASSERT_EQ(read_raw_list(written(*list).value())->pages, list->pages) << text;
  }
}

TEST(shared_lists, are_bounded) {
  raw_list large{{std::string(limits::store_list_bytes, 'x')}};
  EXPECT_TRUE(written(large));
  large.pages.emplace_back("x");
  EXPECT_FALSE(written(large));
  EXPECT_FALSE(written({}));
  const auto size = std::to_string(limits::store_list_bytes + 1);
  EXPECT_FALSE(
      read_raw_list("0 0 1\n" + size + "\n" + std::string(limits::store_list_bytes + 1, 'x')));
}

TEST(shared_lists, are_of_one_kind_of_clients_and_one_way_to_ask) {
  const auto keys = keys_of_list("notes", mcp::list_kind::tools, 3, "ab");
  EXPECT_EQ(keys.copy, "gate:{cache:notes}:tools:3:ab");
  EXPECT_EQ(keys.fetch, "gate:{cache:notes}:tools:3:ab:fetch");
  EXPECT_EQ(keys.changed, "gate:{cache:notes}:tools:changed");
  EXPECT_EQ(keys_of_list("notes", mcp::list_kind::templates, 0, "ab").changed,
            "gate:{cache:notes}:resourceTemplates:changed");
}

TEST(shared_lists, are_read_from_answers_only) {
  using what = list_told::what;
  const auto read = [](std::string_view text) { return read_list(resp::parse(text)->root()); };
  EXPECT_EQ(read("*1\r\n$4\r\nwait\r\n")->is, what::wait);
  const auto fetch = read("*2\r\n$5\r\nfetch\r\n:17\r\n");
  EXPECT_EQ(fetch->is, what::fetch);
  EXPECT_EQ(fetch->began, 17);
  const auto kept = read("*3\r\n$4\r\nkept\r\n:8\r\n$9\r\n0 0 1\n1\nx\r\n");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->is, what::kept);
  EXPECT_EQ(kept->age, 8ms);
  EXPECT_EQ(kept->list->pages, std::vector<std::string>{"x"});
  for (const auto* text :
       {"*0\r\n", ":1\r\n", "*1\r\n$4\r\nkept\r\n", "*2\r\n$4\r\nwait\r\n:1\r\n",
        "*2\r\n$5\r\nfetch\r\n$1\r\n1\r\n", "*2\r\n$5\r\nfetch\r\n:-1\r\n",
        "*3\r\n$4\r\nkept\r\n:8\r\n:9\r\n", "*3\r\n$4\r\nkept\r\n:8\r\n$1\r\nx\r\n"})
    EXPECT_FALSE(read(text)) << text;
}

}  // namespace
}  // namespace gate::fleet
