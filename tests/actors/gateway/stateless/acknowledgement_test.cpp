// `subscriptions/listen` is acknowledged when what the server tells will be heard: its session's
// own stream is open, or is known not to be had.
#include "tests/actors/gateway/stateless/listener_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct acknowledgement : listener_stage {
  void streams_open_after(std::chrono::milliseconds time) {
    a().always("GET", reply{.after = time, .open = true});
  }
};

TEST_F(acknowledgement, waits_for_the_stream_of_its_session) {
  begin();
  streams_open_after(500ms);
  const auto r = listen();
  expect_counts(1, 0);
  EXPECT_EQ(honoured(r), "nothing yet") << "an update would be lost";
  it->advance(499ms);
  EXPECT_EQ(honoured(r), "nothing yet");
  it->advance(1ms);
  EXPECT_EQ(honoured(r), R"(["x://1"])");
  update(stream());
  EXPECT_EQ(r->events().size(), 2U);
  EXPECT_EQ(honoured(listen(R"(["x://2"])")), R"(["x://2"])") << "it is open by now";
  expect_counts(2, 0);
}

TEST_F(acknowledgement, waits_for_nothing_where_nothing_is_wanted) {
  begin();
  streams_open_after(500ms);
  EXPECT_EQ(listen("[]")->events().size(), 1U);
}

TEST_F(acknowledgement, waits_for_no_stream_that_there_is_not) {
  for (const auto& no : {reply::http(405), reply::http(404), reply::http(500),
                         reply::http(200, "p"), reply::failure(fetch_end::broken)}) {
    begin();
    auto late = no;
    late.after = 500ms;
    a().always("GET", late);
    const auto r = listen();
    EXPECT_EQ(honoured(r), "nothing yet");
    it->advance(500ms);
    EXPECT_EQ(honoured(r), R"(["x://1"])") << no.status;
    it->advance(100ms);
    EXPECT_EQ(honoured(listen(R"(["x://2"])")), R"(["x://2"])") << no.status;
    it.reset();
  }
}

TEST_F(acknowledgement, waits_no_longer_than_for_the_answer) {
  begin();
  a().always("GET", reply::silence());
  const auto r = listen();
  it->advance(59s);
  EXPECT_EQ(honoured(r), "nothing yet");
  it->advance(2s);
  EXPECT_EQ(honoured(r), R"(["x://1"])") << "it is subscribed to all the same";
  expect_counts(1, 0);
}

TEST_F(acknowledgement, waits_for_the_stream_also_if_another_wants_the_same) {
  begin();
  streams_open_after(500ms);
  const auto first = listen();
  it->advance(100ms);
  const auto second = listen();
  EXPECT_EQ(honoured(second), "nothing yet");
  leave(first);
  it->advance(400ms);
  EXPECT_EQ(honoured(second), R"(["x://1"])");
  expect_counts(1, 0);
}

TEST_F(acknowledgement, waits_while_a_good_stream_is_opened_again) {
  begin();
  const auto r = listen();
  it->advance(31s);
  streams_open_after(500ms);
  fake_upstream::close(stream());
  const auto second = listen(R"(["x://2"])");
  EXPECT_EQ(honoured(second), "nothing yet");
  it->advance(5s);
  EXPECT_EQ(honoured(second), R"(["x://2"])");
  update(stream(), "x://2");
  EXPECT_EQ(second->events().size(), 2U);
}

TEST_F(acknowledgement, is_of_the_session_that_took_the_place_of_a_lost_one) {
  begin();
  streams_open_after(500ms);
  const auto r = listen();
  it->advance(100ms);
  const auto before = a().last("resources/subscribe")->session;
  a().forget_sessions();
  one->call("9", "x");
  ASSERT_NE(a().last("resources/subscribe")->session, before);
  it->advance(400ms);
  EXPECT_EQ(honoured(r), "nothing yet") << "the stream was another session's";
  it->advance(100ms);
  EXPECT_EQ(honoured(r), R"(["x://1"])");
  update(stream());
  EXPECT_EQ(r->events().size(), 2U);
}

TEST_F(acknowledgement, is_not_waited_for_by_who_has_left) {
  begin();
  streams_open_after(500ms);
  leave(listen());
  expect_counts(1, 1);
  it->advance(1min);
  expect_counts(1, 1);
}

struct acknowledgement_of_a_stateless_server : listener_stage {
  acknowledgement_of_a_stateless_server() {
    it = std::make_unique<world>(world_options{
        .config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","protocol":"2026-07-28"}]})",
        .prepare = [](fake_network& net) {
          offer_resources(net);
          net.at("a")->stateless = true;
        }});
    meet();
  }
  static std::string says(std::string_view notifications) {
    return jsonrpc::request({}, "notifications/subscriptions/acknowledged",
                            R"({"notifications":)" + std::string(notifications) + "}");
  }
  void tells_of(std::string_view raw_uris) {
    a().always("subscriptions/listen",
               reply{.events = {says(R"({"resourceSubscriptions":)" + std::string(raw_uris) + "}")},
                     .open = true});
  }
  sight_ptr latest() { return a().last("subscriptions/listen"); }
};

TEST_F(acknowledgement_of_a_stateless_server, is_what_that_tells_of) {
  tells_of(R"(["x://2","x://7"])");
  const auto r = listen(R"(["x://1","x://2"])");
  EXPECT_EQ(honoured(r), R"(["x://2"])");
  EXPECT_EQ(at(latest()->param("notifications"), "resourceSubscriptions"), R"(["x://2"])")
      << "it is not asked for the other one any more";
  update(latest(), "x://2");
  EXPECT_EQ(r->events().size(), 2U);
  EXPECT_EQ(honoured(listen(*other, R"(["x://2"])")), R"(["x://2"])") << "as is known";
}

TEST_F(acknowledgement_of_a_stateless_server, waits_for_its) {
  a().always("subscriptions/listen", reply{.open = true});
  const auto r = listen();
  it->advance(1s);
  EXPECT_EQ(honoured(r), "nothing yet");
  fake_upstream::push(latest(), says(R"({"resourceSubscriptions":["x://1"]})"));
  it->settle();
  EXPECT_EQ(honoured(r), R"(["x://1"])");
}

TEST_F(acknowledgement_of_a_stateless_server, does_not_wait_longer_than_for_an_answer) {
  a().always("subscriptions/listen", reply{.open = true});
  const auto r = listen();
  it->advance(59s);
  EXPECT_EQ(honoured(r), "nothing yet");
  it->advance(3s);
  EXPECT_EQ(honoured(r), "");
}

TEST_F(acknowledgement_of_a_stateless_server, is_of_a_stream_that_there_is) {
  const auto first = listen();
  EXPECT_EQ(honoured(first), R"(["x://1"])");
  a().next("subscriptions/listen", reply::error(R"({"code":-32602,"message":"too many"})"));
  const auto second = listen(*other, R"(["x://1","x://2"])");
  it->advance(1s);
  EXPECT_EQ(honoured(second), R"(["x://1"])");
  ASSERT_EQ(a().under_way("subscriptions/listen").size(), 1U);
  update(a().under_way("subscriptions/listen")[0]);
  EXPECT_EQ(first->events().size(), 2U);
  EXPECT_EQ(second->events().size(), 2U);
}

TEST_F(acknowledgement_of_a_stateless_server, may_come_on_another_stream_than_the_first) {
  a().next("subscriptions/listen", reply::failure(fetch_end::broken));
  const auto first = listen();
  EXPECT_EQ(honoured(first), "nothing yet");
  it->advance(limits::stream_pause_most);
  EXPECT_EQ(honoured(first), R"(["x://1"])");
  a().next("subscriptions/listen", reply::failure(fetch_end::broken));
  const auto second = listen(*other, R"(["x://1","x://2"])");
  EXPECT_EQ(honoured(second), "nothing yet");
  it->advance(limits::stream_pause_most);
  EXPECT_EQ(honoured(second), R"(["x://1","x://2"])");
  update(latest(), "x://2");
  EXPECT_EQ(second->events().size(), 2U);
}

TEST_F(acknowledgement_of_a_stateless_server, has_its_time_whatever_streams_come_and_go) {
  listen();
  a().always("subscriptions/listen", reply::failure(fetch_end::broken));
  const auto r = listen(*other, R"(["x://1","x://2"])");
  it->advance(59s);
  EXPECT_EQ(honoured(r), "nothing yet");
  it->advance(3s);
  EXPECT_EQ(honoured(r), R"(["x://1"])");
}

TEST_F(acknowledgement_of_a_stateless_server, that_does_not_say_of_what_is_of_all) {
  a().always(
      "subscriptions/listen",
      reply{.events = {jsonrpc::request({}, "notifications/subscriptions/acknowledged", "{}")},
            .open = true});
  EXPECT_EQ(honoured(listen()), R"(["x://1"])");
}

TEST_F(acknowledgement, is_nothing_that_clients_with_sessions_wait_for) {
  begin();
  streams_open_after(500ms);
  client c(*it);
  c.initialize();
  c.get();
  const auto r = c.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  EXPECT_NE(at(r->last(), "result"), "") << "as their server answers";
}

}  // namespace
}  // namespace gate
