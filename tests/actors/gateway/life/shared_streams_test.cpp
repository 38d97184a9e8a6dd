// Clients come back for the stream of a call to another instance than the one where it runs.
#include "tests/actors/support/a_fleet.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto said = R"({"jsonrpc":"2.0","method":"notifications/message","params":{"n":)";

/// A call runs at the first instance, has said one thing, and its client's connection broke.
struct a_lent_stream : a_fleet {
  receipt_ptr called;
  sight_ptr work;
  std::string last;  ///< the id of the event that its client has

  explicit a_lent_stream(bool breaks = true) {
    begin();
    a.always("tools/call", reply{.open = true});
    two.request("8", "ping");
    three.request("8", "ping");
    one.more_headers = {"traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"};
    called = one.call("1", "a__x");
    one.more_headers.clear();
    work = a.last("tools/call");
    say(1);
    last = last_id(called);
    if (breaks) w.vanish(called);
    w.settle();
  }
  static std::string last_id(const receipt_ptr& r) {
    const auto at = r->stream.rfind("id: ");
    return at == std::string::npos ? ""
                                   : r->stream.substr(at + 4, r->stream.find('\n', at) - at - 4);
  }
  void say(int n) {
    fake_upstream::push(work, said + std::to_string(n) + "}}");
    w.settle();
  }
  void answer(std::string_view raw = R"({"n":1.0})") {
    fake_upstream::push(work, jsonrpc::result_head(work->id) + std::string(raw) + "}");
    w.settle();
  }
  static receipt_ptr come(client& c, const std::string& id) {
    c.more_headers = {"Last-Event-ID: " + id};
    auto out = c.get();
    c.more_headers.clear();
    return out;
  }
  receipt_ptr come(client& c) const { return come(c, last); }
  static std::vector<std::string> told(const receipt_ptr& r) {
    std::vector<std::string> out;
    for (const auto& e : r->events())
      out.push_back(at(e, "params", "n").empty() ? at(e, "result") : at(e, "params", "n"));
    return out;
  }
  static void expect_gone(const receipt_ptr& r) {
    EXPECT_EQ(at(r->last(), "id"), "1");
    EXPECT_EQ(at(r->last(), "error", "code"), "-32603");
    EXPECT_NE(at(r->last(), "error", "message").find("gone"), std::string::npos);
    EXPECT_TRUE(r->stream_ended);
    EXPECT_EQ(r->endings, 1);
  }
};
using told_events = std::vector<std::string>;

TEST_F(a_lent_stream, goes_on_where_its_client_is_now) {
  say(2);
  const auto r = come(two);
  ASSERT_TRUE(r->streaming) << r->status << r->body;
  EXPECT_EQ(told(r), told_events{"2"}) << "what it missed";
  say(3);
  EXPECT_EQ(told(r), (told_events{"2", "3"}));
  answer();
  EXPECT_EQ(told(r), (told_events{"2", "3", R"({"n":1.0})"}));
  EXPECT_EQ(at(r->last(), "id"), "1");
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(a.count("tools/call"), 1U);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST_F(a_lent_stream, is_resumed_again_wherever_its_client_comes) {
  const auto first = come(two);
  say(2);
  const auto id = last_id(first);
  w.vanish(first);
  w.settle();
  say(3);
  const auto second = come(three, id);
  EXPECT_EQ(told(second), told_events{"3"});
  say(4);
  const auto third = come(one, last_id(second));
  EXPECT_TRUE(second->stream_ended) << "it is at one place only";
  answer();
  EXPECT_EQ(told(third), told_events{R"({"n":1.0})"});
}

TEST_F(a_lent_stream, says_at_once_where_to_resume_from) {
  const auto r = come(two);
  EXPECT_NE(last_id(r), "");
  EXPECT_EQ(r->events().size(), 0U);
  w.vanish(r);
  w.settle();
  say(2);
  EXPECT_EQ(told(come(three, last_id(r))), told_events{"2"});
}

TEST_F(a_lent_stream, that_is_over_is_over_everywhere) {
  const auto r = come(two);
  answer();
  EXPECT_EQ(come(three, last_id(r))->status, 405);
  EXPECT_EQ(told(come(three)), told_events{R"({"n":1.0})"}) << "for who has not got its end";
}

TEST_F(a_lent_stream, that_nobody_knows_is_refused) {
  const auto odd = last.substr(0, last.find('-')) + "0-7";
  const auto known = come(one, odd);
  const auto r = come(two, odd);
  EXPECT_EQ(r->status, 400);
  EXPECT_EQ(r->body, known->body);
  for (const auto* id : {"x", "0", "5-"}) EXPECT_EQ(come(two, id)->status, 400) << id;
}

TEST_F(a_lent_stream, is_refused_when_its_instance_is_gone) {
  w.crash(w.cast("router").at(0));
  const auto r = come(two);
  EXPECT_EQ(r->status, 400);
  EXPECT_EQ(r->endings, 1) << "at once";
}

TEST_F(a_lent_stream, ends_with_an_error_when_its_instance_goes) {
  const auto r = come(two);
  w.crash(w.cast("router").at(0));
  w.advance(limits::lent_stream_beat + 1s);
  expect_gone(r);
}

TEST_F(a_lent_stream, is_let_go_of_when_the_instance_crashes_where_its_client_is) {
  const auto r = come(two);
  const auto own = two.call("2", "a__x");  // a stream of that ROUTER's own
  w.advance(2s);
  ASSERT_TRUE(own->streaming);
  w.crash(w.cast("router").at(1));
  EXPECT_TRUE(own->stream_ended);
  EXPECT_TRUE(r->stream_ended) << "as any other of its";
  EXPECT_EQ(r->endings, 1);
  const auto words = store->seen().size();
  say(2);
  EXPECT_EQ(store->seen().size(), words) << "nothing is said to nobody";
  EXPECT_EQ(told(come(three)), told_events{"2"});
}

TEST_F(a_lent_stream, that_is_looked_for_is_answered_by_an_instance_that_crashes) {
  store->hold_news(true);
  const auto r = come(two);
  w.crash(w.cast("router").at(1));
  EXPECT_EQ(r->endings, 1) << "as every call of its";
  EXPECT_EQ(r->status, 500);
}

TEST_F(a_lent_stream, ends_with_an_error_when_its_instance_can_not_be_heard) {
  const auto r = come(two);
  store->cut_off(0);
  w.advance(limits::lent_stream_beat + 1s);
  expect_gone(r);
  store->let_in(0);
  w.settle();
  answer();
  EXPECT_EQ(told(come(three)), told_events{R"({"n":1.0})"}) << "it may have been only cut off";
}

TEST_F(a_lent_stream, ends_with_an_error_when_its_instance_falls_silent) {
  const auto r = come(two);
  store->hold_news(true);
  for (int n = 0; n < 8 && !r->stream_ended; ++n) {
    w.advance(1s);
    store->drop_news();
  }
  expect_gone(r);
}

TEST_F(a_lent_stream, is_refused_when_its_instance_says_nothing) {
  store->hold_news(true);
  const auto r = come(two);
  w.advance(1s);
  EXPECT_EQ(r->endings, 0);
  w.advance(limits::handed_call_taken);
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->header("Retry-After"), "1");
  while (store->held() > 0) {
    store->tell(0);
    w.settle();
  }
  store->hold_news(false);
  say(2);
  EXPECT_EQ(told(come(two)), told_events{"2"}) << "it was not lent to nobody";
}

TEST_F(a_lent_stream, is_to_be_asked_for_again_while_the_store_is_away) {
  store->go();
  w.settle();
  const auto r = come(two);
  EXPECT_EQ(r->status, 503);
  store->back();
  w.settle();
  EXPECT_TRUE(come(two)->streaming);
}

TEST_F(a_lent_stream, ends_to_be_resumed_when_the_store_goes) {
  const auto r = come(two);
  say(2);
  store->go();
  w.advance(1s);
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(told(r), told_events{"2"}) << "and nobody says that its call has failed";
  say(3);
  store->back();
  w.settle();
  EXPECT_EQ(told(come(two, last_id(r))), told_events{"3"});
}

TEST_F(a_lent_stream, ends_to_be_resumed_when_a_piece_was_lost) {
  const auto r = come(two);
  store->hold_news(true);
  say(2);
  store->drop_news();
  store->hold_news(false);
  EXPECT_FALSE(r->stream_ended);
  say(3);
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(told(r), told_events{}) << "nothing out of order";
  EXPECT_EQ(told(come(two)), (told_events{"2", "3"}));
}

TEST_F(a_lent_stream, outlasts_a_store_that_stands_still_for_a_moment) {
  const auto r = come(two);
  store->delay(limits::store_operation + 200ms);
  say(2);
  w.advance(1s);
  store->delay(0ms);
  w.advance(limits::lent_stream_silence + limits::lent_stream_beat);
  EXPECT_FALSE(r->stream_ended) << r->stream;
  answer();
  EXPECT_EQ(told(r), (told_events{"2", R"({"n":1.0})"}));
}

TEST_F(a_lent_stream, that_is_looked_for_is_refused_by_an_instance_that_stops) {
  store->hold_news(true);
  const auto r = come(two);
  EXPECT_EQ(r->endings, 0);
  w.stop();
  w.settle();
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->endings, 1);
}

TEST_F(a_lent_stream, that_is_looked_for_is_not_found_when_its_session_ends) {
  store->hold_news(true);
  const auto r = come(two);
  EXPECT_EQ(r->endings, 0);
  two.end();
  EXPECT_EQ(r->status, 404) << r->body;
}

TEST_F(a_lent_stream, is_kept_when_its_client_leaves) {
  const auto r = come(two);
  w.vanish(r);
  w.settle();
  const auto words = store->seen().size();
  say(2);
  EXPECT_EQ(store->seen().size(), words) << "nothing is said to nobody";
  EXPECT_EQ(told(come(two)), told_events{"2"});
}

TEST_F(a_lent_stream, lives_as_long_as_its_call_and_client_do) {
  const auto r = come(two);
  w.advance(40s);
  EXPECT_FALSE(r->stream_ended);
  EXPECT_NE(r->stream.find(":\n\n"), std::string::npos) << "it is kept alive";
  answer();
  EXPECT_EQ(told(r).back(), R"({"n":1.0})");
}

TEST_F(a_lent_stream, is_detached_from_a_client_that_takes_too_little) {
  const auto r = come(two);
  const std::string large(limits::lent_stream_told, 'x');
  for (std::size_t sent = 0; sent <= limits::stream_queue_bytes; sent += large.size()) {
    r->queued += large.size();
    fake_upstream::push(work, said + ("\"" + large) + "\"}}");
    w.settle();
  }
  say(7);
  EXPECT_TRUE(r->stream_ended) << "in order, to be resumed";
  const auto rest = come(two, last_id(r));
  EXPECT_EQ(told(rest).back(), "7");
  EXPECT_EQ(r->events().size() + rest->events().size(),
            limits::stream_queue_bytes / large.size() + 2)
      << "nothing is lost, and nothing told twice";
}

TEST_F(a_lent_stream, is_not_held_up_by_one_that_takes_it) {
  const auto r = come(two);
  const std::string large(limits::lent_stream_told, 'x');
  for (std::size_t sent = 0; sent < 3 * limits::stream_queue_bytes; sent += large.size()) {
    fake_upstream::push(work, said + ("\"" + large) + "\"}}");
    w.settle();
  }
  EXPECT_FALSE(r->stream_ended);
  EXPECT_EQ(r->events().size(), 3 * limits::stream_queue_bytes / large.size());
}

TEST_F(a_lent_stream, has_no_answer_that_is_larger_than_a_word) {
  const auto r = come(two);
  answer(R"({"n":")" + std::string(limits::fleet_word_bytes, 'x') + R"("})");
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(world::logged("larger than what instances hand to each other"), 1U);
  EXPECT_EQ(world::logged("traceId=4bf92f3577b34da6a3ce929d0e0e4736"), 1U);
}

TEST_F(a_lent_stream, ends_with_its_session) {
  const auto r = come(two);
  EXPECT_EQ(three.end()->status, 204);
  w.advance(1s);
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(r->endings, 1);
  EXPECT_TRUE(work->abandoned);
}

TEST_F(a_lent_stream, is_left_by_an_instance_that_stops) {
  const auto r = come(two);
  w.stop();
  w.settle();
  EXPECT_TRUE(r->stream_ended);
}

TEST_F(a_lent_stream, is_cancelled_where_its_client_is) {
  const auto r = come(two);
  EXPECT_EQ(two.cancel("1")->status, 202);
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(a.count("notifications/cancelled"), 1U);
}

TEST_F(a_lent_stream, carries_what_its_client_is_asked_and_answers) {
  client asked(w, 0), elsewhere(w, 1);
  asked.capabilities = R"({"sampling":{}})";
  asked.initialize();
  elsewhere.session = asked.session;
  elsewhere.version = asked.version;
  const auto first = asked.call("1", "a__x");
  const auto at_work = a.last("tools/call");
  fake_upstream::push(at_work, said + std::string("1}}"));
  w.settle();
  w.vanish(first);
  const auto r = come(elsewhere, last_id(first));
  fake_upstream::push(at_work, R"({"id":"q","jsonrpc":"2.0","method":"sampling/createMessage"})");
  w.settle();
  const auto id = at(r->last(), "id");
  EXPECT_EQ(elsewhere.post(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"x":1}})")->status,
            202);
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "result"), R"({"x":1})");
}

TEST_F(a_lent_stream, takes_no_words_that_no_instance_has_said) {
  const auto r = come(two);
  std::vector<std::pair<std::string, std::string>> words;
  for (const auto& line : store->seen())
    if (line.starts_with("PUBLISH ")) {
      const auto blank = line.find(' ', 8);
      words.emplace_back(line.substr(8, blank - 8), line.substr(blank + 1));
    }
  for (const auto& [channel, text] : words) store->publish({channel, text});
  w.settle();
  EXPECT_FALSE(r->stream_ended);
  answer();
  EXPECT_EQ(told(r), told_events{R"({"n":1.0})"});
}

}  // namespace
}  // namespace gate
