#include "actors/router/client_streams.hpp"

#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

struct streams_of_clients : sim::router_stage {
  sessions::session_ptr s = open();

  sim::receipt_ptr call() {
    return post(s->id,
                R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__x"}})");
  }
  void relay(std::string text) {
    call_notification m;
    m.call = doors.calls.back().second.call;
    m.text = std::move(text);
    it.calls.on_call_notification(m);
  }
};

TEST_F(streams_of_clients, tell_upstreams_that_their_client_listens) {
  call();
  doors.take<profile_changed>();
  const auto r = listen(s);
  auto told = doors.take<profile_changed>();
  ASSERT_EQ(told.size(), 1U) << "the one that it has a session at";
  EXPECT_TRUE(told[0].second.profile->listening);
  r->alive = false;
  it.on_client_gone(r->number);
  told = doors.take<profile_changed>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].second.profile->listening && told[0].second.profile->away);
  pass(limits::return_time);
  it.on_timer(timer::upkeep);
  told = doors.take<profile_changed>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_FALSE(told[0].second.profile->listening);
}

TEST_F(streams_of_clients, begin_with_the_first_word_of_a_call) {
  const auto r = call();
  EXPECT_FALSE(r->streaming);
  relay(R"({"n":1})");
  EXPECT_TRUE(r->streaming);
  answer(R"({"done":true})");
  EXPECT_EQ(r->events().size(), 2U);
  EXPECT_TRUE(r->stream_ended);
}

TEST_F(streams_of_clients, begin_when_a_call_takes_long) {
  const auto r = call();
  pass(limits::plain_answer - std::chrono::milliseconds(1));
  it.on_timer(timer::upkeep);
  EXPECT_FALSE(r->streaming);
  pass(std::chrono::milliseconds(1));
  it.on_timer(timer::upkeep);
  EXPECT_TRUE(r->streaming);
}

TEST_F(streams_of_clients, go_on_where_they_broke) {
  const auto r = call();
  relay(R"({"n":1})");
  const auto id = r->stream.substr(r->stream.rfind("id: ") + 4);
  const auto last = id.substr(0, id.find('\n'));
  r->alive = false;
  it.on_client_gone(r->number);
  relay(R"({"n":2})");
  const auto again = arrive(verb::get, {"Accept: text/event-stream", "Mcp-Session-Id: " + s->id,
                                        "Last-Event-ID: " + last});
  EXPECT_EQ(again->events(), std::vector<std::string>{R"({"n":2})"});
  answer("{}");
  EXPECT_EQ(again->events().size(), 2U);
  EXPECT_TRUE(again->stream_ended);
  const auto over = arrive(verb::get, {"Accept: text/event-stream", "Mcp-Session-Id: " + s->id,
                                       "Last-Event-ID: nonsense"});
  EXPECT_EQ(over->status, 400);
}

TEST_F(streams_of_clients, end_with_the_process_when_nothing_runs) {
  const auto stream = listen(s);
  const auto r = call();
  it.streams.wind_down();
  EXPECT_FALSE(stream->stream_ended) << "the call may ask on it";
  answer("{}");
  EXPECT_TRUE(r->done());
  EXPECT_TRUE(stream->stream_ended);
}

TEST_F(streams_of_clients, are_told_that_somebody_is_there) {
  const auto stream = listen(s);
  const auto before = stream->stream.size();
  pass(it.shared().snapshot->doc.server.keep_alive);
  it.on_timer(timer::upkeep);
  EXPECT_GT(stream->stream.size(), before);
}

}  // namespace
}  // namespace gate::routing
