#include "actors/router/subscription_upkeep.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct subscriptions_of_clients : sim::router_stage {
  sessions::session_ptr s = open();

  void subscribe() {
    post(s->id, R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})");
    for (auto& [upstream, wanted] : doors.take<fetch_list>())
      list(upstream, wanted, {upstream == 0 ? "u:1" : "u:2"});
    post(s->id,
         R"({"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"u:1"}})");
  }
  void update(std::size_t upstream, const std::string& uri) {
    client_notification m{
        s->key, upstream,
        R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":")" + uri +
            "\"}}",
        '"' + uri + '"', 0};
    it.calls.on_client_notification(m);
  }
};

TEST_F(subscriptions_of_clients, say_who_hears_of_what) {
  const auto stream = listen(s);
  subscribe();
  update(0, "u:1");
  EXPECT_EQ(stream->events().size(), 1U) << "it may come before the answer";
  answer("{}");
  update(0, "u:1");
  EXPECT_EQ(stream->events().size(), 2U);
  update(0, "u:1/part");
  EXPECT_EQ(stream->events().size(), 3U) << "a part of it";
  update(0, "u:2");
  update(1, "u:1");
  EXPECT_EQ(stream->events().size(), 3U) << "another resource, another's resource";
  post(s->id,
       R"({"jsonrpc":"2.0","id":3,"method":"resources/unsubscribe","params":{"uri":"u:1"}})");
  answer("{}");
  update(0, "u:1");
  EXPECT_EQ(stream->events().size(), 3U);
}

TEST_F(subscriptions_of_clients, are_made_again_when_their_session_died) {
  subscribe();
  answer("{}");
  session_lost m;
  m.client = s->key;
  m.upstream = 0;
  it.calls.on_session_lost(m);
  EXPECT_TRUE(doors.take<subscribe_again>().empty()) << "at the next tick";
  it.on_timer(timer::upkeep);
  const auto again = doors.take<subscribe_again>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].first, 0U);
  EXPECT_EQ(again[0].second.uris, std::vector<std::string>{R"("u:1")"});
  it.calls.on_session_lost(m);
  it.on_timer(timer::upkeep);
  EXPECT_TRUE(doors.take<subscribe_again>().empty()) << "it died of them, perhaps";
  pass(limits::renewal_first);
  it.on_timer(timer::upkeep);
  EXPECT_EQ(doors.take<subscribe_again>().size(), 1U);
}

TEST_F(subscriptions_of_clients, wait_for_the_upstreams_successor) {
  subscribe();
  answer("{}");
  doors.up[0] = false;
  it.calls.on_upstream_lost(0);
  it.on_timer(timer::upkeep);
  EXPECT_TRUE(doors.take<subscribe_again>().empty());
  doors.up[0] = true;
  it.subscriptions.lost(0);
  it.subscriptions.renew();
  EXPECT_EQ(doors.take<subscribe_again>().size(), 1U);
}

TEST_F(subscriptions_of_clients, move_with_their_upstream) {
  subscribe();
  answer("{}");
  reload(R"({"upstreams":[{"id":"a","url":"http://elsewhere.test/mcp","namespace":"a"},)"
         R"({"id":"b","url":"http://b.test/mcp","namespace":"b"}]})");
  const auto again = doors.take<subscribe_again>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].first, 2U);
}

}  // namespace
}  // namespace gate::routing
