#include "shim/session_actor.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "protocol/limits.hpp"
#include "tests/shim/support/shim_world.hpp"

namespace gate::sim {
namespace {

using namespace std::chrono_literals;
using lines = std::vector<std::string>;

std::string call(std::string_view id, std::string_view more = "") {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"method":"tools/call","params":{"name":"t")" + std::string(more) + "}}";
}
std::string result(std::string_view id, std::string_view value = R"({"content":[]})") {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"result":)" + std::string(value) + '}';
}
constexpr auto log_message =
    R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}})";
constexpr auto roots = R"({"jsonrpc":"2.0","id":0,"method":"roots/list"})";

struct sessions : ::testing::Test, shim_world {};

TEST_F(sessions, initialize_starts_a_child_and_nothing_else_does) {
  post(call("1"));
  post(call("1"), "0123");
  get("0123");
  end("0123");
  fetch("/metrics");
  EXPECT_EQ(children(), 0U);
  const auto r = post(initialize());
  ASSERT_EQ(children(), 1U);
  EXPECT_FALSE(r->done());
  EXPECT_EQ(latest().heard, lines{});  // it does not run yet
  start(latest());
  EXPECT_EQ(latest().heard, lines{initialize()});
  say(latest(), {initialized()});
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->content_type, "application/json");
  EXPECT_EQ(r->body, initialized());
  EXPECT_EQ(r->header("mcp-session-id").size(), 34U);
  EXPECT_TRUE(latest().reading);
}

TEST_F(sessions, each_has_a_child_of_its_own) {
  const auto a = open(), b = open();
  EXPECT_NE(a, b);
  EXPECT_EQ(children(), 2U);
  const auto r = post(call("1"), a);
  EXPECT_EQ(child(0).heard, lines{call("1")});
  EXPECT_EQ(child(1).heard, lines{});
  say(child(1), {result("1")});  // nobody asked this one
  EXPECT_FALSE(r->done());
  say(child(0), {result("1")});
  EXPECT_EQ(r->body, result("1"));
}

TEST_F(sessions, messages_pass_byte_for_byte_but_for_line_breaks) {
  const auto s = open();
  const auto r = post("{\"jsonrpc\":\"2.0\",\r\n \"id\": 1.0e0 }", s);
  EXPECT_EQ(r->status, 400);  // an id must be an integer or a string
  const std::string odd = R"({ "jsonrpc" :"2.0", "id":1,)"
                          "\n"
                          R"("method":"x","params":{"n":1.50e3,"s":"\u00e9\/"}})";
  const auto q = post(odd, s);
  ASSERT_EQ(latest().heard.size(), 1U);
  std::string line = odd;
  line[line.find('\n')] = ' ';
  EXPECT_EQ(latest().heard[0], line);
  const std::string answer =
      R"({"result" : {"big":12345678901234567890,"f":1.0}, "id":1,"jsonrpc":"2.0"})";
  say(latest(), {answer});
  EXPECT_EQ(q->body, answer);
}

TEST_F(sessions, answers_go_to_their_requests_in_any_order) {
  const auto s = open();
  const auto a = post(call("1"), s), b = post(call(R"("1")"), s);
  say(latest(), {result(R"("\u0031")"), result("1")});
  EXPECT_EQ(a->body, result("1"));
  EXPECT_EQ(b->body, result(R"("\u0031")"));
}

TEST_F(sessions, notifications_and_answers_of_the_client_are_202) {
  const auto s = open();
  const std::string note = R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})";
  const auto answer = R"({"jsonrpc":"2.0","id":0,"result":{"roots":[]}})";
  EXPECT_EQ(post(note, s)->status, 202);
  EXPECT_EQ(post(answer, s)->status, 202);
  EXPECT_EQ(latest().heard, (lines{note, answer}));
}

TEST_F(sessions, what_the_server_says_during_the_only_request_is_on_its_stream) {
  const auto s = open();
  const auto g = get(s);
  const auto r = post(call("1"), s);
  say(latest(), {log_message, roots});
  EXPECT_TRUE(r->streaming);
  say(latest(), {result("1")});
  EXPECT_EQ(r->events(), (lines{log_message, roots, result("1")}));
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(g->events(), lines{});
}

TEST_F(sessions, with_several_requests_progress_finds_its_own_and_the_rest_the_get_stream) {
  const auto s = open();
  const auto g = get(s);
  const auto a = post(call("1", R"(,"_meta":{"progressToken":"p"})"), s);
  const auto b = post(call("2"), s);
  const std::string progress = R"({"jsonrpc":"2.0","method":"notifications/progress",)"
                               R"("params":{"progressToken":"p","progress":1}})";
  say(latest(), {progress, log_message, roots});
  EXPECT_EQ(a->events(), lines{progress});
  EXPECT_FALSE(b->streaming);
  EXPECT_EQ(g->events(), (lines{log_message, roots}));
  say(latest(), {result("2"), log_message, result("1")});
  EXPECT_EQ(b->body, result("2"));
  EXPECT_EQ(a->events(), (lines{progress, log_message, result("1")}));
}

TEST_F(sessions, what_nobody_listens_to_waits_for_a_listener) {
  const auto s = open();
  say(latest(), {roots, log_message});
  const auto g = get(s);
  EXPECT_EQ(g->events(), (lines{roots, log_message}));
  const auto again = get(s);  // it was heard
  EXPECT_TRUE(g->stream_ended);
  EXPECT_EQ(again->events(), lines{});
  say(latest(), {log_message});
  EXPECT_EQ(again->events(), lines{log_message});
}

TEST_F(sessions, what_is_left_of_more_than_is_kept_is_heard) {
  const auto s = open();
  const std::size_t more = 1000;
  for (std::size_t i = 0; i < limits::replay_events + more; i += more)
    say(latest(), lines(more, log_message));
  const auto g = get(s);
  EXPECT_GT(g->events().size(), 1000U);
  EXPECT_LE(g->events().size(), limits::replay_events);
  EXPECT_EQ(logged("is kept no longer"), 1U);
  EXPECT_EQ(get(s)->events(), lines{});
}

TEST_F(sessions, who_comes_back_behind_a_gap_hears_what_is_left) {
  const auto s = open();
  const auto g = get(s);
  say(latest(), {log_message});
  EXPECT_EQ(g->events(), lines{log_message});
  g->alive = false;
  const std::size_t more = 1000;
  for (std::size_t i = 0; i < limits::replay_events + more; i += more)
    say(latest(), lines(more, log_message));
  const auto again = get(s, {"Last-Event-ID: 0-1"});
  EXPECT_GT(again->events().size(), 1000U);
  EXPECT_EQ(logged("is kept no longer"), 1U);
  // What was kept is still there for who comes back once more.
  EXPECT_EQ(get(s, {"Last-Event-ID: 0-1"})->events().size(), again->events().size());
  EXPECT_EQ(get(s)->events(), lines{});
}

TEST_F(sessions, what_is_too_old_does_not_hide_the_rest) {
  const auto s = open();
  const auto busy = post(call("1"), s), too = post(call("2"), s);
  say(latest(), {log_message});
  advance(200s);
  say(latest(), {roots});
  advance(150s);  // the first is forgotten
  EXPECT_EQ(get(s)->events(), lines{roots});
}

TEST_F(sessions, a_call_whose_client_is_gone_hides_nothing_from_the_others) {
  const auto s = open();
  const auto a = post(call("1"), s), b = post(call("2"), s);
  a->alive = false;  // before it was a stream: nobody can come back for it
  say(latest(), {roots});
  EXPECT_EQ(b->events(), lines{roots});
}

TEST_F(sessions, a_carriage_return_between_tokens_is_no_line_break_of_the_stream) {
  const auto s = open();
  const auto g = get(s);
  const std::string odd = "{\"jsonrpc\":\"2.0\",\r\"method\":\"notifications/x\"}";
  std::string line = odd;
  std::ranges::replace(line, '\r', ' ');
  say(latest(), {odd});
  EXPECT_EQ(g->events(), lines{line});
  say(latest(), {"{\"jsonrpc\":\"2.0\",\"method\":\"a\rb\"}"});
  EXPECT_EQ(logged("that is no message"), 1U);
}

TEST_F(sessions, lines_that_are_too_long_are_logged_in_bounds) {
  open();
  for (int i = 0; i < 1000; ++i) {
    latest().reading = false;
    tell(latest().user, child_spoke{{}, 1, false});
  }
  EXPECT_EQ(metric(R"(gate_stdio_lines_dropped_total{stream="stdout"})"), 1000);
  EXPECT_LE(logged("longer than a message"), 110U);
}

TEST_F(sessions, a_request_that_takes_long_becomes_a_stream) {
  const auto s = open();
  const auto r = post(call("1"), s);
  advance(900ms);
  EXPECT_FALSE(r->streaming);
  advance(2s);
  EXPECT_TRUE(r->streaming);
  const auto before = r->stream.size();
  advance(20s);
  EXPECT_GT(r->stream.size(), before);  // kept alive
  say(latest(), {result("1")});
  EXPECT_EQ(r->events(), lines{result("1")});
  EXPECT_TRUE(r->stream_ended);
}

TEST_F(sessions, a_stream_can_be_gone_on_with) {
  const auto s = open();
  const auto r = post(call("1"), s);
  say(latest(), {log_message});
  r->alive = false;  // the connection broke behind the priming event, 1-1
  say(latest(), {roots});
  const auto again = get(s, {"Last-Event-ID: 1-1"});
  EXPECT_EQ(again->events(), (lines{log_message, roots}));
  say(latest(), {result("1")});
  EXPECT_EQ(again->events(), (lines{log_message, roots, result("1")}));
  EXPECT_TRUE(again->stream_ended);
  const auto third = get(s, {"Last-Event-ID: 1-3"});
  EXPECT_EQ(third->events(), lines{result("1")});
  EXPECT_TRUE(third->stream_ended);
  EXPECT_EQ(get(s, {"Last-Event-ID: 1-4"})->status, 405);
  EXPECT_EQ(get(s, {"Last-Event-ID: 9-1"})->status, 400);
  EXPECT_EQ(get(s, {"Last-Event-ID: x"})->status, 400);
}

TEST_F(sessions, the_get_stream_can_be_gone_on_with) {
  const auto s = open();
  const auto g = get(s);
  say(latest(), {log_message});
  g->alive = false;
  say(latest(), {roots});
  EXPECT_EQ(get(s, {"Last-Event-ID: 0-2"})->events(), lines{roots});
}

TEST_F(sessions, older_clients_get_no_empty_event) {
  const auto s = open("2025-06-18");
  EXPECT_EQ(get(s)->stream, ":\n\n");
  const auto r = post(call("1"), s);
  say(latest(), {log_message});
  EXPECT_EQ(r->stream.find("retry"), std::string::npos);
}

TEST_F(sessions, a_slow_client_holds_up_what_its_server_says) {
  const auto s = open();
  const auto r = post(call("1"), s);
  say(latest(), {log_message});
  r->queued = limits::stream_queue_bytes + 1;
  say(latest(), {roots, result("1")});
  advance(1min);
  EXPECT_EQ(r->events(), lines{log_message});
  EXPECT_FALSE(latest().reading);
  r->queued = 0;
  advance(10ms);
  EXPECT_EQ(r->events(), (lines{log_message, roots, result("1")}));
  EXPECT_TRUE(latest().reading);
  const auto g = get(s);
  g->queued = limits::stream_queue_bytes + 1;
  say(latest(), {log_message});
  advance(1min);
  EXPECT_EQ(g->events(), lines{});
  g->alive = false;  // it was too slow for too long
  advance(10ms);
  EXPECT_TRUE(latest().reading);
  EXPECT_EQ(get(s)->events(), lines{log_message});
}

TEST_F(sessions, a_long_turn_is_cut_off) {
  const auto s = open();
  const auto g = get(s);
  // One of the lines is so long that the client is slow from then on.
  const std::string large =
      R"({"jsonrpc":"2.0","method":"x","params":{"a":")" + std::string(100'000, 'x') + "\"}}";
  g->queued = limits::stream_queue_bytes + 1;
  say(latest(), {large, log_message});
  EXPECT_EQ(g->events(), lines{});
  g->queued = 0;
  advance(10ms);
  EXPECT_EQ(g->events(), (lines{large, log_message}));
  say(latest(), lines(1000, log_message));  // others have their turn between them
  EXPECT_EQ(g->events().size(), 1002U);
  EXPECT_TRUE(latest().reading);
}

TEST_F(sessions, what_a_server_said_before_it_ended_waits_for_a_slow_client_too) {
  const auto s = open();
  const auto r = post(call("1"), s);
  say(latest(), {log_message});
  r->queued = limits::stream_queue_bytes + 1;
  say(latest(), {roots, result("1")});
  exit(latest());
  advance(20s);
  EXPECT_FALSE(r->done());
  r->queued = 0;
  advance(10ms);
  EXPECT_EQ(r->events(), (lines{log_message, roots, result("1")}));
  close_output(latest());
  EXPECT_EQ(post(call("2"), s)->status, 404);
  vanish(latest());
  EXPECT_EQ(metric("gate_stdio_sessions"), 0);
}

TEST_F(sessions, but_not_for_ever) {
  for (const bool gone : {false, true}) {
    const auto s = open();
    const auto r = post(call("1"), s), other = post(call("2"), s);
    say(latest(), {log_message});
    const auto g = get(s);
    g->queued = limits::stream_queue_bytes + 1;
    say(latest(), {roots, result("1")});
    exit(latest());
    if (gone) {
      close_output(latest());
      vanish(latest());
    }
    advance(20s);
    EXPECT_FALSE(r->done());
    advance(20s);
    EXPECT_EQ(r->last(), result("1"));  // what was said is heard
    EXPECT_NE(other->last().find("server_failed"), std::string::npos) << other->last();
    EXPECT_EQ(post(call("3"), s)->status, 404);
    if (!gone) close_output(latest()), vanish(latest());
    EXPECT_EQ(metric("gate_stdio_sessions"), 0);
  }
}

TEST_F(sessions, a_large_answer_that_is_not_taken_holds_up_what_comes_next) {
  const auto s = open();
  const auto a = post(call("1"), s);
  a->queued = limits::stream_queue_bytes + 1;
  say(latest(), {result("1")});
  EXPECT_EQ(a->body, result("1"));
  EXPECT_FALSE(latest().reading);
  a->queued = 0;
  advance(10ms);
  EXPECT_TRUE(latest().reading);
}

TEST_F(sessions, streams_that_are_replaced_and_not_read_are_bounded) {
  const auto s = open();
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    const auto g = get(s);
    g->queued = limits::stream_queue_bytes + 1;
    refused += g->status == 503;
  }
  EXPECT_GT(refused, 0);
}

TEST_F(sessions, whoever_is_slow_can_still_end_its_session) {
  const auto s = open();
  const auto r = post(call("1"), s);
  say(latest(), {log_message});
  r->queued = limits::stream_queue_bytes + 1;
  say(latest(), {roots});
  EXPECT_EQ(end(s)->status, 204);
  advance(10ms);
  EXPECT_TRUE(latest().reading);  // it is heard out, for its own sake
  exit(latest());
  close_output(latest());
  vanish(latest());
  EXPECT_EQ(metric("gate_stdio_sessions"), 0);
}

TEST_F(sessions, the_handshake_can_not_be_cancelled) {
  const auto first = post(initialize("0"));
  start(latest());
  say(latest(), {log_message});  // its stream begins: the client knows the session
  const auto s = first->header("mcp-session-id");
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}})";
  EXPECT_EQ(post(cancel, s)->status, 202);
  EXPECT_EQ(latest().heard, lines{initialize("0")});  // nor does the server hear of it
  say(latest(), {initialized("0")});
  EXPECT_EQ(first->events().back(), initialized("0"));
  EXPECT_FALSE(post(call("1"), s)->done());
}

TEST_F(sessions, an_event_that_was_never_sent_is_refused) {
  const auto s = open();
  say(latest(), {roots});
  EXPECT_EQ(get(s, {"Last-Event-ID: 0-99999"})->status, 400);
  EXPECT_EQ(get(s)->events(), lines{roots});
}

TEST_F(sessions, a_cancelled_request_is_not_waited_for) {
  const auto s = open();
  const auto a = post(call("1"), s), b = post(call("2"), s);
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  EXPECT_EQ(post(cancel, s)->status, 202);
  EXPECT_EQ(a->status, 202);
  EXPECT_TRUE(a->body.empty());
  EXPECT_EQ(latest().heard.back(), cancel);
  say(latest(), {result("1"), log_message});
  EXPECT_EQ(b->events(), lines{log_message});  // it is the only one
}

TEST_F(sessions, ids_in_flight_and_second_handshakes_are_refused) {
  const auto s = open();
  post(call("1"), s);
  const auto twice = post(call("1"), s);
  EXPECT_EQ(twice->status, 400);
  EXPECT_NE(twice->body.find("in flight"), std::string::npos);
  EXPECT_EQ(post(initialize("9"), s)->status, 400);
  EXPECT_EQ(latest().heard.size(), 1U);
}

TEST_F(sessions, versions_of_requests) {
  const auto s = open();
  EXPECT_EQ(post(call("1"), s, {"MCP-Protocol-Version: 1999-01-01"})->status, 400);
  EXPECT_EQ(post(call("1"), s, {"MCP-Protocol-Version: 2026-07-28"})->status, 400);
  EXPECT_FALSE(post(call("1"), s, {"MCP-Protocol-Version: 2025-11-25"})->done());
}

TEST_F(sessions, batches_exist_in_one_revision) {
  const auto old = open("2025-03-26");
  const auto r = post('[' + call("1") + ',' + call("2") + ',' + log_message + ']', old);
  EXPECT_EQ(latest().heard, (lines{call("1"), call("2"), log_message}));
  say(latest(), {result("2"), result("1")});
  EXPECT_EQ(r->body, '[' + result("2") + ',' + result("1") + ']');
  const auto s = open();
  EXPECT_EQ(post('[' + call("1") + ']', s)->status, 400);
}

TEST_F(sessions, a_server_may_gather_what_it_says) {
  const auto s = open("2025-03-26");
  const auto a = post(call("1"), s), b = post(call("2"), s);
  say(latest(), {'[' + result("1") + ',' + result("2") + ']'});
  EXPECT_EQ(a->body, result("1"));
  EXPECT_EQ(b->body, result("2"));
}

TEST_F(sessions, a_child_that_does_not_read_is_not_given_more) {
  const auto s = open();
  const std::string large(1024 * 1024, 'x');
  const auto big = [&](std::string id) { return call(id, R"(,"a":")" + large + '"'); };
  std::size_t bytes = 0;
  for (int i = 1; i <= 4; ++i) {
    EXPECT_FALSE(post(big(std::to_string(i)), s)->done()) << i;
    bytes += latest().heard.back().size() + 1;
  }
  const auto r = post(call("9"), s);
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->header("retry-after"), "1");
  take(latest(), bytes);
  EXPECT_FALSE(post(call("9"), s)->done());
}

TEST_F(sessions, so_many_requests_may_be_in_flight) {
  const auto s = open();
  for (std::size_t i = 0; i < limits::session_calls; ++i) post(call(std::to_string(i)), s);
  EXPECT_EQ(post(call("77777"), s)->status, 503);
}

}  // namespace
}  // namespace gate::sim
