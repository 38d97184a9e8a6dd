// UPSTREAM SESSION with several endpoints, and the check of one of them.
#include <functional>

#include "protocol/limits.hpp"
#include "tests/support/upstream_stage.hpp"

namespace gate::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto two = R"({"id":"a","urls":["http://r0.test/mcp","http://r1.test/mcp"]})";
constexpr auto four = R"({"id":"a","urls":["http://r0.test/mcp","http://r1.test/mcp",
                          "http://r2.test/mcp","http://r3.test/mcp"]})";
using endpoints = std::vector<std::size_t>;

TEST(upstream_endpoints, new_sessions_ask_and_stay) {
  upstream_stage s({.upstream = two, .balancer = true});
  s.call(1, 1);
  s.call(2, 2);
  s.call(3, 1);
  s.call(4, 2);
  EXPECT_EQ(s.heard().picks.size(), 2U);
  EXPECT_EQ(s.server("r0").count("tools/call"), 2U);
  EXPECT_EQ(s.server("r1").count("tools/call"), 2U);
  s.tell(s.it(), client_ended{2, false});
  EXPECT_EQ(s.server("r0").count("DELETE"), 0U);
  EXPECT_EQ(s.server("r1").count("DELETE"), 1U);
  EXPECT_EQ(s.server("r1").open_sessions(), 0U);
}

TEST(upstream_endpoints, a_session_listens_where_it_calls) {
  upstream_stage s({.upstream = two, .balancer = true});
  s.tell(s.it(), introduce{});
  s.call(1);
  auto p = std::make_shared<client_profile>();
  p->listening = true;
  s.tell(s.it(), profile_changed{1, p});
  EXPECT_EQ(s.server("r0").count("GET"), 1U) << "of the root session";
  EXPECT_EQ(s.server("r1").count("GET"), 1U);
}

TEST(upstream_endpoints, one_that_can_not_be_reached_is_reported_and_another_tried) {
  upstream_stage s({.upstream = two, .breaker = true, .balancer = true});
  s.cut_off("r0");
  s.call(1);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_EQ(s.heard().failures, endpoints{0});
  ASSERT_EQ(s.heard().picks.size(), 2U);
  EXPECT_EQ(s.heard().picks[1].tried, endpoints{0});
  EXPECT_EQ(s.server("r1").count("tools/call"), 1U);
  EXPECT_TRUE(s.heard().ends.empty());
}

TEST(upstream_endpoints, one_that_is_full_works_and_is_come_back_to_when_the_others_do_not) {
  upstream_stage s({.upstream = two, .breaker = true, .balancer = true});
  s.call(1, 1);  // r0
  s.call(2, 2);  // r1
  s.cut_off("r1");
  s.server("r0").room = 1;
  s.call(3, 3);
  s.advance(limits::busy_pause);
  EXPECT_EQ(s.how(3), "a result");
  EXPECT_EQ(s.heard().failures, endpoints{1}) << "what is full is not broken";
  EXPECT_EQ(s.server("r0").count("DELETE"), 1U) << "a place was made there";
}

TEST(upstream_endpoints, that_are_full_or_gone_are_busy_and_nobody_is_blamed_for_that) {
  upstream_stage s({.upstream = two, .breaker = true, .balancer = true});
  s.server("r0").room = 0;
  s.cut_off("r1");
  s.call(1);
  s.advance(1min);
  EXPECT_EQ(s.how(1), "busy");
  EXPECT_EQ(s.heard().failures, endpoints{1});
  EXPECT_TRUE(s.heard().ends.empty());
}

TEST(upstream_endpoints, a_request_that_is_too_large_for_the_server_is_its_clients_matter) {
  upstream_stage s({.breaker = true});
  for (int status : {413, 414, 431}) {
    s.server().next("tools/call", reply::http(status));
    s.call(static_cast<std::uint64_t>(status));
  }
  EXPECT_TRUE(s.heard().ends.empty());
  s.server().next("tools/call", reply::http(400));
  s.call(1);
  EXPECT_EQ(s.heard().ends.size(), 1U);
}

TEST(upstream_endpoints, candidates_are_bounded) {
  upstream_stage s({.upstream = four, .breaker = true, .balancer = true});
  for (auto host : {"r0", "r1", "r2"}) s.cut_off(host);
  s.call(1);
  EXPECT_EQ(s.how(1), "connect failed");
  EXPECT_EQ(s.heard().failures, (endpoints{0, 1, 2}));
  EXPECT_EQ(s.heard().ends.size(), 1U) << "one failure for BREAKER";
  s.call(2);
  EXPECT_EQ(s.how(2), "a result");
  EXPECT_TRUE(s.heard().picks.at(3).tried.empty()) << "each attempt to connect begins anew";
}

TEST(upstream_endpoints, a_handshake_that_is_answered_is_not_tried_elsewhere) {
  for (const auto& answer :
       {reply::http(400), reply::http(401), reply::http(403), reply::http(404), reply::http(429),
        reply::http(302), reply::error(R"({"code":-32603,"message":"no"})"), reply::result("7"),
        reply::failure(fetch_end::overloaded)}) {
    SCOPED_TRACE(answer.status);
    upstream_stage s({.upstream = two, .balancer = true});
    s.server("r0").next("initialize", answer);
    s.call(1);
    const bool no_entry = answer.status == 401 || answer.status == 403;
    EXPECT_EQ(s.how(1).substr(s.how(1).find(' ')), no_entry ? " refused" : " failed");
    EXPECT_TRUE(s.heard().failures.empty());
    EXPECT_TRUE(s.server("r1").seen().empty());
  }
}

TEST(upstream_endpoints, one_that_fails_the_handshake_is_reported_and_another_tried) {
  for (const auto& answer : {reply::http(500), reply::http(502), reply::http(503, "starting"),
                             reply::failure(fetch_end::broken)})
    for (const auto* method : {"initialize", "notifications/initialized"}) {
      SCOPED_TRACE(method + std::to_string(answer.status));
      upstream_stage s({.upstream = two, .breaker = true, .balancer = true});
      s.server("r0").next(method, answer);
      s.call(1);
      EXPECT_EQ(s.how(1), "a result");
      EXPECT_EQ(s.heard().failures, endpoints{0});
      ASSERT_EQ(s.heard().picks.size(), 2U);
      EXPECT_EQ(s.heard().picks[1].tried, endpoints{0});
      EXPECT_EQ(s.server("r1").count("tools/call"), 1U);
      EXPECT_EQ(s.server("r0").open_sessions(), 0U) << "what it opened is closed";
      EXPECT_TRUE(s.heard().ends.empty());
    }
}

TEST(upstream_endpoints, those_that_fail_the_handshake_are_bounded) {
  upstream_stage s({.upstream = four, .breaker = true, .balancer = true});
  for (const auto* host : {"r0", "r1", "r2"}) s.server(host).always("initialize", reply::http(503));
  s.call(1);
  EXPECT_EQ(s.how(1), "connect failed");
  EXPECT_EQ(s.heard().failures, (endpoints{0, 1, 2}));
  EXPECT_EQ(s.heard().ends.size(), 1U) << "one failure for BREAKER";
  EXPECT_TRUE(s.server("r3").seen().empty());
}

TEST(upstream_endpoints, the_only_one_that_fails_the_handshake_is_reported) {
  upstream_stage s({.breaker = true, .balancer = true});
  s.server().next("initialize", reply::http(503));
  s.call(1);
  EXPECT_EQ(s.how(1), "connect failed");
  EXPECT_EQ(s.heard().failures, endpoints{0});
  EXPECT_EQ(s.heard().picks.size(), 1U);
  EXPECT_EQ(s.heard().ends.size(), 1U);
}

TEST(upstream_endpoints, one_that_never_answers_the_handshake_is_left_when_its_time_is_over) {
  for (const auto* method : {"initialize", "notifications/initialized"}) {
    SCOPED_TRACE(method);
    upstream_stage s({.upstream = two, .breaker = true, .balancer = true});
    s.server("r0").always(method, reply::silence());
    s.call(1);
    s.advance(30s);
    s.call(2);
    s.advance(30s - 1ms);
    EXPECT_TRUE(s.heard().failures.empty());
    s.advance(1ms);
    EXPECT_EQ(s.how(1), "timed out") << "it gets no more time elsewhere";
    EXPECT_EQ(s.how(2), "a result");
    EXPECT_EQ(s.heard().failures, endpoints{0});
    EXPECT_EQ(s.server("r1").count("tools/call"), 1U);
    EXPECT_EQ(s.server("r0").open_sessions(), 0U);
    ASSERT_EQ(s.heard().ends.size(), 2U) << "of one call each";
    EXPECT_EQ(s.heard().ends[0].how, verdict::failure);
    EXPECT_EQ(s.heard().ends[1].how, verdict::success);
  }
}

TEST(upstream_endpoints, no_call_waits_longer_however_many_never_answer) {
  upstream_stage s({.upstream = four, .breaker = true, .balancer = true});
  for (const auto* host : {"r0", "r1", "r2"}) s.server(host).always("initialize", reply::silence());
  s.call(1);
  s.advance(30s);
  s.call(2);
  s.advance(30s);
  EXPECT_EQ(s.how(1), "timed out");
  EXPECT_EQ(s.heard().failures, endpoints{0});
  s.advance(30s - 1ms);
  EXPECT_EQ(s.how(2), "nothing");
  s.advance(1ms);
  EXPECT_EQ(s.how(2), "timed out");
  EXPECT_EQ(s.heard().ends.size(), 2U) << "another silence, another failure";
  s.advance(60s);
  s.call(3);
  s.advance(30s);
  EXPECT_EQ(s.heard().failures, (endpoints{0, 1, 2}));
  EXPECT_EQ(s.how(3), "timed out") << "three have been tried";
  EXPECT_TRUE(s.server("r3").seen().empty());
  s.call(4);
  EXPECT_EQ(s.how(4), "a result") << "each attempt to connect begins anew";
}

TEST(upstream_endpoints, one_that_goes_away_within_the_handshake_is_left) {
  upstream_stage s({.upstream = two, .balancer = true});
  s.server("r0").next("notifications/initialized", reply::failure(fetch_end::connect_failed));
  s.call(1);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_EQ(s.heard().failures, endpoints{0});
  EXPECT_EQ(s.server("r1").count("tools/call"), 1U);
}

TEST(upstream_endpoints, a_session_whose_endpoint_is_gone_is_lost) {
  upstream_stage s({.upstream = two, .budget = true, .breaker = true, .balancer = true});
  s.call(1, 1, true);
  s.cut_off("r0");
  s.call(2, 1, true);
  EXPECT_EQ(s.how(2), "a result") << "it was not sent, so it goes over a new session";
  EXPECT_EQ(s.heard().answers.back().upstream_calls, 1U);
  EXPECT_EQ(s.heard().charges.size(), 2U) << "nor was it charged twice";
  EXPECT_EQ(s.heard().failures, endpoints{0});
  EXPECT_TRUE(s.heard().ends.empty());
  s.connect("r0");
  s.call(3);
  EXPECT_EQ(s.server("r1").count("tools/call"), 2U) << "and stays there";
}

TEST(upstream_endpoints, what_was_sent_stays_with_the_endpoint) {
  upstream_stage s({.upstream = two, .balancer = true});
  s.call(1);
  s.server("r0").next("tools/call", reply::silence());
  s.call(2);
  const auto running = s.server("r0").last("tools/call");
  s.cut_off("r0");
  s.call(3);
  EXPECT_EQ(s.how(3), "a result");
  fake_upstream::answer(running, reply::result("{}"));
  s.settle();
  EXPECT_EQ(s.how(2), "a result");
}

TEST(upstream_endpoints, a_stream_that_can_not_be_opened_again_loses_the_session_too) {
  upstream_stage s({.upstream = two, .balancer = true});
  s.tell(s.it(), introduce{});
  s.cut_off("r0");
  fake_upstream::close(s.server("r0").last("GET"));
  s.advance(1s);
  EXPECT_EQ(s.heard().failures, endpoints{0});
  EXPECT_EQ(s.server("r1").count("initialize"), 1U) << "a root session listens, so it goes on";
  EXPECT_EQ(s.server("r1").count("GET"), 1U);
}

TEST(upstream_endpoints, a_new_session_after_a_lost_one_asks_again) {
  upstream_stage s({.upstream = two, .balancer = true});
  s.call(1);
  s.server("r0").forget_sessions();
  s.call(2);
  EXPECT_EQ(s.how(2), "a result");
  EXPECT_EQ(s.heard().picks.size(), 2U);
  EXPECT_TRUE(s.heard().failures.empty());
  EXPECT_EQ(s.server("r1").count("tools/call"), 1U);
}

TEST(upstream_endpoints, without_balancer_the_first_comes_first) {
  upstream_stage s({.upstream = two});
  s.call(1, 1);
  s.call(2, 2);
  EXPECT_EQ(s.server("r0").count("tools/call"), 2U);
  s.cut_off("r0");
  s.call(3, 3);
  EXPECT_EQ(s.how(3), "a result");
  EXPECT_EQ(s.server("r1").count("tools/call"), 1U);
}

TEST(upstream_endpoints, the_only_one_is_not_left) {
  upstream_stage s({.balancer = true});
  s.call(1);
  s.cut_off("a");
  s.call(2);
  EXPECT_EQ(s.how(2), "connect failed");
  EXPECT_EQ(s.heard().answers.back().upstream_calls, 0U);
  EXPECT_EQ(s.heard().failures, endpoints{0});
  s.connect("a");
  s.call(3);
  EXPECT_EQ(s.how(3), "a result");
  EXPECT_EQ(s.server().count("initialize"), 1U);
}

TEST(upstream_endpoints, a_balancer_that_crashed_is_not_waited_for) {
  upstream_stage s({.upstream = two, .balancer = true, .balancer_waits = true});
  s.call(1);
  EXPECT_EQ(s.how(1), "nothing");
  s.tell(s.it(), replaced<balancer_handle>{});
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_EQ(s.server("r0").count("tools/call"), 1U);
  s.tell(s.it(), replaced<balancer_handle>{s.guards().balancer});
  s.call(2, 2);
  EXPECT_EQ(s.heard().picks.size(), 2U);
  s.tell(s.heard().picks[1].asker, endpoint_picked{s.heard().picks[0].number + 77, 0});
  EXPECT_EQ(s.how(2), "nothing") << "an answer to another question";
  s.tell(s.heard().picks[1].asker, endpoint_picked{s.heard().picks[1].number, 1});
  EXPECT_EQ(s.server("r1").count("tools/call"), 1U);
}

TEST(upstream_endpoints, what_waits_for_balancer_has_its_deadline) {
  upstream_stage s({.upstream = two, .breaker = true, .balancer = true, .balancer_waits = true});
  s.call(1);
  s.advance(61s);
  EXPECT_EQ(s.how(1), "timed out");
  EXPECT_TRUE(s.heard().ends.empty()) << "the upstream was not asked";
  s.tell(s.it(), client_ended{1, false});
  EXPECT_EQ(s.cast("bridged session").size(), 1U);
  s.tell(s.heard().picks[0].asker, endpoint_picked{s.heard().picks[0].number, 1});
  EXPECT_TRUE(s.cast("bridged session").empty());
  EXPECT_EQ(s.server("r1").seen().size(), 0U) << "nobody needs it any more";
}

// --- checks --------------------------------------------------------------------------------------

endpoint_prober balancer_of(upstream_stage& s) {
  return caf::actor_cast<endpoint_prober>(s.guards().balancer);
}

TEST(upstream_endpoints, a_check_is_a_handshake_and_a_goodbye) {
  constexpr auto guarded = R"({"id":"a","urls":["http://r0.test/mcp","http://r1.test/mcp"],
                               "rateLimit":{"requestsPerMinute":1}})";
  upstream_stage s(
      {.upstream = guarded, .limiter = true, .budget = true, .breaker = true, .balancer = true});
  s.circuit(breaker_state::open);
  s.tell(s.it(), probe_endpoint{7, 1, balancer_of(s)});
  ASSERT_EQ(s.heard().probes.size(), 1U);
  EXPECT_EQ(s.heard().probes[0].round, 7U);
  EXPECT_EQ(s.heard().probes[0].endpoint, 1U);
  EXPECT_TRUE(s.heard().probes[0].connected);
  std::string methods;
  for (const auto& sight : s.server("r1").seen()) methods += sight->method + ' ';
  EXPECT_EQ(methods, "initialize notifications/initialized DELETE ");
  EXPECT_EQ(s.server("r1").open_sessions(), 0U);
  EXPECT_TRUE(s.server("r0").seen().empty());
  const auto& h = s.heard();
  EXPECT_TRUE(h.admissions.empty() && h.charges.empty() && h.leases.empty() && h.ends.empty());
  EXPECT_TRUE(h.picks.empty() && h.introductions.empty() && h.changes.empty());
  EXPECT_TRUE(s.cast("endpoint check").empty());
  EXPECT_EQ(s.metric(R"(gate_sessions{kind="bridged"})"), 0);
}

TEST(upstream_endpoints, a_check_tells_how_it_failed) {
  struct row {
    std::string what;
    std::function<void(upstream_stage&)> before;
    std::string error;
  };
  const std::vector<row> rows{
      {"no connection", [](auto& s) { s.cut_off("r1"); }, "connect failed"},
      {"refused", [](auto& s) { s.server("r1").always("initialize", reply::http(500)); },
       "connect failed: initialize was answered with HTTP 500"},
      {"no answer", [](auto& s) { s.server("r1").always("initialize", reply::silence()); },
       "timed out"},
      {"crashed",
       [](auto& s) { s.server("r1").always("notifications/initialized", reply::silence()); },
       "the check died"},
  };
  for (const auto& r : rows) {
    SCOPED_TRACE(r.what);
    upstream_stage s({.upstream = two, .breaker = true, .balancer = true});
    r.before(s);
    s.tell(s.it(), probe_endpoint{1, 1, balancer_of(s)});
    if (r.what == "crashed") s.crash(s.cast("endpoint check").at(0));
    s.advance(61s);
    ASSERT_EQ(s.heard().probes.size(), 1U);
    EXPECT_FALSE(s.heard().probes[0].connected);
    EXPECT_EQ(s.heard().probes[0].error.substr(0, r.error.size()), r.error);
    EXPECT_TRUE(s.heard().failures.empty()) << "the answer says it";
    EXPECT_TRUE(s.heard().ends.empty());
    EXPECT_TRUE(s.heard().losses.empty());
    s.advance(61s);
    EXPECT_TRUE(s.cast("endpoint check").empty());
  }
}

TEST(upstream_endpoints, a_check_needs_the_credential) {
  upstream_stage s({.upstream = R"({"id":"a","url":"http://a.test/mcp",
                                    "auth":{"strategy":"static","secretRef":"MISSING"}})",
                    .balancer = true});
  s.tell(s.it(), probe_endpoint{1, 0, balancer_of(s)});
  ASSERT_EQ(s.heard().probes.size(), 1U);
  EXPECT_EQ(s.heard().probes[0].error.substr(0, 22), "credential unavailable");
  s.tell(s.it(), probe_endpoint{2, 5, balancer_of(s)});
  ASSERT_EQ(s.heard().probes.size(), 2U);
  EXPECT_FALSE(s.heard().probes[1].connected) << "there is no such endpoint";
}

TEST(upstream_endpoints, checks_end_with_upstream) {
  upstream_stage s({.upstream = two, .balancer = true});
  s.server("r1").always("initialize", reply::silence());
  s.tell(s.it(), probe_endpoint{1, 1, balancer_of(s)});
  EXPECT_EQ(s.cast("endpoint check").size(), 1U);
  s.crash(s.it());
  EXPECT_TRUE(s.cast("endpoint check").empty());
}

}  // namespace
}  // namespace gate::sim
