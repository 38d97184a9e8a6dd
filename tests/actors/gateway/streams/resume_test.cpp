// Event streams of upstreams that end early: what was said on them so far is not lost, and the rest
// is fetched where the server left off.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;
using ms = std::chrono::milliseconds;

const std::string said =
    R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":1}})";
const std::string question = R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create"})";
/// A stream of which nothing but an id is said before it ends.
const reply primed{.primed = "e-1", .retry = 500};

struct resume : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");

  resume() {
    auto r = c.request("0", "initialize",
                       R"({"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}})");
    c.session = r->header("mcp-session-id");
    a.always("GET", reply{.open = true});
  }
  /// A call whose stream ends at once, after its first event.
  receipt_ptr call(reply r = primed) {
    a.next("tools/call", std::move(r));
    return c.call("1", "a__x");
  }
  /// The upstream's answer to the call, on the stream that goes on.
  std::string answer(std::string_view what = "1") const {
    return R"({"jsonrpc":"2.0","id":)" + a.last("tools/call")->id + R"(,"result":)" +
           std::string(what) + '}';
  }
  /// What the client got, however long that took.
  static std::string response(const receipt_ptr& r) { return r->last(); }
  void expect_failed_once(const receipt_ptr& r, std::string_view why = "request failed") {
    EXPECT_EQ(response(r), unavailable("1", "a", why));
    EXPECT_EQ(r->endings, 1);
    EXPECT_EQ(w.audit("tools/call").size(), 1U);
    EXPECT_EQ(a.count("tools/call"), 1U) << "it had arrived: it is not sent again";
    const auto asked = a.seen().size();
    w.advance(10min);
    EXPECT_EQ(r->endings, 1);
    EXPECT_EQ(a.count("tools/call"), 1U);
    EXPECT_LE(a.seen().size(), asked + 1) << "at most the goodbye of an idle session";
  }
};

TEST_F(resume, a_call_when_the_server_said_and_where_it_was_left) {
  auto r = call();
  const auto ended = w.now();
  w.advance(499ms);
  EXPECT_EQ(a.count("GET"), 0U);
  w.advance(1ms);
  ASSERT_EQ(a.count("GET"), 1U);
  auto get = a.last("GET");
  EXPECT_EQ(get->at - ended, 500ms);
  EXPECT_EQ(get->header("last-event-id"), "e-1");
  EXPECT_EQ(get->header("accept"), "text/event-stream");
  EXPECT_EQ(get->header("mcp-protocol-version"), "2025-06-18");
  EXPECT_EQ(get->session, a.last("tools/call")->session);
  EXPECT_FALSE(r->done());
  fake_upstream::push(get, answer(R"({"n":1e400})"));
  w.settle();
  EXPECT_EQ(r->last(), R"({"jsonrpc":"2.0","id":1,"result":{"n":1e400}})");
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "outcome"), R"("ok")");
  w.advance(5s);
  EXPECT_TRUE(get->abandoned) << "a stream that stays open after the answer is cut";
  EXPECT_EQ(a.count("GET"), 1U);
}

TEST_F(resume, a_call_whose_connection_broke) {
  auto r = call({.end = fetch_end::broken, .primed = "e-1"});
  w.advance(999ms);
  EXPECT_EQ(a.count("GET"), 0U);
  w.advance(1ms);
  ASSERT_EQ(a.count("GET"), 1U) << "the server named no time: a second";
  fake_upstream::push(a.last("GET"), answer());
  w.settle();
  EXPECT_EQ(at(r->last(), "result"), "1");
}

TEST_F(resume, a_call_again_and_again_from_the_newest_id) {
  auto r = call();
  w.advance(500ms);
  auto first = a.last("GET");
  fake_upstream::push(first, "e-2", said);
  fake_upstream::push(first, "e-3", {});
  fake_upstream::push(first, said);
  fake_upstream::close(first, fetch_end::broken, 2000);
  w.settle();
  EXPECT_EQ(r->events(), (std::vector<std::string>{said, said}));
  w.advance(1999ms);
  EXPECT_EQ(a.count("GET"), 1U) << "a time said without an event counts";
  w.advance(1ms);
  ASSERT_EQ(a.count("GET"), 2U);
  auto second = a.last("GET");
  EXPECT_EQ(second->header("last-event-id"), "e-3");
  fake_upstream::push(second, "e-4", answer());
  fake_upstream::close(second);
  w.settle();
  EXPECT_EQ(at(r->events().back(), "result"), "1");
  EXPECT_TRUE(r->stream_ended);
  w.advance(1min);
  EXPECT_EQ(a.count("GET"), 2U);
}

TEST_F(resume, a_question_on_such_a_stream_belongs_to_the_call) {
  auto r = call();
  w.advance(500ms);
  fake_upstream::push(a.last("GET"), question);
  w.settle();
  ASSERT_EQ(r->events().size(), 1U);
  EXPECT_EQ(at(r->events()[0], "method"), R"("elicitation/create")");
  // It has no id of its own, so the server says it again; the human is asked once.
  fake_upstream::close(a.last("GET"));
  w.advance(500ms);
  ASSERT_EQ(a.count("GET"), 2U);
  fake_upstream::push(a.last("GET"), question);
  w.advance(5min);
  EXPECT_EQ(r->events().size(), 1U);
  c.post(R"({"jsonrpc":"2.0","id":)" + at(r->events()[0], "id") + R"(,"result":{"x":1}})");
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(a.last("response")->body, R"({"jsonrpc":"2.0","id":"q","result":{"x":1}})");
  fake_upstream::push(a.last("GET"), answer());
  w.settle();
  EXPECT_EQ(at(r->events().back(), "result"), "1");
}

TEST_F(resume, lists_pages_and_handshakes_as_well) {
  auto& b = w.upstream("b");
  b.page_size = 1;
  b.tools.push_back(R"({"name":"two"})");
  b.always("GET", reply{.open = true});
  b.next("initialize", {.session = "b-session-1", .primed = "h-1", .retry = 200});
  b.next("tools/list", primed);
  auto r = c.list("1");
  w.advance(200ms);
  ASSERT_EQ(b.count("GET"), 1U);
  EXPECT_EQ(b.last("GET")->header("last-event-id"), "h-1");
  EXPECT_EQ(b.last("GET")->session, "b-session-1");
  b.sessions = false;  // the fake has not handed it out by itself
  fake_upstream::push(b.last("GET"), R"({"jsonrpc":"2.0","id":)" + b.last("initialize")->id +
                                         R"(,"result":{"protocolVersion":"2025-11-25",)"
                                         R"("capabilities":{"tools":{}}}})");
  w.settle();
  ASSERT_EQ(b.count("tools/list"), 1U);
  EXPECT_EQ(b.last("tools/list")->session, "b-session-1");
  w.advance(500ms);
  auto rest = b.under_way("GET").back();
  EXPECT_EQ(rest->header("last-event-id"), "e-1");
  fake_upstream::push(rest, R"({"jsonrpc":"2.0","id":)" + b.last("tools/list")->id +
                                R"(,"result":{"tools":[],"nextCursor":"1"}})");
  w.settle();
  EXPECT_EQ(b.count("tools/list"), 2U);
  EXPECT_NE(r->body.find(R"("b__two")"), std::string::npos) << r->body;
}

TEST_F(resume, not_without_ids) {
  auto r = call({.events = {said}});
  expect_failed_once(r);
}

TEST_F(resume, ids_that_would_write_headers_are_not_sent_back) {
  for (std::string id : {"a\r\nX-Evil: 1", "a\nb", " a", "\xc3\xa9"}) {
    a.next("tools/call", {.open = true, .primed = "good"});
    auto r = c.call("1", "a__x");
    fake_upstream::push(a.last("tools/call"), id, said);
    fake_upstream::close(a.last("tools/call"));
    w.advance(10s);
    EXPECT_EQ(r->events().back(), unavailable("1", "a", "request failed"));
  }
  EXPECT_EQ(a.count("GET"), 0U);
}

struct refused_resume : resume, ::testing::WithParamInterface<reply> {};

TEST_P(refused_resume, fails_the_call_once) {
  a.always("GET", GetParam());
  auto r = call();
  w.advance(500ms);
  EXPECT_EQ(a.count("GET"), 1U);
  EXPECT_EQ(a.count("initialize"), 1U);
  expect_failed_once(r);
}
INSTANTIATE_TEST_SUITE_P(resume, refused_resume,
                         ::testing::Values(reply::http(405), reply::http(400), reply::http(500),
                                           reply::http(200, "<html></html>"),
                                           reply::failure(fetch_end::too_large)));

struct lost_resume : resume, ::testing::WithParamInterface<reply> {};

TEST_P(lost_resume, fails_the_call_and_loses_the_session) {
  a.unknown_session = GetParam();
  a.behave("GET");
  auto r = call();
  a.forget_sessions();
  w.advance(500ms);
  expect_failed_once(r);
  EXPECT_NE(at(c.call("2", "a__x")->body, "result"), "");
  EXPECT_EQ(a.count("initialize"), 2U);
}
INSTANTIATE_TEST_SUITE_P(resume, lost_resume,
                         ::testing::Values(reply::http(404), reply::http(400, "No valid session")));

TEST_F(resume, fails_when_the_session_is_lost_meanwhile) {
  auto r = call({.primed = "e-1", .retry = 30'000});
  w.advance(1s);
  a.forget_sessions();
  EXPECT_NE(at(c.call("2", "a__x")->body, "result"), "") << "in a new session";
  w.settle();
  w.advance(0s);
  EXPECT_EQ(r->last(), unavailable("1", "a", "request failed"));
  w.advance(1min);
  EXPECT_EQ(a.count("GET"), 0U) << "the id is of another session";
  EXPECT_EQ(r->endings, 1);
}

TEST_F(resume, no_connection_is_tried_again_with_growing_pauses) {
  for (int i = 0; i < 3; ++i) a.next("GET", reply::failure(fetch_end::connect_failed, true));
  a.next("GET", reply::http(503));
  a.next("GET", reply::failure(fetch_end::broken, true));
  auto r = call();
  const auto ended = w.now();
  w.advance(59s);
  std::vector<ms> when;
  for (const auto& s : a.seen("GET")) when.push_back(std::chrono::duration_cast<ms>(s->at - ended));
  EXPECT_EQ(when, (std::vector<ms>{500ms, 1500ms, 3500ms, 7500ms, 15500ms, 31500ms}));
  fake_upstream::push(a.last("GET"), answer());
  w.settle();
  EXPECT_EQ(at(response(r), "result"), "1");
}

TEST_F(resume, streams_that_bring_nothing_are_given_up) {
  a.always("GET", reply::failure(fetch_end::connect_failed));
  a.next("tools/call", {.open = true});
  auto r = c.call("1", "a__x");
  // A question keeps the call's own deadline away.
  fake_upstream::push(a.last("tools/call"), "e-1", question, 0);
  fake_upstream::close(a.last("tools/call"));
  w.advance(9min);
  EXPECT_EQ(a.count("GET"), 10U);
  expect_failed_once(r);
}

TEST_F(resume, a_server_that_lets_us_spin_is_held_to_a_pace) {
  a.always("GET", [n = 1](const sight&) mutable {
    return reply{.primed = "e-" + std::to_string(++n), .retry = 0};
  });
  auto r = call({.primed = "e-1", .retry = 0});
  w.advance(60s);
  EXPECT_LE(a.count("GET"), 600U);
  EXPECT_EQ(response(r), unavailable("1", "a", "timed out"));
}

TEST_F(resume, the_deadline_holds_while_a_call_waits) {
  auto r = call({.primed = "e-1", .retry = 3'600'000});
  w.advance(59'999ms);
  EXPECT_FALSE(r->done());
  w.advance(1ms);
  ASSERT_EQ(a.count("notifications/cancelled"), 1U);
  EXPECT_EQ(a.last("notifications/cancelled")->param("requestId"), a.last("tools/call")->id);
  EXPECT_EQ(a.count("GET"), 0U);
  expect_failed_once(r, "timed out");
}

TEST_F(resume, the_deadline_holds_on_a_stream_that_goes_on) {
  auto r = call();
  w.advance(60s);
  ASSERT_EQ(a.count("GET"), 1U);
  EXPECT_TRUE(a.last("GET")->abandoned);
  EXPECT_EQ(a.last("notifications/cancelled")->param("requestId"), a.last("tools/call")->id);
  expect_failed_once(r, "timed out");
}

TEST_F(resume, a_cancelled_call_does_not) {
  auto waiting = call();
  c.cancel("1");
  EXPECT_EQ(waiting->endings, 1);
  EXPECT_EQ(a.last("notifications/cancelled")->param("requestId"), a.last("tools/call")->id);
  w.advance(1min);
  EXPECT_EQ(a.count("GET"), 0U);
  call();
  w.advance(500ms);
  c.cancel("1");
  EXPECT_TRUE(a.last("GET")->abandoned);
  EXPECT_EQ(a.count("notifications/cancelled"), 2U);
  EXPECT_EQ(w.audit("tools/call").size(), 2U);
}

TEST_F(resume, a_client_that_ended_its_session_does_not) {
  auto r = call();
  c.end();
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(a.count("notifications/cancelled"), 1U);
  EXPECT_EQ(a.count("DELETE"), 1U) << "nothing keeps the session open";
  EXPECT_TRUE(w.cast("bridged session").empty());
  w.advance(1min);
  EXPECT_EQ(a.count("GET"), 0U);
}

TEST_F(resume, a_session_in_which_a_call_waits_is_not_idle) {
  world slow{{.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp",
    "timeouts":{"requestMs":900000}}]})"}};
  client d{slow};
  d.initialize();
  auto& u = slow.upstream("a");
  u.next("tools/call", {.primed = "e-1", .retry = 299'000});
  u.always("GET", [](const sight&) { return reply{.after = 1s, .primed = "e-2"}; });
  auto r = d.call("1", "x");
  slow.advance(599s);
  ASSERT_EQ(u.count("GET"), 2U);
  EXPECT_EQ(u.count("DELETE"), 0U);
  EXPECT_FALSE(r->done());
}

// --- the session's own stream --------------------------------------------------------------------

struct own_stream : ::testing::Test {
  world w{{.config = std::string(one_upstream)}};
  client c{w};
  fake_upstream& a = w.upstream("a");
  own_stream() {
    c.initialize();
    c.list("1");
  }
  std::string last_id() const { return a.last("GET")->header("last-event-id"); }
};

TEST_F(own_stream, goes_on_where_it_was_left_and_nothing_is_in_doubt) {
  auto stream = c.get();
  EXPECT_EQ(last_id(), "");
  fake_upstream::push(a.last("GET"), "s-1", {}, 3000);
  w.advance(5s);
  fake_upstream::close(a.last("GET"), fetch_end::broken);
  w.advance(2999ms);
  EXPECT_EQ(a.count("GET"), 1U);
  w.advance(1ms);
  ASSERT_EQ(a.count("GET"), 2U);
  EXPECT_EQ(last_id(), "s-1");
  w.advance(1s);
  EXPECT_EQ(a.count("tools/list"), 1U);
  // A server may end it every few seconds, if it says when it wants to be asked again.
  for (int i = 0; i < 20; ++i) {
    fake_upstream::close(a.last("GET"), fetch_end::complete, 2000);
    w.advance(2s);
    ASSERT_EQ(a.count("GET"), 3U + i);
    w.advance(1s);
  }
  EXPECT_TRUE(stream->events().empty());
}

TEST_F(own_stream, without_the_id_if_the_server_does_not_take_one) {
  auto stream = c.get();
  a.next("GET", reply::http(400, "Event store not configured for this session"));
  fake_upstream::push(a.last("GET"), "s-1", {});
  w.settle();
  a.tools = {R"({"name":"new"})"};
  fake_upstream::close(a.last("GET"));
  w.advance(1s);
  ASSERT_EQ(a.count("GET"), 3U);
  EXPECT_EQ(a.seen("GET")[1]->header("last-event-id"), "s-1");
  EXPECT_EQ(last_id(), "");
  EXPECT_EQ(a.count("initialize"), 1U) << "the session was not meant";
  w.advance(1s);
  EXPECT_EQ(stream->events().size(), 1U) << "what it would have said is unknown";
}

TEST_F(own_stream, keeps_the_id_while_the_server_is_away) {
  fake_upstream::push(a.last("GET"), "s-1", {});
  for (int i = 0; i < 3; ++i) a.next("GET", reply::failure(fetch_end::connect_failed, true));
  w.settle();
  fake_upstream::close(a.last("GET"), fetch_end::broken);
  w.advance(30s);
  EXPECT_EQ(a.count("GET"), 5U);
  EXPECT_EQ(last_id(), "s-1");
}

TEST_F(own_stream, of_a_new_session_knows_no_ids) {
  fake_upstream::push(a.last("GET"), "s-1", {});
  w.advance(31s);
  a.forget_sessions();
  fake_upstream::close(a.last("GET"), fetch_end::broken);
  w.advance(500ms);
  EXPECT_EQ(a.seen("GET")[1]->header("last-event-id"), "s-1");
  EXPECT_EQ(a.count("initialize"), 2U);
  ASSERT_EQ(a.count("GET"), 3U);
  EXPECT_EQ(last_id(), "");
}

TEST_F(own_stream, that_names_no_time_but_ends_at_once_is_no_storm) {
  a.always("GET",
           [n = 0](const sight&) mutable { return reply{.primed = "s-" + std::to_string(++n)}; });
  fake_upstream::close(a.last("GET"));
  w.advance(10min);
  EXPECT_LE(a.count("GET"), 30U);
}

TEST_F(own_stream, whose_event_was_too_much_is_not_asked_for_it_again) {
  fake_upstream::push(a.last("GET"), "s-1", {});
  w.settle();
  fake_upstream::close(a.last("GET"), fetch_end::too_large);
  w.advance(1s);
  ASSERT_EQ(a.count("GET"), 2U);
  EXPECT_EQ(last_id(), "");
}

TEST_F(own_stream, of_a_bridged_session_as_well) {
  const auto heard = R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})";
  auto stream = c.get();
  c.call("2", "x");
  auto own = a.last("GET");
  ASSERT_EQ(own->session, a.last("tools/call")->session);
  fake_upstream::push(own, "s-1", heard, 700);
  fake_upstream::close(own);
  w.advance(700ms);
  ASSERT_NE(a.last("GET"), own);
  EXPECT_EQ(last_id(), "s-1");
  EXPECT_EQ(a.last("GET")->session, own->session);
  fake_upstream::push(a.last("GET"), "s-2", heard);
  w.settle();
  EXPECT_EQ(stream->events().size(), 2U);
}

TEST_F(own_stream, waits_as_it_was_told_whatever_the_client_does_meanwhile) {
  auto stream = c.get();
  c.call("2", "x");
  auto own = a.last("GET");
  fake_upstream::push(own, "s-1", {}, 20'000);
  fake_upstream::close(own);
  w.advance(1s);
  w.vanish(stream);
  c.get();
  w.advance(18'999ms);
  EXPECT_EQ(a.last("GET"), own);
  w.advance(1ms);
  ASSERT_NE(a.last("GET"), own);
  EXPECT_EQ(last_id(), "s-1");
}

}  // namespace
}  // namespace gate
