#include "actors/router/list_news.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct news_of_lists : sim::router_stage {
  sessions::session_ptr s = open();
  sim::receipt_ptr stream = listen(s);

  void serve(std::vector<std::string> of_a) {
    post(s->id, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
    for (auto& [upstream, wanted] : doors.take<fetch_list>())
      list(upstream, wanted, upstream == 0 ? of_a : std::vector<std::string>{"b__y"});
  }
  void change(std::size_t upstream, std::uint64_t client = 0) {
    list_changed m;
    m.upstream = upstream;
    m.kind = mcp::list_kind::tools;
    m.client = client;
    m.certain = true;
    it.news.on_list_changed(m);
  }
  void rest() {
    pass(limits::list_changed_debounce);
    it.on_timer(timer::news);
  }
};

TEST_F(news_of_lists, come_once_for_a_burst) {
  serve({"a__x"});
  change(0);
  EXPECT_EQ(doors.timer(timer::news),
            std::chrono::milliseconds(limits::list_changed_debounce).count());
  change(0);
  change(0);
  EXPECT_TRUE(stream->events().empty());
  rest();
  ASSERT_EQ(stream->events().size(), 1U);
  EXPECT_NE(stream->events()[0].find("notifications/tools/list_changed"), std::string::npos);
  rest();
  EXPECT_EQ(stream->events().size(), 1U);
}

TEST_F(news_of_lists, forget_what_was_kept_first) {
  serve({"a__x"});
  change(0);
  post(s->id, R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
  const auto again = doors.take<fetch_list>();
  ASSERT_EQ(again.size(), 1U) << "of the one that changed";
  EXPECT_EQ(again[0].first, 0U);
}

TEST_F(news_of_lists, of_one_session_are_about_its_client) {
  serve({"a__x"});
  const auto other = open();
  const auto others = listen(other);
  change(0, s->key);
  rest();
  EXPECT_EQ(stream->events().size(), 1U);
  EXPECT_TRUE(others->events().empty());
  EXPECT_TRUE(s->own_lists);
  EXPECT_TRUE(it.shelf.holds_place(s->key));
}

TEST_F(news_of_lists, that_all_heard_make_no_lists_of_ones_own) {
  serve({"a__x"});
  change(0, s->key);
  change(0);
  rest();
  EXPECT_FALSE(it.shelf.holds_place(s->key));
  EXPECT_FALSE(s->own_lists);
  EXPECT_EQ(stream->events().size(), 1U);
}

TEST_F(news_of_lists, are_kept_for_who_is_about_to_come_back) {
  serve({"a__x"});
  stream->alive = false;
  it.on_client_gone(stream->number);
  change(0);
  rest();
  const auto again = listen(s);
  ASSERT_EQ(again->events().size(), 1U);
}

TEST_F(news_of_lists, of_a_reload_come_when_the_newcomer_has_listed) {
  serve({"a__x"});
  reload(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"},)"
         R"({"id":"b","url":"http://b.test/mcp","namespace":"b"},)"
         R"({"id":"c","url":"http://c.test/mcp","namespace":"c"}]})");
  rest();
  EXPECT_TRUE(stream->events().empty()) << "what it lists is not known yet";
  for (auto& [upstream, wanted] : doors.take<fetch_list>())
    if (upstream == 2) list(2, wanted, {"c__z"});
  rest();
  EXPECT_EQ(stream->events().size(), 1U);
}

}  // namespace
}  // namespace gate::routing
