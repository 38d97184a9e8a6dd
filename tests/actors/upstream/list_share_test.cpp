#include "actors/upstream/list_share.hpp"

#include <gtest/gtest.h>

#include "config/validate.hpp"
#include "protocol/limits.hpp"
#include "protocol/resp/reader.hpp"

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;
config::compiled_upstream upstream_with(const std::string& more = {}) {
  auto read = config::load(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp")" + more + "}]}");
  return config::compile(std::move(read.doc))->upstreams.at(0);
}

struct a_share : ::testing::Test {
  using what = list_share::decision::what;
  static constexpr list_share::time_point noon{std::chrono::hours(12)};
  list_share it{upstream_with(), "me"};

  static fetch_list list(std::chrono::milliseconds cached = 30s) {
    fetch_list out;
    out.fill = 5;
    out.cached = cached;
    return out;
  }
  static store_told told(std::uint64_t id, std::string_view text) {
    return {id, store_outcome::ok, resp::parse(text)};
  }
  static constexpr auto fetch = "*2\r\n$5\r\nfetch\r\n:1000\r\n";
  static constexpr auto wait = "*1\r\n$4\r\nwait\r\n";
  static constexpr auto kept = "*3\r\n$4\r\nkept\r\n:8\r\n$9\r\n0 0 1\n1\nx\r\n";
};

TEST_F(a_share, is_of_lists_that_are_everybodys_and_cached) {
  EXPECT_TRUE(it.takes(list()));
  EXPECT_FALSE(it.takes(list(0ms)));
  EXPECT_FALSE(it.takes(list(limits::store_list_kept + 1ms)));
  auto m = list();
  m.client = 1;
  EXPECT_FALSE(it.takes(m));
  m = list();
  m.principal = 1;
  EXPECT_FALSE(it.takes(m));
  m = list();
  m.kind = mcp::list_kind::tasks;
  EXPECT_FALSE(it.takes(m));
  EXPECT_TRUE(list_share::fits(upstream_with()));
  EXPECT_FALSE(list_share::fits(upstream_with(R"(,"listsPerClient":true)")));
}

TEST_F(a_share, asks_for_a_list_that_is_young_enough) {
  EXPECT_EQ(it.look(list(), noon).words, (std::vector<std::string>{"30000", "me 1", "10000"}));
  EXPECT_FALSE(it.on_heard({mcp::list_kind::tools, false}, noon)) << "a doubt is no news to others";
  EXPECT_EQ(it.look(list(), noon).words[0], "0") << "it may have changed now";
  EXPECT_EQ(it.look(list(), noon + 7s).words[0], "7000");
  EXPECT_EQ(it.look(list(), noon + 1h).words[0], "30000");
  const auto forget = it.on_heard({mcp::list_kind::tools, true}, noon + 1h);
  ASSERT_TRUE(forget);
  EXPECT_EQ(forget->keys, std::vector<std::string>{"gate:{cache:a}:tools:changed"});
  EXPECT_EQ(it.look(list(), noon + 1h).words[0], "0");
  auto prompts = list();
  prompts.kind = mcp::list_kind::prompts;
  EXPECT_EQ(it.look(prompts, noon + 1h).words[0], "30000") << "another kind";
}

TEST_F(a_share, tells_the_others_what_is_news_for_all) {
  list_share other{upstream_with(), "other"}, elsewhere{upstream_with(), "elsewhere", 7};
  const auto own = it.on_heard({mcp::list_kind::prompts, true}, noon);
  EXPECT_EQ(own->words.at(2), "") << "a session of one client's has heard it";
  EXPECT_FALSE(it.on_forgotten(told(own->id, ":1\r\n")));
  const auto all = it.on_heard({mcp::list_kind::prompts, true, true}, noon);
  ASSERT_TRUE(all);
  const store_heard heard{all->words.at(1), all->words.at(2)};
  EXPECT_EQ(heard.channel, it.channel());
  EXPECT_NE(heard.channel, elsewhere.channel()) << "channels know no databases";
  EXPECT_FALSE(it.on_news(heard, noon)) << "that is its own";
  EXPECT_EQ(other.on_news(heard, noon + 1s), mcp::list_kind::prompts);
  EXPECT_FALSE(elsewhere.on_news(heard, noon));
  auto prompts = list();
  prompts.kind = mcp::list_kind::prompts;
  EXPECT_EQ(other.look(prompts, noon + 2s).words[0], "1000");
  for (const auto* text : {"", "prompts", "nothing other", " other"})
    EXPECT_FALSE(it.on_news({it.channel(), text}, noon)) << text;
}

TEST_F(a_share, tells_of_one_change_of_a_kind_at_a_time) {
  const list_heard tools{mcp::list_kind::tools, true};
  const auto first = it.on_heard(tools, noon);
  ASSERT_TRUE(first);
  EXPECT_FALSE(it.on_heard(tools, noon));
  EXPECT_FALSE(it.on_heard({mcp::list_kind::tools, true, true}, noon));
  EXPECT_TRUE(it.on_heard({mcp::list_kind::prompts, true}, noon)) << "another kind";
  EXPECT_FALSE(it.owed(mcp::list_kind::tools));
  const auto more = it.on_forgotten(told(first->id, ":1\r\n"));
  ASSERT_TRUE(more) << "once, for all that was heard";
  EXPECT_NE(more->words.at(2), "") << "some of it was everybody's";
  EXPECT_FALSE(it.on_forgotten(told(first->id, ":1\r\n"))) << "that was answered";
  EXPECT_FALSE(it.on_forgotten(told(more->id, ":1\r\n")));
  EXPECT_FALSE(it.owed(mcp::list_kind::tools));
  EXPECT_FALSE(it.on_forgotten(told(0, ":1\r\n")));
}

TEST_F(a_share, tells_again_what_the_store_has_not_taken) {
  const auto first = it.on_heard({mcp::list_kind::tools, true, true}, noon);
  EXPECT_FALSE(it.on_forgotten({first->id, store_outcome::oom, resp::parse("-OOM no\r\n")}))
      << "not at once";
  EXPECT_FALSE(it.owed(mcp::list_kind::prompts));
  const auto second = it.owed(mcp::list_kind::tools);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->words, first->words);
  it.on_turned(false, noon);
  it.on_turned(true, noon);
  const auto third = it.owed(mcp::list_kind::tools);
  ASSERT_TRUE(third) << "nobody will answer the second";
  EXPECT_FALSE(it.on_forgotten(told(second->id, ":1\r\n")));
  EXPECT_FALSE(it.on_forgotten(told(third->id, ":1\r\n")));
  EXPECT_FALSE(it.owed(mcp::list_kind::tools));
}

TEST_F(a_share, doubts_all_lists_when_news_may_have_been_missed) {
  EXPECT_FALSE(it.on_turned(true, noon)) << "there was nothing to miss";
  EXPECT_FALSE(it.on_turned(false, noon));
  EXPECT_TRUE(it.on_turned(true, noon + 5s));
  EXPECT_EQ(it.look(list(), noon + 6s).words[0], "1000");
  EXPECT_FALSE(it.on_turned(true, noon + 7s));
}

TEST_F(a_share, reads_what_another_one_has_fetched) {
  const auto id = it.look(list(), noon).id;
  const auto d = it.on_told(told(id, kept), noon);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->is, what::read);
  EXPECT_EQ(d->list.fill, 5U);
  EXPECT_EQ(d->list.age, 8ms);
  EXPECT_EQ(d->list.share, 0U);
  EXPECT_EQ(d->list.kept->pages, std::vector<std::string>{"x"});
  EXPECT_TRUE(it.empty());
  EXPECT_FALSE(it.on_told(told(id, kept), noon)) << "once";
}

TEST_F(a_share, has_kept_what_it_fetches) {
  const auto id = it.look(list(), noon).id;
  const auto d = it.on_told(told(id, fetch), noon);
  EXPECT_EQ(d->is, what::fetch);
  EXPECT_EQ(d->list.share, id);
  auto said = std::make_shared<raw_list>();
  said->pages = {"x"};
  const auto keep = it.on_read({id, said});
  ASSERT_TRUE(keep);
  EXPECT_EQ(keep->words, (std::vector<std::string>{"me 1", "1000", "0 0 1\n1\nx", "30000"}));
  EXPECT_FALSE(it.on_read({id, said})) << "once";
}

TEST_F(a_share, says_when_there_is_nothing_to_be_kept) {
  const auto id = it.look(list(), noon).id;
  it.on_told(told(id, fetch), noon);
  EXPECT_EQ(it.on_read({id, nullptr})->words[2], "") << "others need not wait";
}

TEST_F(a_share, waits_for_another_one_so_long_and_fetches_then) {
  const auto id = it.look(list(), noon).id;
  auto d = it.on_told(told(id, wait), noon);
  EXPECT_EQ(d->is, what::ask_again);
  EXPECT_EQ(it.again(d->number, noon + 1s)->id, id);
  d = it.on_told(told(id, wait), noon + limits::store_list_wait);
  EXPECT_EQ(d->is, what::fetch);
  EXPECT_EQ(d->list.share, 0U) << "the other one's is kept";
  EXPECT_FALSE(it.again(id, noon + 3s));
}

TEST_F(a_share, fetches_by_itself_without_an_answer) {
  for (const auto& m : {store_told{1, store_outcome::away, nullptr},
                        store_told{2, store_outcome::oom, resp::parse("-OOM no\r\n")},
                        told(3, "*1\r\n$4\r\nwhat\r\n"), told(4, ":1\r\n")}) {
    ASSERT_EQ(it.look(list(), noon).id, m.id);
    const auto d = it.on_told(m, noon);
    EXPECT_EQ(d->is, what::fetch) << m.id;
    EXPECT_EQ(d->list.share, 0U);
  }
}

TEST_F(a_share, gives_back_all_that_wait) {
  it.look(list(), noon);
  it.look(list(), noon);
  EXPECT_EQ(it.take_all().size(), 2U);
  EXPECT_TRUE(it.empty());
}

TEST_F(a_share, is_another_one_for_who_asks_in_another_way) {
  const auto key_of = [](const std::string& more) {
    return list_share(upstream_with(more), "me").look(list(), noon).keys[0];
  };
  EXPECT_EQ(key_of(R"(,"rateLimit":{"requestsPerMinute":5})"), key_of(""));
  EXPECT_NE(key_of(R"(,"protocol":"auto")"), key_of(""));
  EXPECT_NE(key_of(R"(,"auth":{"strategy":"static","secretRef":"S"})"), key_of(""));
}

}  // namespace
}  // namespace gate::upstream
