// Rate limits, budgets and the circuit breaker, through the whole gateway.
#include "tests/support/refused.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

std::string with(std::string_view more_of_a, std::string_view sections = {}) {
  return R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a")" +
         std::string(more_of_a) + R"(},{"id":"b","url":"http://b.test/mcp","namespace":"b"}])" +
         std::string(sections) + "}";
}

// --- stage 3 -------------------------------------------------------------------------------------

TEST(limits, everybody_together_is_limited) {
  world w({.config = with("", R"(,"server":{"rateLimit":{"requestsPerMinute":4}})")});
  client c(w);
  c.initialize();  // two of them
  EXPECT_EQ(c.call("1", "a__echo")->status, 200);
  EXPECT_EQ(c.call("2", "b__echo")->status, 200);
  auto no = c.call("3", "a__echo");
  EXPECT_EQ(no->status, 429);
  EXPECT_EQ(no->header("retry-after"), "75");  // when a quarter of the four has left the window
  EXPECT_EQ(told(no, "reason"), R"("rate_limited")");
  EXPECT_EQ(told(no, "retryAfterMs"), "75000");
  EXPECT_EQ(at(no->body, "id"), "");
  EXPECT_EQ(w.upstream("a").count("tools/call"), 1U);
  ASSERT_EQ(w.audit("http").size(), 1U);
  EXPECT_EQ(at(w.audit("http")[0], "outcome"), R"("rate_limited")");
  EXPECT_EQ(w.metric(R"(gate_http_rejections_total{reason="rate_limited"})"), 1);
  w.advance(74s);
  EXPECT_EQ(c.call("4", "a__echo")->status, 429);
  w.advance(1s);
  EXPECT_EQ(c.call("5", "a__echo")->status, 200) << "what was refused was not counted";
}

TEST(limits, health_and_metrics_are_not_limited) {
  world w({.config = with("", R"(,"server":{"rateLimit":{"requestsPerMinute":1}})")});
  client c(w);
  for (const auto* path : {"/health", "/metrics"}) {
    c.path = path;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(c.get()->status, 200);
  }
}

TEST(limits, every_element_of_a_batch_counts_as_one) {
  world w({.config = with("", R"(,"server":{"rateLimit":{"requestsPerMinute":6}})")});
  client c(w);
  c.initialize("2025-03-26");
  auto all = c.post(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},)"
                    R"({"jsonrpc":"2.0","id":2,"method":"ping"},)"
                    R"({"jsonrpc":"2.0","id":3,"method":"ping"}])");
  EXPECT_EQ(all->status, 200);
  EXPECT_EQ(c.request("4", "ping")->status, 200);  // 2 + 3 + 1
  EXPECT_EQ(c.request("5", "ping")->status, 429);
}

TEST(limits, an_element_that_is_refused_keeps_its_id) {
  world w({.config = with("", R"(,"server":{"rateLimit":{"requestsPerMinute":3}})")});
  client c(w);
  c.initialize("2025-03-26");
  auto all = c.post(R"([{"jsonrpc":"2.0","id":"x","method":"ping"},)"
                    R"({"jsonrpc":"2.0","id":"y","method":"ping"}])");
  EXPECT_NE(all->body.find(R"({"jsonrpc":"2.0","id":"x","result":{}})"), std::string::npos);
  EXPECT_NE(all->body.find(R"("id":"y","error":{"code":-32000)"), std::string::npos) << all->body;
}

TEST(limits, tenants_and_principals_have_windows_of_their_own) {
  world w(guarded_world(
      guarded(a_and_b,
              R"("server":{"rateLimit":{"requestsPerMinute":1000,"perPrincipalPerMinute":4}},
         "tenants":[{"id":"t","subjects":{"groups":["t"]},
                     "rateLimit":{"requestsPerMinute":6}}])")));
  const auto caller = [&](std::string_view sub, std::string_view claims = {}) {
    client c(w);
    c.token = token_for(sub, claims);
    c.initialize();
    return c;
  };
  auto alone = caller("alone");
  alone.request("1", "ping");
  EXPECT_EQ(alone.request("2", "ping")->status, 200);
  auto no = alone.request("3", "ping");
  EXPECT_EQ(no->status, 429);
  EXPECT_NE(message(no).find("of this principal"), std::string::npos);
  // Of one tenant: together they may do six.
  auto one = caller("one", R"("groups":["t"])");
  auto two = caller("two", R"("groups":["t"])");
  EXPECT_EQ(one.request("1", "ping")->status, 200);
  EXPECT_EQ(two.request("1", "ping")->status, 200);
  no = two.request("2", "ping");
  EXPECT_EQ(no->status, 429);
  EXPECT_NE(message(no).find("of tenant"), std::string::npos);
  EXPECT_EQ(at(w.audit("http").back(), "tenant"), R"("t")");
  // Nobody else notices; not even the same principal of another issuer would.
  EXPECT_EQ(caller("other").request("1", "ping")->status, 200);
}

TEST(limits, a_limiter_that_crashes_stops_nobody) {
  world w({.config = with(R"(,"rateLimit":{"requestsPerMinute":100})",
                          R"(,"server":{"rateLimit":{"requestsPerMinute":100}})")});
  client c(w);
  c.initialize();
  w.hold(true);
  auto call = c.call("1", "a__echo");
  w.step();  // ROUTER has asked
  for (const auto& x : w.cast("rate limiter")) w.crash(x);
  w.hold(false);
  w.settle();
  EXPECT_EQ(call->status, 200);
  EXPECT_EQ(call->endings, 1);
  EXPECT_EQ(c.call("2", "a__echo")->status, 200);
  w.advance(1s);
  EXPECT_EQ(c.call("3", "a__echo")->status, 200);
}

// --- stage 6: the upstream's own limit -----------------------------------------------------------

TEST(limits, one_upstreams_limit_is_its_own) {
  world w({.config = with(R"(,"rateLimit":{"requestsPerMinute":2})")});
  client c(w);
  c.initialize();
  c.call("1", "a__echo");
  c.call("2", "a__echo");
  auto no = c.call("3", "a__echo");
  EXPECT_EQ(code(no), "-32040");
  EXPECT_EQ(message(no), R"("upstream \"a\" rate limit exceeded; retry in 90s")");
  EXPECT_EQ(told(no, "retryAfterMs"), "90000");
  EXPECT_EQ(told(no, "upstream"), R"("a")");
  EXPECT_EQ(c.call("4", "b__echo")->status, 200);
  EXPECT_EQ(w.metric(R"(gate_upstream_requests_total{outcome="rate_limited",upstream="a"})"), 1);
  EXPECT_EQ(at(w.audit("tools/call")[2], "outcome"), R"("rate_limited")");
  EXPECT_EQ(at(w.audit("tools/call")[2], "upstreamCalls"), "0");
}

// --- budgets -------------------------------------------------------------------------------------

TEST(limits, a_budget_is_used_up_and_comes_back) {
  world w({.config = with(R"(,"budget":{"period":"hour","upstreamCalls":2})")});
  client c(w);
  c.initialize();
  c.call("1", "a__echo");
  c.call("2", "a__echo");
  auto no = c.call("3", "a__echo");
  EXPECT_EQ(code(no), "-32044");
  EXPECT_EQ(message(no),
            R"_("upstream \"a\" budget exhausted (2/2); resets 2026-11-21T10:00:00Z")_");
  EXPECT_EQ(told(no, "resetsAt"), R"("2026-11-21T10:00:00Z")");
  EXPECT_EQ(told(no, "reason"), R"("budget_exhausted")");
  EXPECT_EQ(at(w.audit("tools/call")[2], "outcome"), R"("budget_exhausted")");
  EXPECT_EQ(c.call("4", "b__echo")->status, 200);
  w.set_wall(w.wall() + 30min);
  EXPECT_EQ(c.call("5", "a__echo")->status, 200);
}

TEST(limits, a_refusal_of_one_scope_charges_no_other) {
  world w({.config = with(R"(,"budget":{"period":"day","upstreamCalls":1})",
                          R"(,"server":{"budget":{"upstreamCalls":3}})")});
  client c(w);
  c.initialize();
  EXPECT_EQ(code(c.call("1", "a__echo")), "");
  for (int i = 2; i < 6; ++i) EXPECT_EQ(code(c.call(std::to_string(i), "a__echo")), "-32044");
  EXPECT_EQ(code(c.call("6", "b__echo")), "");
  EXPECT_EQ(code(c.call("7", "b__echo")), "");
  auto no = c.call("8", "b__echo");
  EXPECT_EQ(message(no), R"_("server budget exhausted (3/3); resets 2026-12-01T00:00:00Z")_");
}

TEST(limits, a_failed_connect_costs_nothing) {
  world w({.config = with(R"(,"budget":{"upstreamCalls":1})")});
  client c(w);
  c.initialize();
  w.upstream("a").next("initialize", reply::failure(fetch_end::connect_failed));
  EXPECT_EQ(code(c.call("1", "a__echo")), "-32041");
  EXPECT_EQ(code(c.call("2", "a__echo")), "");
  EXPECT_EQ(code(c.call("3", "a__echo")), "-32044");
}

TEST(limits, what_an_open_session_can_not_send_costs_nothing) {
  world w(
      {.config = with(R"(,"budget":{"upstreamCalls":2},"circuitBreaker":{"failureThreshold":99})",
                      R"(,"server":{"budget":{"period":"day","upstreamCalls":3}})")});
  client c(w);
  c.initialize();
  EXPECT_EQ(code(c.call("1", "a__echo")), "");
  for (int i = 2; i < 10; ++i) {
    w.upstream("a").next("tools/call", reply::failure(fetch_end::connect_failed, true));
    EXPECT_EQ(code(c.call(std::to_string(i), "a__echo")), "-32041") << i;
  }
  EXPECT_EQ(code(c.call("10", "a__echo")), "");
  EXPECT_EQ(code(c.call("11", "a__echo")), "-32044");
  EXPECT_EQ(code(c.call("12", "b__echo")), "") << "nor the server";
}

TEST(limits, a_tenants_budget_is_the_tenants) {
  world w(guarded_world(guarded(
      a_and_b,
      R"("tenants":[{"id":"t","subjects":{"groups":["t"]},"budget":{"upstreamCalls":1}}])")));
  client one(w), two(w), other(w);
  one.token = token_for("one", R"("groups":["t"])");
  two.token = token_for("two", R"("groups":["t"])");
  other.token = token_for("other");
  for (auto* c : {&one, &two, &other}) c->initialize();
  EXPECT_EQ(code(one.call("1", "a__echo")), "");
  auto no = two.call("1", "b__echo");
  EXPECT_EQ(message(no), R"_("tenant \"t\" budget exhausted (1/1); resets 2026-12-01T00:00:00Z")_");
  EXPECT_EQ(told(no, "tenant"), R"("t")");
  EXPECT_EQ(code(other.call("1", "a__echo")), "");
}

TEST(limits, a_reload_does_not_empty_a_budget) {
  world w({.config = with(R"(,"budget":{"upstreamCalls":2})")});
  client c(w);
  c.initialize();
  c.call("1", "a__echo");
  c.call("2", "a__echo");
  ASSERT_TRUE(w.reload(with(R"(,"budget":{"upstreamCalls":3},"timeouts":{"requestMs":5})"))
                  .get()
                  .problems.empty());
  EXPECT_EQ(code(c.call("3", "a__echo")), "");
  EXPECT_EQ(message(c.call("4", "a__echo")).find(R"("upstream \"a\" budget exhausted (3/3))"), 0U);
}

// --- the breaker ---------------------------------------------------------------------------------

constexpr std::string_view touchy =
    R"(,"circuitBreaker":{"failureThreshold":2,"halfOpenAfterMs":10000})";

struct circuit : ::testing::Test {
  world w{{.config = with(touchy)}};
  client c{w};
  fake_upstream& a = w.upstream("a");

  circuit() {
    c.capabilities = R"({"elicitation":{}})";
    c.initialize();
  }
  receipt_ptr call(std::string_view name = "a__echo") { return c.call(std::to_string(++n), name); }
  double gauge() { return w.metric(R"(gate_upstream_breaker_state{upstream="a"})"); }
  void open() {
    a.always("tools/call", reply::failure(fetch_end::broken));
    call();
    call();
  }
  int n = 0;
};

TEST_F(circuit, consecutive_failures_open_it) {
  EXPECT_EQ(gauge(), 0);
  open();
  EXPECT_EQ(gauge(), 2);
  auto no = call();
  EXPECT_EQ(code(no), "-32041");
  EXPECT_EQ(message(no), R"_("upstream \"a\" unavailable (circuit open)")_");
  EXPECT_EQ(a.count("tools/call"), 2U);
  EXPECT_EQ(code(call("b__echo")), "");
  EXPECT_EQ(w.metric(R"(gate_upstream_requests_total{outcome="circuit_open",upstream="a"})"), 1);
}

TEST_F(circuit, health_tells_of_it_and_what_it_reaches_may_be_tried) {
  open();
  for (auto method : {"initialize", "ping"}) a.always(method, reply::http(500));
  client health(w);
  health.path = "/health";
  EXPECT_NE(health.get()->body.find(R"("id":"a","namespace":"a","breaker":"open")"),
            std::string::npos);
  EXPECT_EQ(gauge(), 2) << "a failed probe changes nothing";
  for (auto method : {"initialize", "ping", "tools/call"}) a.behave(method);
  w.advance(1s);
  health.get();
  EXPECT_EQ(gauge(), 1) << "long before its time";
  EXPECT_EQ(code(call()), "");
  EXPECT_EQ(gauge(), 0);
}

TEST_F(circuit, errors_are_answers) {
  a.always("tools/call", reply::error(R"({"code":-32603,"message":"no"})"));
  for (int i = 0; i < 5; ++i) call();
  EXPECT_EQ(gauge(), 0);
  // And an answer in between begins the count anew.
  a.next("tools/call", reply::failure(fetch_end::broken));
  call();
  call();
  a.next("tools/call", reply::failure(fetch_end::broken));
  call();
  EXPECT_EQ(gauge(), 0);
}

TEST_F(circuit, a_cancelled_call_says_nothing) {
  a.always("tools/call", reply::silence());
  for (int i = 0; i < 5; ++i) {
    call();
    c.cancel(std::to_string(n));
  }
  EXPECT_EQ(gauge(), 0);
}

TEST_F(circuit, one_probe_closes_it) {
  open();
  w.advance(10s);
  EXPECT_EQ(gauge(), 1);
  a.always("tools/call", reply::silence());
  auto probe = call();
  auto other = call();
  EXPECT_FALSE(probe->done());
  EXPECT_EQ(message(other), R"_("upstream \"a\" unavailable (circuit open)")_");
  EXPECT_EQ(a.under_way("tools/call").size(), 1U);
  fake_upstream::answer(a.last("tools/call"), reply::result("{}"));
  w.settle();
  EXPECT_EQ(code(probe), "");
  EXPECT_EQ(gauge(), 0);
  a.behave("tools/call");
  EXPECT_EQ(code(call()), "");
}

TEST_F(circuit, a_failed_probe_opens_it_again) {
  open();
  w.advance(10s);
  EXPECT_EQ(code(call()), "-32041");
  EXPECT_EQ(gauge(), 2);
  EXPECT_EQ(a.count("tools/call"), 3U);
  w.advance(10s);
  EXPECT_EQ(gauge(), 1);
}

TEST_F(circuit, a_cancelled_probe_lets_the_next_one_go) {
  open();
  w.advance(10s);
  a.always("tools/call", reply::silence());
  call();
  c.cancel(std::to_string(n));
  EXPECT_EQ(gauge(), 1);
  a.behave("tools/call");
  EXPECT_EQ(code(call()), "");
  EXPECT_EQ(gauge(), 0);
}

TEST_F(circuit, a_probe_that_hangs_opens_it_again) {
  open();
  w.advance(10s);
  a.always("tools/call", reply::silence());
  auto probe = call();
  w.advance(61s);
  EXPECT_TRUE(probe->done());
  EXPECT_EQ(gauge(), 2);
}

TEST_F(circuit, a_probe_that_may_last_long_does_not_keep_others_out) {
  a.next("tools/call", reply::result(R"({"task":{"taskId":"t"}})"));
  call();
  open();
  w.advance(10s);
  a.always("tasks/result", reply::result("{}", 500s));
  auto probe = c.request("100", "tasks/result", R"({"taskId":"t"})");
  EXPECT_EQ(message(call()), R"_("upstream \"a\" unavailable (circuit open)")_");
  w.advance(60s);
  EXPECT_EQ(gauge(), 1) << "a task's result may take so long: it is not lost";
  a.always("tools/call", reply::result("{}"));
  EXPECT_EQ(code(call()), "");
  EXPECT_EQ(gauge(), 0);
  w.advance(440s);
  EXPECT_TRUE(probe->done());
  EXPECT_EQ(code(probe), "");
  EXPECT_EQ(gauge(), 0);
}

TEST_F(circuit, a_probe_whose_upstream_asks_something_closes_it) {
  open();
  w.advance(10s);
  a.always("tools/call", reply{.open = true});
  auto probe = call();
  fake_upstream::push(a.last("tools/call"),
                      R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}})");
  w.settle();
  EXPECT_EQ(gauge(), 0) << "it works, however long its client takes";
  w.advance(300s);
  EXPECT_EQ(gauge(), 0);
  EXPECT_FALSE(probe->done());
  fake_upstream::push(a.last("tools/call"), R"({"jsonrpc":"2.0","id":$id,"result":{}})");
  w.settle();
  EXPECT_TRUE(probe->done());
  EXPECT_EQ(gauge(), 0);
}

TEST_F(circuit, lists_go_without_it) {
  open();
  auto list = c.list("100");
  EXPECT_NE(list->body.find(R"("failedUpstreams":["a"])"), std::string::npos);
  EXPECT_NE(list->body.find("b__echo"), std::string::npos);
}

TEST_F(circuit, stays_as_it_is_over_a_reload_of_others) {
  open();
  ASSERT_TRUE(w.reload(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a")" +
                       std::string(touchy) + "}]}")
                  .get()
                  .problems.empty());
  EXPECT_EQ(gauge(), 2);
  EXPECT_EQ(message(call()), R"_("upstream \"a\" unavailable (circuit open)")_");
}

TEST_F(circuit, is_closed_again_when_the_upstream_is_another_one) {
  open();
  a.behave("tools/call");
  ASSERT_TRUE(w.reload(with("")).get().problems.empty());
  EXPECT_EQ(gauge(), 0);
  EXPECT_EQ(code(call()), "");
}

// --- crowds --------------------------------------------------------------------------------------

TEST(limits, an_upstream_that_hangs_gathers_no_calls_without_end) {
  world w;
  w.upstream("a").always("tools/call", reply::silence());
  std::vector<client> clients;
  std::size_t sent = 0, refused = 0;
  while (sent < limits::upstream_calls + 10) {
    if (sent % 1000 == 0) clients.emplace_back(w).initialize();
    auto r = clients.back().call(std::to_string(++sent), "a__echo");
    refused += r->done();
  }
  EXPECT_EQ(refused, 10U);
  EXPECT_EQ(message(w.receipts().back()),
            R"_("upstream \"a\" unavailable (too many requests are in flight)")_");
  EXPECT_EQ(code(clients.back().call(R"("b")", "b__echo")), "");
}

}  // namespace
}  // namespace gate
