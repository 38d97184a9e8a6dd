// UPSTREAM in front of BUDGET, for its limit, and BREAKER, and what its sessions tell BREAKER.
#include <algorithm>
#include <functional>

#include "protocol/limits.hpp"
#include "tests/support/upstream_stage.hpp"

namespace gate::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto limited =
    R"({"id":"a","url":"http://a.test/mcp","rateLimit":{"requestsPerMinute":5}})";

/// Verdicts so far, as letters; those of leases in brackets.
std::string verdicts(upstream_stage& s) {
  std::string out;
  for (const auto& m : s.heard().ends) {
    const std::string letter(1, "sfn"[static_cast<int>(m.how)]);
    out += m.lease ? "[" + std::to_string(m.lease) + letter + "]" : letter;
  }
  return out;
}

TEST(upstream_guards, nobody_is_asked_where_nothing_is_limited) {
  upstream_stage s({.limiter = true, .budget = true, .breaker = true});
  s.call(1);
  s.record_turns();
  s.call(2);
  EXPECT_EQ(s.how(2), "a result");
  // UPSTREAM, the session, EGRESS, the session again, ROUTER: one message each.
  EXPECT_EQ(std::ranges::count(s.turns(), '#'), 5) << s.turns();
  EXPECT_TRUE(s.heard().admissions.empty());
  EXPECT_TRUE(s.heard().charges.empty());
  EXPECT_TRUE(s.heard().ends.empty());
}

TEST(upstream_guards, limiter_is_asked_for_calls_and_lists) {
  upstream_stage s({.upstream = limited, .limiter = true});
  s.call(1);
  s.list(1);
  ASSERT_EQ(s.heard().admissions.size(), 2U);
  const auto& scopes = *s.heard().admissions[0].scopes;
  ASSERT_EQ(scopes.size(), 1U);
  EXPECT_EQ(scopes[0].key, (scope_key{scope::upstream, "a", 0}));
  EXPECT_EQ(scopes[0].per_minute, 5);
  EXPECT_EQ(s.how(1), "a result");
  ASSERT_EQ(s.heard().lists.size(), 1U);
  EXPECT_TRUE(s.heard().lists[0].items);
}

TEST(upstream_guards, limiter_is_not_asked_for_signs_of_life) {
  upstream_stage s({.upstream = limited, .limiter = true, .breaker = true});
  s.circuit(breaker_state::open);
  s.tell(s.it(), introduce{});
  EXPECT_EQ(s.heard().introductions.size(), 2U) << "of the handshake, and to who asked";
  EXPECT_TRUE(s.heard().admissions.empty());
  EXPECT_EQ(s.server().count("initialize"), 1U) << "an open circuit does not stop it";
}

TEST(upstream_guards, limiter_refuses) {
  upstream_stage s({.upstream = limited, .limiter = true, .breaker = true, .limiter_waits = true});
  s.call(1);
  s.list(7);
  EXPECT_EQ(s.how(1), "nothing");
  s.admit(0, false);
  s.admit(1, false);
  EXPECT_NE(s.refused(1).find("rate limit"), std::string::npos);
  EXPECT_EQ(s.heard().answers.at(0).upstream_calls, 0U);
  EXPECT_EQ(s.heard().answers.at(0).refused->retry_after_ms, 37'000);
  ASSERT_EQ(s.heard().lists.size(), 1U);
  EXPECT_FALSE(s.heard().lists[0].items);
  EXPECT_EQ(s.metric(R"(gate_upstream_requests_total{outcome="rate_limited",upstream="a"})"), 2);
  EXPECT_EQ(s.server().seen().size(), 0U);
  EXPECT_TRUE(s.heard().ends.empty());
}

TEST(upstream_guards, cancellation_reaches_what_waits_for_limiter) {
  upstream_stage s({.upstream = limited, .limiter = true, .limiter_waits = true});
  s.call(1);
  s.call(2);
  s.cancel(1);
  s.admit(0, true);
  s.admit(1, true);
  EXPECT_EQ(s.how(1), "nothing");
  EXPECT_EQ(s.how(2), "a result");
  EXPECT_EQ(s.server().count("tools/call"), 1U);
}

TEST(upstream_guards, the_end_of_a_client_takes_along_what_waits) {
  upstream_stage s({.upstream = limited, .limiter = true, .limiter_waits = true});
  s.call(1);
  s.call(2, 2);
  s.tell(s.it(), client_ended{1, false});
  s.admit(0, true);
  s.admit(1, true);
  EXPECT_EQ(s.how(1), "nothing");
  EXPECT_EQ(s.how(2), "a result");
}

TEST(upstream_guards, a_client_that_leaves_is_served_what_it_asked_before) {
  upstream_stage s({.upstream = limited, .limiter = true, .limiter_waits = true});
  s.call(1);
  s.tell(s.it(), client_ended{1, true});
  s.admit(0, true);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_TRUE(s.cast("bridged session").empty()) << "and then its session ends";
  EXPECT_EQ(s.server().open_sessions(), 0U);
}

TEST(upstream_guards, a_limiter_that_crashed_has_admitted) {
  upstream_stage s({.upstream = limited, .limiter = true, .limiter_waits = true});
  s.call(1);
  s.tell(s.it(), replaced<budget_handle>{});
  s.call(2);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_EQ(s.how(2), "a result");
  s.tell(s.it(), replaced<budget_handle>{s.guards().budget});
  s.call(3);
  EXPECT_EQ(s.how(3), "nothing");
  s.admit(0, false);
  EXPECT_EQ(s.how(1), "a result") << "a late answer is nobody's";
}

TEST(upstream_guards, what_waits_is_bounded) {
  upstream_stage s({.upstream = limited, .limiter = true, .limiter_waits = true});
  s.hold(true);
  for (std::uint64_t n = 1; n <= limits::upstream_parked + 1; ++n) s.call(n);
  s.hold(false);
  s.settle();
  EXPECT_EQ(s.heard().admissions.size(), limits::upstream_parked);
  EXPECT_EQ(s.how(limits::upstream_parked), "nothing");
  EXPECT_EQ(s.how(limits::upstream_parked + 1), "connect failed");
}

TEST(upstream_guards, open_circuit_refuses_at_once) {
  upstream_stage s({.breaker = true});
  s.circuit(breaker_state::open);
  s.call(1);
  s.list(1);
  EXPECT_NE(s.refused(1).find("circuit open"), std::string::npos);
  EXPECT_EQ(s.heard().answers.at(0).upstream_calls, 0U);
  ASSERT_EQ(s.heard().lists.size(), 1U);
  EXPECT_FALSE(s.heard().lists[0].items);
  EXPECT_EQ(s.metric(R"(gate_upstream_requests_total{outcome="circuit_open",upstream="a"})"), 2);
  EXPECT_TRUE(s.heard().leases.empty());
  s.circuit(breaker_state::closed, true);
  s.call(2);
  EXPECT_EQ(s.how(2), "a result");
}

TEST(upstream_guards, limiter_comes_before_breaker) {
  upstream_stage s({.upstream = limited, .limiter = true, .breaker = true});
  s.circuit(breaker_state::open);
  s.call(1);
  EXPECT_EQ(s.heard().admissions.size(), 1U);
  EXPECT_EQ(s.how(1), "refused");
}

TEST(upstream_guards, half_open_lends_to_one) {
  upstream_stage s({.breaker = true});
  s.circuit(breaker_state::half_open);
  s.call(1);
  s.call(2);
  s.call(3);
  ASSERT_EQ(s.heard().leases.size(), 3U);
  EXPECT_EQ(s.how(1), "nothing");
  s.lend(1, 0);
  EXPECT_NE(s.refused(2).find("circuit open"), std::string::npos);
  s.lend(2, lease_told::not_leased);
  EXPECT_EQ(s.how(3), "a result");
  EXPECT_EQ(verdicts(s), "s") << "it was not all clean";
  s.lend(0, 42);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_EQ(verdicts(s), "s[42s]");
}

TEST(upstream_guards, a_lease_ends_once_whatever_happens) {
  struct row {
    std::string what;
    std::function<void(upstream_stage&)> before, after;
    std::string verdict;
  };
  const auto nothing = [](upstream_stage&) {};
  const std::vector<row> rows{
      {"a JSON-RPC error",
       [](auto& s) {
         s.server().always("tools/call", reply::error(R"({"code":1,"message":"x"})"));
       },
       nothing, "[9s]"},
      {"no connection", [](auto& s) { s.cut_off("a"); }, nothing, "[9f]"},
      {"too much waits here",
       [](auto& s) { s.server().always("tools/call", reply::failure(fetch_end::overloaded)); },
       nothing, "[9n]"},
      {"garbage", [](auto& s) { s.server().always("tools/call", reply{.body = "no JSON"}); },
       nothing, "[9f]"},
      {"HTTP 500", [](auto& s) { s.server().always("tools/call", reply::http(500)); }, nothing,
       "[9f]"},
      {"no answer", [](auto& s) { s.server().always("tools/call", reply::silence()); },
       [](auto& s) { s.advance(61s); }, "[9f]"},
      {"no answer to the handshake",
       [](auto& s) { s.server().always("initialize", reply::silence()); },
       [](auto& s) { s.advance(61s); }, "[9f]"},
      {"cancelled", [](auto& s) { s.server().always("tools/call", reply::silence()); },
       [](auto& s) { s.cancel(1); }, "[9n]"},
      {"cancelled in the handshake",
       [](auto& s) { s.server().always("initialize", reply::silence()); },
       [](auto& s) { s.cancel(1); }, "[9n]"},
      {"the client ended", [](auto& s) { s.server().always("tools/call", reply::silence()); },
       [](auto& s) {
         s.tell(s.it(), client_ended{1, false});
       },
       "[9n]"},
      {"the session crashed", [](auto& s) { s.server().always("tools/call", reply::silence()); },
       [](auto& s) { s.crash(s.cast("bridged session").at(0)); }, "[9n]"},
      {"UPSTREAM crashed", [](auto& s) { s.server().always("tools/call", reply::silence()); },
       [](auto& s) { s.crash(s.it()); }, "[9n]"},
      {"retired", [](auto& s) { s.server().always("tools/call", reply::silence()); },
       [](auto& s) { s.tell(s.it(), retire{}); }, "[9n]"},
  };
  for (const auto& r : rows) {
    SCOPED_TRACE(r.what);
    upstream_stage s({.breaker = true});
    r.before(s);
    s.circuit(breaker_state::half_open);
    s.call(1);
    ASSERT_EQ(s.heard().leases.size(), 1U);
    s.lend(0, 9);
    r.after(s);
    s.advance(10s);
    EXPECT_EQ(verdicts(s), r.verdict);
  }
}

TEST(upstream_guards, a_lease_is_wanted_for_as_long_as_its_request_may_last) {
  upstream_stage s({.breaker = true});
  s.circuit(breaker_state::half_open);
  s.call(1);
  s.list(2);
  invoke waits;
  waits.call = 3;
  waits.client = 1;
  waits.method = "tasks/result";
  waits.first = R"({"taskId":"t"})";
  waits.profile = std::make_shared<client_profile>();
  s.tell(s.it(), std::move(waits));
  ASSERT_EQ(s.heard().leases.size(), 3U);
  EXPECT_EQ(s.heard().leases[0].longest, 60s);
  EXPECT_EQ(s.heard().leases[1].longest, 60s);
  EXPECT_EQ(s.heard().leases[2].longest, limits::task_result);
  s.server().next("tasks/result", reply::result("{}", 500s));
  s.lend(2, 9);
  s.advance(499s);
  EXPECT_EQ(verdicts(s), "");
  s.advance(1s);
  EXPECT_EQ(s.how(3), "a result");
  EXPECT_EQ(verdicts(s), "[9s]");
}

TEST(upstream_guards, an_upstream_that_asks_something_works) {
  upstream_stage s({.breaker = true});
  s.circuit(breaker_state::half_open);
  s.server().next("tools/call", {.open = true});
  s.call(1);
  s.lend(0, 9);
  const auto call = s.server().last("tools/call");
  fake_upstream::push(call, R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})");
  s.settle();
  EXPECT_EQ(verdicts(s), "") << "it may go on so for ever";
  const std::string question = R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create"})";
  fake_upstream::push(call, question);
  s.settle();
  EXPECT_EQ(verdicts(s), "[9s]") << "the circuit does not wait for a human";
  s.circuit(breaker_state::closed, true);
  s.advance(300s);
  EXPECT_EQ(s.how(1), "nothing");
  fake_upstream::push(call, R"({"jsonrpc":"2.0","id":$id,"result":{}})");
  s.settle();
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_EQ(verdicts(s), "[9s]") << "once";
  // Of one that is no probe nothing is told before its end.
  s.server().next("tools/call", {.open = true});
  s.call(2);
  fake_upstream::push(s.server().last("tools/call"), question);
  s.advance(700s);
  EXPECT_EQ(s.how(2), "timed out");
  EXPECT_EQ(verdicts(s), "[9s]f");
}

TEST(upstream_guards, a_lease_that_nobody_waits_for_is_given_back) {
  upstream_stage s({.breaker = true});
  s.circuit(breaker_state::half_open);
  s.call(1);
  s.cancel(1);
  s.lend(0, 9);
  EXPECT_EQ(verdicts(s), "[9n]");
  EXPECT_EQ(s.server().seen().size(), 0U);
}

TEST(upstream_guards, a_breaker_that_crashed_was_closed) {
  upstream_stage s({.breaker = true});
  s.circuit(breaker_state::half_open);
  s.call(1);
  s.tell(s.it(), replaced<breaker_handle>{});
  EXPECT_EQ(s.how(1), "a result");
  s.lend(0, 9);  // too late
  s.call(2);
  EXPECT_EQ(s.how(2), "a result");
  EXPECT_EQ(verdicts(s), "");
  s.tell(s.it(), replaced<breaker_handle>{s.guards().breaker});
  s.circuit(breaker_state::open);
  s.call(3);
  EXPECT_EQ(s.how(3), "refused");
}

TEST(upstream_guards, breaker_hears_of_failures_and_of_the_first_successes_after) {
  upstream_stage s({.breaker = true});
  s.call(1);
  EXPECT_EQ(verdicts(s), "") << "all is clean";
  s.server().next("tools/call", reply::http(500));
  s.call(2);
  EXPECT_EQ(verdicts(s), "f");
  s.call(3);
  EXPECT_EQ(verdicts(s), "fs");
  s.circuit(breaker_state::closed, true);
  s.call(4);
  EXPECT_EQ(verdicts(s), "fs");
}

TEST(upstream_guards, a_handshake_that_fails_is_one_failure) {
  upstream_stage s({.breaker = true});
  auto late = reply::http(500);
  late.after = 5ms;
  s.server().next("initialize", late);
  for (std::uint64_t n = 1; n <= 10; ++n) s.call(n);
  s.advance(5ms);
  for (std::uint64_t n = 1; n <= 10; ++n) EXPECT_EQ(s.how(n), "connect failed");
  EXPECT_EQ(verdicts(s), "f");
}

TEST(upstream_guards, a_handshake_that_lasts_is_one_failure) {
  upstream_stage s({.breaker = true});
  s.server().always("initialize", reply::silence());
  s.call(1);
  s.advance(1s);
  s.call(2);
  s.advance(100s);
  EXPECT_EQ(s.how(1), "timed out");
  EXPECT_EQ(s.how(2), "timed out");
  EXPECT_EQ(verdicts(s), "f");
}

TEST(upstream_guards, a_handshake_that_no_call_waits_for_is_no_failure) {
  upstream_stage s({.breaker = true});
  s.cut_off("a");
  s.tell(s.it(), introduce{});
  ASSERT_EQ(s.heard().introductions.size(), 1U);
  EXPECT_FALSE(s.heard().introductions[0].reached);
  EXPECT_EQ(verdicts(s), "");
}

TEST(upstream_guards, credentials_are_no_fault_of_the_upstream) {
  const auto with = [](std::string_view name) {
    return R"({"id":"a","url":"http://a.test/mcp","auth":{"strategy":"static","secretRef":")" +
           std::string(name) + "\"}}";
  };
  upstream_stage missing({.upstream = with("MISSING"), .breaker = true});
  missing.call(1);
  EXPECT_EQ(missing.how(1), "credential unavailable");
  EXPECT_EQ(verdicts(missing), "");
  upstream_stage refused({.upstream = with("THERE"), .breaker = true});
  refused.call(1);
  refused.server().always("tools/call", reply::http(401));
  refused.call(2);
  EXPECT_EQ(refused.how(2), "credential refused");
  refused.server().forget_sessions();
  refused.server().always("initialize", reply::http(403));
  refused.server().behave("tools/call");
  refused.call(3);
  EXPECT_EQ(refused.how(3), "credential refused");
  EXPECT_EQ(verdicts(refused), "");
}

TEST(upstream_guards, a_server_that_is_busy_is_no_failure_and_no_success) {
  auto busy = reply::http(503);
  busy.retry_after = true;
  upstream_stage s({.breaker = true});
  s.server().next("initialize", busy);
  s.call(1);
  EXPECT_EQ(s.how(1), "busy");
  s.server().next("notifications/initialized", busy);
  s.call(2);
  EXPECT_EQ(s.how(2), "request failed");
  EXPECT_EQ(verdicts(s), "");
  s.server().next("tools/call", reply::http(503));
  s.call(3);
  EXPECT_EQ(verdicts(s), "f") << "without Retry-After it is what it is";
  for (auto body : {"", R"({"jsonrpc":"2.0","id":$id,"error":{"code":-1,"message":"busy"}})"}) {
    busy.body = body;
    s.server().next("tools/call", busy);
    s.call(4);
  }
  EXPECT_EQ(verdicts(s), "f");
  s.circuit(breaker_state::half_open);
  s.server().next("tools/call", busy);
  s.call(5);
  s.lend(0, 7);
  EXPECT_EQ(verdicts(s), "f[7n]") << "the next one may try";
}

TEST(upstream_guards, signs_of_life_reach_a_breaker_that_is_open) {
  upstream_stage s({.breaker = true});
  const auto health = caf::actor_cast<probes_handle>(
      s.system().spawn([] { return caf::behavior{[](const probed&) {}}; }));
  s.call(1);
  s.tell(s.it(), probe{1, health});
  EXPECT_EQ(s.heard().reached, 0U) << "the circuit is closed";
  s.circuit(breaker_state::open);
  s.server().next("ping", reply::http(500));
  s.tell(s.it(), probe{2, health});
  EXPECT_EQ(s.heard().reached, 0U) << "a failed one changes nothing";
  s.tell(s.it(), probe{3, health});
  EXPECT_EQ(s.heard().reached, 1U);
  s.server().forget_sessions();
  s.server().next("initialize", reply::http(500));
  s.tell(s.it(), introduce{});
  EXPECT_GE(s.heard().reached, 1U);
  EXPECT_TRUE(s.heard().ends.empty()) << "no request of anybody";
}

TEST(upstream_guards, a_handshake_is_a_sign_of_life) {
  upstream_stage s({.breaker = true});
  s.circuit(breaker_state::open);
  s.cut_off("a");
  s.tell(s.it(), introduce{});
  EXPECT_EQ(s.heard().reached, 0U);
  s.connect("a");
  s.tell(s.it(), introduce{});
  EXPECT_EQ(s.heard().reached, 1U);
}

TEST(upstream_guards, lists_are_judged_as_well) {
  upstream_stage s({.breaker = true});
  s.server().next("tools/list", reply::result("7"));
  s.list(1);
  EXPECT_EQ(verdicts(s), "f");
  s.server().next("tools/list", reply::error(R"({"code":-1,"message":"no"})"));
  s.list(2);
  EXPECT_EQ(verdicts(s), "fs");
  s.server().page_size = 1;
  s.server().tools.push_back(R"({"name":"two"})");
  s.list(3);
  EXPECT_EQ(verdicts(s), "fss") << "once, not for each page";
}

TEST(upstream_guards, what_was_parked_brings_no_old_profile_back) {
  const auto profile = [](std::uint64_t version, std::string level) {
    auto p = std::make_shared<client_profile>();
    p->version = version;
    p->log_level = std::move(level);
    return p;
  };
  const auto call = [](std::uint64_t number, profile_ptr p) {
    invoke m;
    m.call = number;
    m.client = 1;
    m.method = "tools/call";
    m.first = R"({"name":"x"})";
    m.profile = std::move(p);
    m.per_minute = 5;
    return m;
  };
  const auto levels = [](upstream_stage& s) {
    std::vector<std::string> out;
    for (const auto& x : s.server().seen("logging/setLevel")) out.push_back(x->param("level"));
    return out;
  };
  upstream_stage s({.upstream = limited, .limiter = true, .limiter_waits = true});
  // The session begins with what is known by then.
  s.tell(s.it(), call(1, profile(0, R"("info")")));
  s.tell(s.it(), profile_changed{1, profile(1, R"("debug")")});
  s.admit(0, true);
  EXPECT_EQ(levels(s), std::vector<std::string>{R"("debug")"});
  // What somebody held back is behind the times.
  s.tell(s.it(), profile_changed{1, profile(3, R"("error")")});
  s.tell(s.it(), profile_changed{1, profile(2, R"("alert")")});
  s.tell(s.it(), call(2, profile(2, R"("alert")")));
  s.admit(1, true);
  s.server().forget_sessions();
  s.tell(s.it(), call(3, profile(2, R"("alert")")));
  s.admit(2, true);
  EXPECT_EQ(levels(s), (std::vector<std::string>{R"("debug")", R"("error")", R"("error")"}));
  for (std::uint64_t n : {1, 2, 3}) EXPECT_EQ(s.how(n), "a result") << n;
}

}  // namespace
}  // namespace gate::sim
