// SHIM: the ceiling, health, metrics, shutdown.
#include "shim/shim_actor.hpp"

#include <gtest/gtest.h>

#include "shim/probe_actor.hpp"
#include "tests/shim/support/shim_world.hpp"

namespace gate::sim {
namespace {

using namespace std::chrono_literals;

const std::string question = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
const std::string answer = R"({"jsonrpc":"2.0","id":1,"result":{"tools":[]}})";

struct shims : ::testing::Test, shim_world {};

std::string health(std::string_view status, int sessions, int spawned, int errors, int rejected) {
  return R"({"status":")" + std::string(status) +
         R"(","version":")" GATE_VERSION R"(","stats":{"sessions":)" + std::to_string(sessions) +
         R"(,"maxSessions":64,"spawned":)" + std::to_string(spawned) + R"(,"spawnErrors":)" +
         std::to_string(errors) + R"(,"rejected":)" + std::to_string(rejected) + "}}";
}

// --- long bodies ---------------------------------------------------------------------------------

TEST(header_first, is_judged_before_the_body_is_asked_for) {
  shim_world w({.token = "secret"});
  const std::string good = "Authorization: Bearer secret";
  w.header_first = true;
  for (const auto& lines :
       std::vector<std::vector<std::string>>{{},
                                             {"Authorization: Bearer wrong"},
                                             {good, "Origin: http://evil.test"},
                                             {good, "Content-Type: text/plain"}}) {
    auto r = w.post(initialize(), {}, lines);
    EXPECT_TRUE(r->done());
    EXPECT_FALSE(r->body_asked);
    EXPECT_NE(r->status, 200);
  }
  auto nonsense = w.post("{}", {}, {good});
  w.bring_body(nonsense);
  EXPECT_EQ(nonsense->status, 400);
  auto broken = w.post(initialize(), {}, {good});
  w.bring_body(broken, http::defect::body_too_large);
  EXPECT_EQ(broken->status, 413);
  auto gone = w.post(initialize(), {}, {good});
  w.leave(gone);
  EXPECT_TRUE(gone->dropped);
  EXPECT_EQ(w.children(), 0U);
  auto opening = w.post(initialize(), {}, {good});
  EXPECT_TRUE(opening->body_asked);
  EXPECT_EQ(w.children(), 0U);
  w.bring_body(opening);
  w.start(w.latest());
  w.say(w.latest(), {initialized()});
  EXPECT_EQ(opening->status, 200);
  auto call = w.post(question, opening->header("mcp-session-id"), {good});
  EXPECT_EQ(w.latest().heard.size(), 1U);
  w.bring_body(call);
  EXPECT_EQ(w.latest().heard.back(), question);
  w.say(w.latest(), {answer});
  EXPECT_EQ(call->status, 200);
  for (const auto& r : {nonsense, broken, gone, opening, call})
    EXPECT_EQ(r->misuse, std::vector<std::string>{});
}

// --- the ceiling ---------------------------------------------------------------------------------

TEST(ceiling, holds_under_a_stampede) {
  shim_world w({.max_sessions = 64});
  std::vector<receipt_ptr> all;
  w.hold(true);
  for (int i = 0; i < 1000; ++i) all.push_back(w.post(initialize()));
  w.hold(false);
  w.settle();
  EXPECT_EQ(w.children(), 64U);
  for (std::size_t i = 0; i < 64; ++i) w.start(w.child(i));
  for (std::size_t i = 0; i < 64; ++i) w.say(w.child(i), {initialized()});
  int opened = 0, refused = 0;
  for (const auto& r : all) {
    opened += r->status == 200;
    refused += r->status == 503 && r->header("retry-after") == "1";
  }
  EXPECT_EQ(opened, 64);
  EXPECT_EQ(refused, 936);
  EXPECT_EQ(w.metric("gate_stdio_rejected_total"), 936);
  EXPECT_EQ(w.metric("gate_stdio_sessions"), 64);
  EXPECT_EQ(w.metric("gate_stdio_max_sessions"), 64);
  EXPECT_EQ(w.metric("gate_stdio_spawned_total"), 64);
}

TEST(ceiling, a_slot_is_free_when_the_child_is_reaped) {
  shim_world w({.max_sessions = 1});
  const auto s = w.open();
  w.end(s);
  EXPECT_EQ(w.post(initialize())->status, 503);
  w.exit(w.latest());
  EXPECT_EQ(w.post(initialize())->status, 503);
  w.vanish(w.latest());
  EXPECT_FALSE(w.post(initialize())->done());
  EXPECT_EQ(w.children(), 2U);
}

TEST(tokens, are_asked_for) {
  shim_world w({.token = "s3cret"});
  EXPECT_EQ(w.post(initialize())->status, 401);
  EXPECT_EQ(w.children(), 0U);
  w.post(initialize(), {}, {"Authorization: Bearer s3cret"});
  EXPECT_EQ(w.children(), 1U);
}

TEST_F(shims, metrics_are_exposed) {
  const auto text = fetch("/metrics")->body;
  for (const char* name : {"gate_stdio_sessions 0", "gate_stdio_max_sessions 64",
                           "gate_stdio_spawned_total 0", "gate_stdio_spawn_errors_total 0",
                           "gate_stdio_rejected_total 0", "gate_stdio_build_info{version="})
    EXPECT_NE(text.find(name), std::string::npos) << name << " in\n" << text;
  EXPECT_EQ(text.find("gate_build_info"), std::string::npos);
}

TEST_F(shims, health_starts_the_server_once_for_all_who_ask) {
  const auto a = fetch("/health"), b = fetch("/health");
  ASSERT_EQ(children(), 1U);
  auto& c = latest();
  start(c);
  ASSERT_EQ(c.heard.size(), 1U);
  EXPECT_NE(c.heard[0].find(R"("method":"initialize")"), std::string::npos);
  EXPECT_FALSE(a->done());
  say(c, {initialized("1")});
  for (const auto& r : {a, b}) {
    EXPECT_EQ(r->status, 200);
    EXPECT_EQ(r->body, health("ok", 0, 1, 0, 0));
  }
  EXPECT_EQ(c.heard.size(), 2U);  // notifications/initialized
  EXPECT_TRUE(c.input_closed);
  exit(c);
  vanish(c);
  EXPECT_EQ(fetch("/health")->status, 200);  // for a second
  EXPECT_EQ(children(), 1U);
  advance(1100ms);
  fetch("/health");
  EXPECT_EQ(children(), 2U);
}

TEST_F(shims, no_second_probe_while_the_first_ones_child_is_ending) {
  fetch("/health");
  start(latest());
  say(latest(), {initialized("1")});
  advance(8s);
  EXPECT_EQ(fetch("/health")->status, 200);
  EXPECT_EQ(children(), 1U);
  advance(3s);
  EXPECT_EQ(latest().killed, 1U);
  vanish(latest());
  fetch("/health");
  EXPECT_EQ(children(), 2U);
}

TEST_F(shims, a_live_session_is_proof) {
  const auto s = open();
  EXPECT_EQ(fetch("/health")->body, health("ok", 1, 1, 0, 0));
  EXPECT_EQ(children(), 1U);
  end(s);
  fetch("/health");
  EXPECT_EQ(children(), 2U);
}

TEST_F(shims, a_server_that_can_not_be_run_is_down) {
  auto r = fetch("/health");
  fail(latest(), "no such thing");
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->body, health("down", 0, 0, 1, 0));
  EXPECT_EQ(logged("no such thing"), 1U);
  advance(2s);
  r = fetch("/health");
  start(latest());
  exit(latest(), 3);
  close_output(latest());
  vanish(latest());
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(logged("can not be run"), 1U);  // told once
  advance(2s);
  r = fetch("/health");
  start(latest());
  advance(limits::child_initialize - 1s);
  const auto late = fetch("/health");
  advance(2s);
  EXPECT_EQ(late->body, health("down", 0, 2, 1, 0));
  EXPECT_TRUE(latest().input_closed);
  vanish(latest());
  advance(2s);
  r = fetch("/health");
  start(latest());
  say(latest(), {"noise", R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})"});
  EXPECT_EQ(r->status, 503);
  vanish(latest());
  advance(2s);
  r = fetch("/health");
  start(latest());
  say(latest(), {initialized("1")});
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(logged("can be run again"), 1U);
  vanish(latest());
}

TEST_F(shims, a_server_that_starts_slowly_is_not_killed_by_who_asks) {
  auto r = fetch("/health");
  start(latest());
  advance(9s);
  EXPECT_FALSE(r->done());
  const auto later = fetch("/health");
  advance(2s);
  EXPECT_EQ(r->status, 503);
  EXPECT_EQ(r->body, health("starting", 0, 1, 0, 0));
  EXPECT_FALSE(later->done());
  advance(8s);
  EXPECT_EQ(later->body, health("starting", 0, 1, 0, 0));
  EXPECT_FALSE(latest().input_closed);
  EXPECT_EQ(logged("can not be run"), 0U);
  r = fetch("/health");
  EXPECT_EQ(children(), 1U);  // still the same
  say(latest(), {initialized("1")});
  EXPECT_EQ(r->body, health("ok", 0, 1, 0, 0));
  vanish(latest());
}

TEST_F(shims, stops_when_everything_has_ended) {
  const auto idle = open(), busy = open();
  const auto r = post(question, busy);
  stop();
  EXPECT_TRUE(child(0).input_closed);
  EXPECT_FALSE(child(1).input_closed);
  EXPECT_EQ(post(initialize())->status, 503);
  EXPECT_EQ(fetch("/health")->status, 503);
  say(child(1), {answer});
  EXPECT_EQ(r->body, answer);
  EXPECT_TRUE(child(1).input_closed);
  drained();
  vanish(child(0));
  EXPECT_FALSE(stopped());
  vanish(child(1));
  EXPECT_TRUE(stopped());
}

TEST_F(shims, requests_that_do_not_end_are_cut_after_ten_seconds) {
  const auto s = open();
  const auto r = post(question, s);
  stop();
  advance(9900ms);
  EXPECT_FALSE(latest().input_closed);
  advance(200ms);
  EXPECT_TRUE(r->done());
  EXPECT_NE(r->last().find("stopping"), std::string::npos);
  EXPECT_TRUE(latest().input_closed);
  advance(11s);
  EXPECT_EQ(latest().killed, 1U);
  drained();
  vanish(latest());
  EXPECT_TRUE(stopped());
}

TEST_F(shims, a_session_that_is_just_beginning_is_stopped_too) {
  const auto r = post(initialize());
  stop();
  drained();
  advance(11s);
  EXPECT_EQ(r->status, 503);
  start(latest());  // only now does it run
  EXPECT_TRUE(latest().input_closed);
  vanish(latest());
  EXPECT_TRUE(stopped());
}

TEST_F(shims, stops_when_no_child_can_be_started_any_more) {
  const auto idle = open(), busy = open();
  const auto r = post(question, busy);
  lose_children();
  EXPECT_EQ(logged("No server can be started any more"), 1U);
  EXPECT_EQ(fetch("/health")->status, 503);
  EXPECT_EQ(post(initialize())->status, 503);
  EXPECT_TRUE(child(0).input_closed);
  say(child(1), {answer});
  EXPECT_EQ(r->body, answer);
  drained();
  vanish(child(0));
  vanish(child(1));
  EXPECT_TRUE(stopped_in_need());
}

TEST_F(shims, a_probe_of_a_silent_server_is_interrupted) {
  const auto r = fetch("/health");
  start(latest());
  stop();
  EXPECT_EQ(r->status, 503);
  EXPECT_TRUE(latest().input_closed);
  EXPECT_EQ(logged("can not be run"), 0U);
  advance(10100ms);
  EXPECT_EQ(latest().killed, 1U);
  drained();
  vanish(latest());
  EXPECT_TRUE(stopped());
}

TEST_F(shims, a_probe_whose_server_does_not_run_yet_is_interrupted) {
  fetch("/health");
  stop();
  EXPECT_EQ(latest().killed, 1U);
  drained();
  fail(latest(), "it was ended before it ran");
  EXPECT_TRUE(stopped());
}

TEST_F(shims, stops_at_once_if_nothing_runs) {
  stop();
  EXPECT_FALSE(stopped());
  drained();
  EXPECT_TRUE(stopped());
}

TEST_F(shims, waits_for_the_child_of_a_probe) {
  const auto r = fetch("/health");
  start(latest());
  stop();
  EXPECT_EQ(r->status, 503);
  drained();
  EXPECT_FALSE(stopped());
  vanish(latest());
  EXPECT_TRUE(stopped());
}

}  // namespace
}  // namespace gate::sim
