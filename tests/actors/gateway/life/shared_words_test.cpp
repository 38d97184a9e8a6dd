// What instances of a fleet tell each other about a session that several of them hold.
#include "tests/actors/support/a_fleet.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

TEST_F(a_fleet, hands_an_answer_to_the_instance_that_asked) {
  begin(R"({"sampling":{}})");
  a.always("tools/call", reply{.open = true});
  const auto r = one.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"),
                      R"({"id":"q","jsonrpc":"2.0","method":"sampling/createMessage"})");
  w.settle();
  ASSERT_EQ(r->events().size(), 1U);
  const auto id = at(r->events()[0], "id");
  EXPECT_EQ(two.post(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{ "n": 1.0 }})")->status, 202);
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(a.last("response")->body, R"({"jsonrpc":"2.0","id":"q","result":{ "n": 1.0 }})");
  EXPECT_EQ(a.last("response")->session, a.last("tools/call")->session);
  EXPECT_EQ(two.post(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})")->status, 202);
  EXPECT_EQ(a.count("response"), 1U) << "once";
}

TEST_F(a_fleet, hands_an_answer_to_an_instance_that_took_the_session_up_at_the_same_moment) {
  begin(R"({"sampling":{}})");
  a.always("tools/call", reply{.open = true});
  store->delay(100ms);
  two.call("1", "a__x");
  three.request("2", "ping");
  w.advance(100ms);
  fake_upstream::push(a.last("tools/call"),
                      R"({"id":"q","jsonrpc":"2.0","method":"sampling/createMessage"})");
  w.settle();
  const auto& asked = *w.receipts(1).back();
  ASSERT_EQ(asked.events().size(), 1U);
  three.post(R"({"jsonrpc":"2.0","id":)" + at(asked.events()[0], "id") + R"(,"result":{}})");
  w.advance(100ms);
  EXPECT_EQ(a.count("response"), 1U);
}

TEST_F(a_fleet, hands_an_answer_to_an_instance_that_it_has_not_heard_of) {
  begin(R"({"sampling":{}})");
  a.always("tools/call", reply{.open = true});
  two.request("1", "ping");
  store->hold_news(true);
  const auto r = three.call("2", "a__x");
  store->drop_news();  // that it has the session, too
  store->hold_news(false);
  fake_upstream::push(a.last("tools/call"),
                      R"({"id":"q","jsonrpc":"2.0","method":"sampling/createMessage"})");
  w.settle();
  ASSERT_EQ(r->events().size(), 1U);
  const auto id = at(r->events()[0], "id");
  EXPECT_EQ(two.post(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})")->status, 202);
  EXPECT_EQ(a.count("response"), 1U);
}

TEST_F(a_fleet, hands_a_cancellation_to_the_instance_that_runs_the_call) {
  begin();
  a.always("tools/call", reply::silence());
  const auto r = one.call("7", "a__x");
  EXPECT_EQ(two.cancel("7")->status, 202);
  EXPECT_EQ(a.count("notifications/cancelled"), 1U);
  EXPECT_TRUE(a.last("tools/call")->abandoned);
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(a.count("tools/call"), 1U);
}

/// A client answers, cancels, tells its progress and leaves at another instance than the one that
/// runs its call, while something is wrong.
struct handing_over : a_fleet {
  receipt_ptr called;
  std::string question;

  handing_over() {
    begin(R"({"sampling":{}})");
    a.always("tools/call", reply{.open = true});
    two.request("2", "ping");
    called = one.call("1", "a__x");
    fake_upstream::push(a.last("tools/call"),
                        R"({"id":"q","jsonrpc":"2.0","method":"sampling/createMessage",)"
                        R"("params":{"_meta":{"progressToken":"p"}}})");
    w.settle();
    question = at(called->events().at(0), "id");
  }
  receipt_ptr answer() {
    return two.post(R"({"jsonrpc":"2.0","id":)" + question + R"(,"result":{}})");
  }
  receipt_ptr progress() {
    return two.notify("notifications/progress",
                      R"({"progressToken":)" + question + R"(,"progress":1})");
  }
  static void expect_lost(const receipt_ptr& r) {
    EXPECT_EQ(r->status, 503) << r->body;
    EXPECT_EQ(r->header("Retry-After"), "1");
    EXPECT_EQ(r->endings, 1);
  }
  std::string ending(std::string_view method) const {
    const auto lines = w.audit(method);
    return lines.empty() ? "none" : at(lines.back(), "outcome") + at(lines.back(), "error");
  }
};

TEST_F(handing_over, is_acknowledged_when_the_store_has_taken_the_word) {
  store->delay(100ms);
  const auto answered = answer(), cancelled = two.cancel("1"), told = progress();
  w.advance(100ms);
  for (const auto& r : {answered, cancelled, told}) EXPECT_EQ(r->endings, 0) << "it is looked for";
  w.advance(100ms);
  for (const auto& r : {answered, cancelled, told}) {
    EXPECT_EQ(r->status, 202);
    EXPECT_EQ(r->endings, 1);
  }
  EXPECT_EQ(a.count("response"), 1U);
  EXPECT_EQ(a.count("notifications/cancelled"), 1U);
  EXPECT_EQ(ending("response"), R"("ok")");
}

TEST_F(handing_over, is_refused_while_the_store_is_away) {
  store->go();
  w.settle();
  for (const auto& r : {answer(), two.cancel("1"), progress()}) expect_lost(r);
  store->back();
  w.settle();
  EXPECT_EQ(answer()->status, 202) << "it may come again";
  EXPECT_EQ(a.count("response"), 1U);
}

TEST_F(handing_over, is_refused_when_the_store_does_not_say_so_in_time) {
  store->fall_silent();
  const auto r = answer();
  w.advance(limits::store_operation - 1ms);
  EXPECT_EQ(r->endings, 0);
  w.advance(1ms);
  expect_lost(r);
}

TEST_F(handing_over, of_an_answer_is_refused_when_nobody_listens_there) {
  store->cut_off(0);
  w.settle();
  expect_lost(answer());
  EXPECT_EQ(ending("response"), R"("error""what this is about is not here, and the instance )"
                                R"(that has it could not be told")");
  for (const auto& r : {two.cancel("1"), progress()})
    EXPECT_EQ(r->status, 202) << "nothing goes on where nobody is";
  EXPECT_FALSE(called->stream_ended) << "the call goes on";
}

TEST_F(handing_over, has_no_bytes_but_those_of_a_word) {
  const std::string large(limits::fleet_word_bytes, 'x');
  expect_lost(
      two.post(R"({"jsonrpc":"2.0","id":)" + question + R"(,"result":{"x":")" + large + "\"}}"));
}

TEST_F(handing_over, is_not_for_sessions_that_nobody_else_holds) {
  client alone(w, 2);
  alone.initialize();
  EXPECT_EQ(alone.post(R"({"jsonrpc":"2.0","id":7,"result":{}})")->status, 202);
  EXPECT_EQ(ending("response"), R"("error""nobody asked")");
  EXPECT_EQ(alone.cancel("7")->status, 202);
}

TEST_F(handing_over, of_its_end_waits_for_the_store) {
  store->delay(100ms);
  const auto r = two.end();
  EXPECT_EQ(r->endings, 0);
  w.advance(100ms);
  EXPECT_EQ(r->status, 204);
  EXPECT_TRUE(known_as_ended());
  EXPECT_TRUE(called->stream_ended);
}

TEST_F(handing_over, of_its_end_is_told_when_the_store_returns) {
  store->go();
  w.settle();
  expect_lost(two.end());
  EXPECT_EQ(two.request("9", "ping")->status, 404) << "it has ended here";
  store->back();
  w.settle();
  EXPECT_TRUE(known_as_ended());
  w.advance(2s);
  EXPECT_TRUE(called->stream_ended);
  EXPECT_EQ(one.request("9", "ping")->status, 404);
}

TEST_F(handing_over, of_its_end_is_refused_when_the_store_does_not_say_so) {
  store->fall_silent();
  const auto r = two.end();
  w.advance(limits::store_operation);
  expect_lost(r);
  store->speak();
  w.advance(2s);
  EXPECT_TRUE(known_as_ended());
}

TEST_F(a_fleet, does_nothing_for_words_that_are_forged_or_said_again) {
  begin();
  a.always("tools/call", reply::silence());
  two.request("1", "ping");
  one.call("7", "a__x");
  store->hold_news(true);
  two.cancel("7");
  ASSERT_EQ(store->held(), 1U);
  std::string channel, text;
  for (const auto& line : store->seen())
    if (line.starts_with("PUBLISH ")) {
      const auto blank = line.find(' ', 8);
      channel = line.substr(8, blank - 8);
      text = line.substr(blank + 1);
    }
  store->drop_news();
  store->hold_news(false);
  auto forged = text;
  forged.back() = static_cast<char>(forged.back() ^ 1);
  for (const auto& odd : {forged, std::string{}, std::string(" "), std::string("x y")}) {
    store->publish({channel, odd});
    w.settle();
  }
  EXPECT_EQ(a.count("notifications/cancelled"), 0U);
  store->publish({channel, text});
  w.settle();
  EXPECT_EQ(a.count("notifications/cancelled"), 1U);
  one.call("7", "a__x");  // another one by the same name
  store->publish({channel, text});
  w.settle();
  EXPECT_EQ(a.count("notifications/cancelled"), 1U) << "it was said before";
}

TEST_F(a_fleet, tells_its_client_where_it_listens) {
  begin();
  one.call("1", "a__x");
  const auto stream = two.get();
  ASSERT_EQ(a.under_way("GET").size(), 1U) << "by the instance where the client listens";
  EXPECT_EQ(a.under_way("GET")[0]->unit, 1U);
  a.announce(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}})");
  w.settle();
  ASSERT_EQ(stream->events().size(), 1U);
  const auto moved = three.get();
  EXPECT_EQ(a.under_way("GET").size(), 1U);
  EXPECT_EQ(a.under_way("GET")[0]->unit, 2U) << "it has gone elsewhere";
  EXPECT_TRUE(stream->stream_ended && moved->streaming);
}

TEST_F(a_fleet, listens_to_servers_that_are_first_used_elsewhere) {
  begin();
  const auto stream = one.get();
  EXPECT_EQ(a.under_way("GET").size(), 0U);
  two.call("1", "a__x");
  ASSERT_EQ(a.under_way("GET").size(), 1U);
  EXPECT_EQ(a.under_way("GET")[0]->unit, 0U) << "where its client listens";
  EXPECT_EQ(a.under_way("GET")[0]->session, a.last("tools/call")->session);
  EXPECT_EQ(a.count("initialize"), 1U);
  a.announce(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}})");
  w.settle();
  EXPECT_EQ(stream->events().size(), 1U);
}

TEST_F(a_fleet, tells_of_resources_where_the_client_listens) {
  a.capabilities = R"({"resources":{"subscribe":true}})";
  a.resources = {R"({"uri":"file:///r","name":"r"})"};
  begin();
  EXPECT_EQ(one.request("1", "resources/subscribe", R"({"uri":"file:///r"})")->status, 200);
  ASSERT_EQ(a.count("resources/subscribe"), 1U);
  const auto stream = two.get();
  EXPECT_EQ(a.count("resources/subscribe"), 1U) << "the server knows";
  const auto updated = [](std::string_view uri) {
    return R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":")" +
           std::string(uri) + "\"}}";
  };
  a.announce(updated("file:///r"));
  a.announce(updated("file:///other"));
  w.settle();
  EXPECT_EQ(stream->events(), std::vector<std::string>{updated("file:///r")});
  a.next("tools/call", reply{.open = true});
  one.call("3", "a__x");
  fake_upstream::push(a.last("tools/call"), updated("file:///r"));
  w.settle();
  EXPECT_EQ(stream->events().size(), 2U) << "said on the stream of a call elsewhere";
  // Who finds out that a server has forgotten the session tells it again.
  a.forget_sessions();
  two.call("2", "a__x");
  EXPECT_EQ(a.count("resources/subscribe"), 2U);
}

TEST_F(a_fleet, tells_a_client_that_comes_back_elsewhere_what_is_still_to_come) {
  begin();
  const auto stream = one.get();
  w.vanish(stream);
  two.more_headers = {"Last-Event-ID: 0-1"};
  const auto back = two.get();
  ASSERT_TRUE(back->streaming) << back->status;
  EXPECT_EQ(two.call("1", "a__x")->status, 200);
  a.announce(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}})");
  w.settle();
  const auto all = back->events();
  ASSERT_FALSE(all.empty());
  EXPECT_NE(all.back().find("notifications/message"), std::string::npos);
}

}  // namespace
}  // namespace gate
