// How sessions end: who ends them, what becomes of what waits, and that the child is ended surely.
#include <gtest/gtest.h>

#include "tests/shim/support/shim_world.hpp"

namespace gate::sim {
namespace {

using namespace std::chrono_literals;
using lines = std::vector<std::string>;

const std::string list_tools = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
const std::string no_tools = R"({"jsonrpc":"2.0","id":1,"result":{"tools":[]}})";
const std::string log_note = R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})";

struct endings : ::testing::Test, shim_world {
  void expect_unknown(const std::string& session) {
    EXPECT_EQ(post(list_tools, session)->status, 404);
    EXPECT_EQ(get(session)->status, 404);
    EXPECT_EQ(end(session)->status, 404);
  }
};

TEST_F(endings, delete_closes_input_then_terminates_then_kills) {
  const auto s = open();
  auto& c = latest();
  EXPECT_EQ(end(s)->status, 204);
  expect_unknown(s);
  EXPECT_TRUE(c.input_closed);
  advance(4900ms);
  EXPECT_EQ(c.terminated, 0U);
  advance(200ms);
  EXPECT_EQ(c.terminated, 1U);
  advance(4800ms);
  EXPECT_EQ(c.killed, 0U);
  advance(200ms);
  EXPECT_EQ(c.killed, 1U);
  EXPECT_EQ(metric("gate_stdio_sessions"), 1);  // the slot is held until it is reaped
  advance(1h);
  EXPECT_EQ(c.killed, 1U);
  EXPECT_EQ(metric("gate_stdio_sessions"), 1);
  vanish(c);
  EXPECT_EQ(metric("gate_stdio_sessions"), 0);
}

TEST_F(endings, a_child_that_goes_by_itself_is_not_hurried) {
  const auto s = open();
  auto& c = latest();
  end(s);
  advance(2s);
  EXPECT_EQ(c.terminated, 0U);
  exit(c);
  EXPECT_EQ(c.terminated, 1U);  // what is left of its group
  vanish(c);
  advance(1h);
  EXPECT_EQ(c.killed, 0U);
  EXPECT_EQ(metric("gate_stdio_child_failures_total"), 0);
}

TEST_F(endings, a_group_that_outlives_its_leader_has_its_five_seconds) {
  const auto s = open();
  auto& c = latest();
  end(s);
  advance(4900ms);
  exit(c);
  EXPECT_EQ(c.terminated, 1U);
  advance(4900ms);  // the timer of closing its input must not count
  EXPECT_EQ(c.killed, 0U);
  advance(200ms);
  EXPECT_EQ(c.killed, 1U);
  vanish(c);
}

TEST_F(endings, delete_answers_what_waits) {
  const auto s = open();
  const auto g = get(s);
  const auto r = post(list_tools, s);
  end(s);
  EXPECT_EQ(r->status, 404);
  EXPECT_TRUE(g->stream_ended);
}

TEST_F(endings, idle_sessions_end) {
  const auto s = open();
  advance(200s);
  post(R"({"jsonrpc":"2.0","method":"notifications/x"})", s);
  advance(290s);
  EXPECT_FALSE(latest().input_closed);
  advance(20s);
  EXPECT_TRUE(latest().input_closed);
  expect_unknown(s);
}

TEST_F(endings, a_listener_or_a_waiting_request_is_life) {
  const auto a = open(), b = open();
  const auto g = get(a);
  const auto r = post(list_tools, b);
  advance(1h);
  EXPECT_FALSE(child(0).input_closed);
  EXPECT_FALSE(child(1).input_closed);
  g->alive = false;
  r->alive = false;  // nobody waits, even if it is never answered
  advance(290s);
  EXPECT_FALSE(child(0).input_closed);
  advance(20s);
  EXPECT_TRUE(child(0).input_closed);
  EXPECT_TRUE(child(1).input_closed);
}

TEST_F(endings, a_child_that_crashes_in_a_call) {
  const auto s = open();
  const auto g = get(s);
  const auto r = post(list_tools, s);
  auto& c = latest();
  close_output(c);
  exit(c, 11, true);
  EXPECT_EQ(r->status, 502);
  EXPECT_NE(r->body.find(R"("id":1)"), std::string::npos) << r->body;
  EXPECT_NE(r->body.find("server_failed"), std::string::npos) << r->body;
  EXPECT_TRUE(g->stream_ended);
  expect_unknown(s);
  EXPECT_EQ(metric("gate_stdio_child_failures_total"), 1);
  EXPECT_EQ(logged("status=signal 11"), 1U);
  EXPECT_EQ(c.terminated, 1U);  // its group
  vanish(c);
  EXPECT_EQ(metric("gate_stdio_sessions"), 0);
}

TEST_F(endings, on_a_stream_the_error_is_the_last_event) {
  const auto s = open();
  const auto r = post(list_tools, s);
  auto& c = latest();
  say(c, {log_note});
  exit(c, 1);
  close_output(c);
  ASSERT_EQ(r->events().size(), 2U);
  EXPECT_NE(r->last().find(R"("code":-32603)"), std::string::npos);
  EXPECT_TRUE(r->stream_ended);
  vanish(c);
}

TEST_F(endings, last_words_are_heard) {
  const auto s = open();
  const auto r = post(list_tools, s);
  auto& c = latest();
  exit(c);
  EXPECT_FALSE(r->done());
  say(c, {no_tools});
  EXPECT_EQ(r->body, no_tools);
  close_output(c);
  expect_unknown(s);
  vanish(c);
}

TEST_F(endings, last_words_are_not_waited_for_longer_than_a_second) {
  const auto s = open();
  const auto r = post(list_tools, s);
  auto& c = latest();
  exit(c);  // somebody else keeps its output open
  advance(900ms);
  EXPECT_FALSE(r->done());
  advance(200ms);
  EXPECT_TRUE(r->done());
  EXPECT_NE(r->last().find("server_failed"), std::string::npos) << r->last();
  EXPECT_EQ(c.terminated, 1U);
  vanish(c);
}

TEST_F(endings, a_child_that_closes_its_output_is_of_no_use) {
  const auto s = open();
  auto& c = latest();
  close_output(c);
  advance(2s);
  expect_unknown(s);
  EXPECT_TRUE(c.input_closed);
  EXPECT_EQ(c.terminated, 0U);
  EXPECT_EQ(metric("gate_stdio_child_failures_total"), 1);
  vanish(c);
}

TEST_F(endings, a_child_that_closes_its_input_is_of_no_use) {
  const auto s = open();
  const auto r = post(list_tools, s);
  auto& c = latest();
  turn_deaf(c);
  advance(900ms);
  EXPECT_FALSE(r->done());  // an answer may be on its way
  advance(200ms);
  EXPECT_TRUE(r->done());
  EXPECT_NE(r->last().find("server_failed"), std::string::npos) << r->last();
  EXPECT_NE(r->last().find("closed its standard input"), std::string::npos) << r->last();
  expect_unknown(s);
  EXPECT_EQ(metric("gate_stdio_child_failures_total"), 1);
  advance(5s);
  EXPECT_EQ(c.terminated, 1U);
  vanish(c);
}

TEST_F(endings, a_child_that_ends_with_unread_input_has_ended) {
  const auto s = open();
  const auto r = post(list_tools, s);
  auto& c = latest();
  turn_deaf(c);
  say(c, {no_tools});
  EXPECT_EQ(r->body, no_tools);
  exit(c, 3);
  close_output(c);
  EXPECT_EQ(logged("status=exit code 3"), 1U);
  expect_unknown(s);
  vanish(c);
}

TEST_F(endings, a_child_that_does_not_run_yet_is_killed_at_once) {
  const auto r = post(initialize());
  auto& c = latest();
  EXPECT_EQ(c.killed, 0U);
  r->alive = false;
  advance(2s);
  EXPECT_EQ(c.killed, 1U);
  EXPECT_EQ(metric("gate_stdio_sessions"), 1);
  fail(c, "it was ended before it ran");
  EXPECT_EQ(metric("gate_stdio_sessions"), 0);
  EXPECT_EQ(metric("gate_stdio_spawn_errors_total"), 0);
  EXPECT_EQ(logged("could not be started"), 0U);
}

TEST_F(endings, a_child_that_is_gone_without_a_word) {
  const auto s = open();
  const auto r = post(list_tools, s);
  vanish(latest());
  EXPECT_EQ(r->status, 502);
  expect_unknown(s);
  EXPECT_EQ(metric("gate_stdio_sessions"), 0);
}

TEST_F(endings, a_child_that_can_not_be_started) {
  const auto r = post(initialize("7"));
  fail(latest(), "can not execute the command: No such file or directory");
  EXPECT_EQ(r->status, 502);
  EXPECT_NE(r->body.find(R"("id":7)"), std::string::npos);
  EXPECT_EQ(r->body.find("No such file"), std::string::npos);  // that is for the log_note
  EXPECT_EQ(logged("No such file"), 1U);
  EXPECT_EQ(metric("gate_stdio_spawn_errors_total"), 1);
  EXPECT_EQ(metric("gate_stdio_spawned_total"), 0);
  EXPECT_EQ(metric("gate_stdio_sessions"), 0);
}

TEST_F(endings, a_child_that_ends_before_it_answers_initialize) {
  const auto r = post(initialize());
  auto& c = latest();
  start(c);
  exit(c, 1);
  close_output(c);
  EXPECT_EQ(r->status, 502);
  EXPECT_EQ(r->header("mcp-session-id"), "");
  vanish(c);
  EXPECT_EQ(metric("gate_stdio_sessions"), 0);
}

TEST_F(endings, a_child_that_never_answers_initialize) {
  const auto r = post(initialize());
  auto& c = latest();
  start(c);
  advance(limits::child_initialize - 1s);
  EXPECT_FALSE(r->done());
  EXPECT_FALSE(r->streaming);  // so that its failure can have a status
  advance(2s);
  EXPECT_EQ(r->status, 502);
  advance(20s);
  EXPECT_EQ(c.killed, 1U);
  vanish(c);
}

TEST_F(endings, a_refused_initialize_leaves_nothing) {
  const auto r = post(initialize());
  auto& c = latest();
  start(c);
  const std::string no = R"({"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no"}})";
  say(c, {no});
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(r->body, no);
  EXPECT_EQ(r->header("mcp-session-id"), "");
  EXPECT_TRUE(c.input_closed);
  vanish(c);
  EXPECT_EQ(metric("gate_stdio_sessions"), 0);
}

TEST_F(endings, a_client_that_leaves_before_it_is_initialized) {
  const auto r = post(initialize());
  auto& c = latest();
  start(c);
  r->alive = false;
  advance(2s);
  EXPECT_TRUE(c.input_closed);
  vanish(c);
}

TEST_F(endings, what_is_said_while_it_ends_is_dropped_and_read) {
  const auto s = open();
  auto& c = latest();
  end(s);
  say(c, {no_tools, "nonsense"});
  EXPECT_TRUE(c.reading);  // so that its pipe does not fill
  EXPECT_EQ(logged("no message"), 0U);
  vanish(c);
}

TEST_F(endings, a_session_that_crashes_frees_its_slot_with_its_child_only) {
  const auto s = open();
  const auto r = post(list_tools, s);
  crash(cast("session").at(0));
  EXPECT_TRUE(r->dropped);
  expect_unknown(s);
  EXPECT_EQ(logged("A session crashed"), 1U);
  EXPECT_EQ(metric("gate_stdio_sessions"), 1);
  caf::anon_send_exit(latest().handle, caf::exit_reason::user_shutdown);
  settle();
  EXPECT_EQ(metric("gate_stdio_sessions"), 0);
}

}  // namespace
}  // namespace gate::sim
