// Requests whose header comes first: judged by stages 1 and 2 before their body is asked for.
#include "protocol/limits.hpp"
#include "simulations/world/guarded_world.hpp"
#include "tests/support/refused.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

/// As INGRESS delivers it: of a request without a body nothing follows.
struct header_first : ::testing::Test {
  world w{guarded_world(guarded(a_and_b))};
  fake_upstream& a = w.upstream("a");
  client c{w};

  header_first() {
    c.token = token_for("alice");
    c.initialize();
    c.header_first = true;
  }
  /// Its body comes as soon as it is asked for.
  receipt_ptr whole(receipt_ptr r) {
    EXPECT_FALSE(r->done());
    EXPECT_TRUE(r->body_asked);
    w.bring_body(r);
    return r;
  }
};

TEST_F(header_first, and_then_it_is_a_call_like_any_other) {
  auto r = c.call("1", "a__x");
  EXPECT_TRUE(r->body_asked);
  EXPECT_FALSE(r->done());
  EXPECT_EQ(a.count("tools/call"), 0U);
  const auto before = w.audit().size();
  w.bring_body(r);
  EXPECT_EQ(r->status, 200) << r->body;
  EXPECT_EQ(a.count("tools/call"), 1U);
  ASSERT_EQ(w.audit().size(), before + 1);
  EXPECT_EQ(at(w.audit().back(), "method"), R"("tools/call")");
  EXPECT_EQ(at(w.audit().back(), "principal"), R"("alice")");
  EXPECT_EQ(w.metric(R"(gate_requests_total{method="tools/call",outcome="ok"})"), 1);
  EXPECT_EQ(r->misuse, std::vector<std::string>{});
}

/// Without what differs from one event to the next.
std::string timeless(std::string line) {
  const auto from = line.find(R"("latency)");
  return from == line.npos ? line : line.erase(from, line.find(',', from) - from);
}

TEST_F(header_first, what_the_header_is_refused_for_is_told_as_ever) {
  struct row {
    std::string what;
    std::function<void(client&)> spoil;
    int status;
  };
  const row rows[] = {
      {"host", [](client& x) { x.host = "evil.test"; }, 403},
      {"origin", [](client& x) { x.more_headers = {"Origin: http://evil.test"}; }, 403},
      {"no token", [](client& x) { x.token.clear(); }, 401},
      {"bad token", [](client& x) { x.token = "a.b.c"; }, 401},
      {"two", [](client& x) { x.more_headers = {"Authorization: Bearer x"}; }, 400},
      {"path", [](client& x) { x.path = "/other"; }, 404},
      {"endpoint", [](client& x) { x.path = "/health"; }, 405},
      {"token endpoint", [](client& x) { x.path = "/oauth/token"; }, 404},
  };
  for (const auto& [what, spoil, status] : rows) {
    client bad = c;
    spoil(bad);
    receipt_ptr got[2];
    std::vector<std::string> events[2];
    for (const bool first : {false, true}) {
      bad.header_first = first;
      const auto before = w.audit().size();
      got[first] = bad.call("1", "a__x");
      for (auto i = before; i < w.audit().size(); ++i)
        events[first].push_back(timeless(w.audit()[i]));
    }
    EXPECT_FALSE(got[1]->body_asked) << what;
    EXPECT_EQ(got[1]->status, status) << what;
    EXPECT_EQ(got[1]->status, got[0]->status) << what;
    EXPECT_EQ(got[1]->headers, got[0]->headers) << what;
    EXPECT_EQ(got[1]->body, got[0]->body) << what;
    EXPECT_EQ(got[1]->endings, 1) << what;
    EXPECT_EQ(events[1], events[0]) << what;
    EXPECT_LE(events[1].size(), 1U) << what;
  }
  EXPECT_EQ(w.metric(R"(gate_http_rejections_total{reason="unauthenticated"})"), 4);
  EXPECT_EQ(w.metric(R"(gate_http_rejections_total{reason="forbidden_host"})"), 2);
  EXPECT_EQ(a.count("tools/call"), 0U);
}

TEST_F(header_first, what_is_wrong_with_the_body_is_told_as_ever) {
  struct row {
    http::defect flaw;
    int status;
    std::string reason;
  };
  for (const auto& [flaw, status, reason] :
       {row{http::defect::body_too_large, 413, "body_too_large"},
        row{http::defect::malformed, 400, "bad_request"},
        row{http::defect::timeout, 408, "timeout"},
        row{http::defect::crowded, 503, "overloaded"}}) {
    const auto before = w.audit().size();
    auto r = c.call("1", "a__x");
    w.bring_body(r, flaw);
    EXPECT_EQ(r->status, status);
    EXPECT_TRUE(r->close);
    EXPECT_EQ(told(r, "reason"), '"' + reason + '"');
    EXPECT_EQ(r->header("retry-after"), flaw == http::defect::crowded ? "1" : "");
    ASSERT_EQ(w.audit().size(), before + 1);
    EXPECT_EQ(at(w.audit().back(), "method"), R"("http")");
    EXPECT_EQ(at(w.audit().back(), "outcome"), R"("error")");
  }
  EXPECT_EQ(w.metric(R"(gate_http_rejections_total{reason="body_too_large"})"), 1);
  EXPECT_EQ(w.metric(R"(gate_requests_total{method="tools/call",outcome="error"})"), -1);
  EXPECT_EQ(a.count("tools/call"), 0U);
}

TEST_F(header_first, later_stages_judge_when_the_body_is_there) {
  c.content_type = "text/plain";
  EXPECT_EQ(whole(c.call("1", "a__x"))->status, 415);
  c.content_type = "application/json";
  EXPECT_EQ(at(whole(c.call("1", "a__x"))->body, "id"), "1");
  EXPECT_EQ(whole(c.post("{"))->status, 400);
  c.session = "unknown";
  EXPECT_EQ(whole(c.call("2", "a__x"))->status, 404);
}

TEST_F(header_first, also_without_tokens_and_with_a_batch) {
  world plain;
  client d(plain);
  d.initialize("2025-03-26");
  d.header_first = true;
  auto r = d.post(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},)"
                  R"({"jsonrpc":"2.0","id":2,"method":"ping"}])");
  plain.bring_body(r);
  EXPECT_EQ(r->body,
            R"([{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}])");
  d.host = "evil.test";
  EXPECT_EQ(d.call("3", "a__x")->status, 403);
  // Odd, but allowed: a GET with a body.
  d.host = "localhost";
  auto stream = d.get();
  EXPECT_FALSE(stream->streaming);
  plain.bring_body(stream);
  EXPECT_TRUE(stream->streaming);
}

TEST(header_first_limits, count_a_request_once) {
  world w({.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],
                         "server":{"rateLimit":{"requestsPerMinute":4}}})"});
  client c(w);
  c.initialize();  // two of them
  c.header_first = true;
  for (const int status : {200, 200, 429, 429}) {
    auto r = c.call("1", "x");
    EXPECT_TRUE(r->body_asked);
    w.bring_body(r);
    EXPECT_EQ(r->status, status);
    EXPECT_EQ(r->endings, 1);
  }
  EXPECT_EQ(w.metric(R"(gate_http_rejections_total{reason="rate_limited"})"), 2);
}

TEST_F(header_first, how_long_a_client_takes_to_send_it_is_not_our_latency) {
  auto r = c.call("1", "a__x");
  w.advance(20s);
  w.bring_body(r);
  EXPECT_EQ(r->status, 200);
  EXPECT_FALSE(r->streaming) << "the call itself took no time";
  EXPECT_LT(std::stod(at(w.audit().back(), "latencyMs")), 1000.0);
}

// --- keys ----------------------------------------------------------------------------------------

/// The issuer's keys come 9 s after the start.
struct header_before_keys : ::testing::Test {
  static world_options late_keys() {
    auto o = guarded_world(guarded(a_and_b));
    o.prepare = [](fake_network& net) {
      net.at("idp")->always("GET", reply{.after = 9s, .status = 200, .body = published_keys()});
    };
    return o;
  }
  world w{late_keys()};
  client c{w};

  header_before_keys() {
    c.token = token_for("alice");
    c.header_first = true;
  }
};

TEST_F(header_before_keys, waits_for_them_and_then_for_its_body) {
  auto good = c.request("1", "ping");  // 400 behind stage 2: it names no session
  c.token[c.token.size() - 10] = c.token[c.token.size() - 10] == 'A' ? 'B' : 'A';
  auto bad = c.request("1", "ping");
  w.advance(8s);
  for (const auto& r : {good, bad}) {
    EXPECT_FALSE(r->done());
    EXPECT_FALSE(r->body_asked);
  }
  w.advance(1s);
  EXPECT_EQ(bad->status, 401);
  EXPECT_FALSE(bad->body_asked);
  EXPECT_TRUE(good->body_asked);
  EXPECT_FALSE(good->done());
  w.bring_body(good);
  EXPECT_EQ(good->status, 400);
  EXPECT_EQ(w.audit().size(), 2U);
  EXPECT_EQ(w.metric(R"(gate_http_rejections_total{reason="unauthenticated"})"), 1);
}

TEST_F(header_before_keys, ends_if_its_client_leaves_meanwhile) {
  auto r = c.request("1", "ping");
  w.advance(5s);
  w.vanish(r);
  w.advance(4s);
  EXPECT_FALSE(r->body_asked);
  ASSERT_EQ(w.audit().size(), 1U);
  EXPECT_EQ(at(w.audit()[0], "outcome"), R"("error")");
  EXPECT_EQ(at(w.audit()[0], "error"), R"("nobody waits for an answer any more")");
  EXPECT_EQ(at(w.audit()[0], "principal"), R"("alice")");
  w.stop();
  w.advance(3s);
  EXPECT_TRUE(w.stopped()) << "nothing of it is left";
}

// --- meanwhile -----------------------------------------------------------------------------------

TEST_F(header_first, a_client_that_leaves_before_its_body_is_there_is_audited_once) {
  const auto before = w.audit().size();
  auto r = c.call("1", "a__x");
  w.vanish(r);
  ASSERT_EQ(w.audit().size(), before + 1);
  EXPECT_EQ(at(w.audit().back(), "method"), R"("http")");
  EXPECT_EQ(at(w.audit().back(), "error"), R"("the client left before its body was read")");
  w.advance(60s);
  EXPECT_EQ(w.audit().size(), before + 1);
  // Behind its body it is a call like any other, which goes on.
  a.next("tools/call", reply::result("1", 5s));
  auto s = whole(c.call("2", "a__x"));
  w.vanish(s);
  EXPECT_EQ(w.audit().size(), before + 1);
  w.advance(5s);
  EXPECT_EQ(w.audit().size(), before + 2);
  EXPECT_EQ(at(w.audit().back(), "method"), R"("tools/call")");
}

TEST_F(header_first, a_reload_meanwhile_holds_for_what_comes_behind_stage_2) {
  auto denied = c.call("1", "a__x"), served = c.call("2", "a__x"), gone = c.call("3", "b__x");
  w.bring_body(served);
  EXPECT_EQ(served->status, 200);
  const std::string only_a = R"([{"id":"a","url":"http://a.test/mcp","namespace":"a"}])";
  w.reload(guarded(only_a, R"("policy":{"rules":[{"id":"r","subjects":{"subs":["bob"]},)"
                           R"("allow":[{"server":"*"}]}]})"));
  w.bring_body(denied);
  EXPECT_EQ(at(denied->last(), "error", "code"), "-32042");
  w.bring_body(gone);
  EXPECT_EQ(at(gone->last(), "error", "code"), "-32043");
  EXPECT_EQ(a.count("tools/call"), 1U);
}

TEST_F(header_first, what_is_trusted_no_longer_when_the_body_is_there_is_refused) {
  auto call = c.call("1", "a__x");
  EXPECT_TRUE(call->known);
  client beginner(w);
  beginner.token = c.token;
  beginner.header_first = true;
  auto begins = beginner.request("1", "initialize", "{}");
  w.upstream("idp").always("GET", reply::http(200, R"({"keys":[]})"));
  w.advance(limits::key_set_refresh);
  for (const auto& r : {call, begins}) {
    w.bring_body(r);
    EXPECT_EQ(r->status, 401) << r->body;
    EXPECT_EQ(r->endings, 1);
  }
  EXPECT_EQ(a.count("tools/call"), 0U);
}

TEST_F(header_first, an_end_meanwhile_waits_for_the_body_and_then_no_longer) {
  auto served = c.call("1", "a__x"), late = c.call("2", "a__x");
  const auto before = w.audit().size();
  w.stop();
  w.advance(5s);
  w.bring_body(served);
  EXPECT_EQ(served->status, 200);
  EXPECT_FALSE(w.stopped());
  w.advance(5s);
  EXPECT_EQ(late->status, 503);
  EXPECT_EQ(at(late->body, "error", "message"), R"("the gateway is stopping")");
  EXPECT_EQ(w.audit().size(), before + 2);
  EXPECT_LT(std::stod(at(w.audit().back(), "latencyMs")), 1000.0) << "the client's time, not ours";
  w.advance(3s);
  EXPECT_TRUE(w.stopped());
}

TEST_F(header_first, a_crash_of_the_router_meanwhile_is_answered_and_audited) {
  const auto before = w.audit().size();
  auto r = c.call("1", "a__x");
  w.crash(w.cast("router").at(0));
  EXPECT_TRUE(r->done());
  EXPECT_EQ(w.audit().size(), before + 1);
  w.advance(1s);
  // INGRESS may tell the successor of a body that nobody waits for.
  w.tell(w.ingress().router, body_read{r->number});
  c.header_first = false;
  c.session.clear();
  c.initialize();
}

// --- the token endpoint --------------------------------------------------------------------------

TEST(header_first_token_endpoint, reads_what_it_is_sent_but_not_for_everybody) {
  auto o = guarded_world(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],
    "auth":{"mode":"required","resource":"https://gate.test/mcp",
      "issuers":[{"issuer":"https://idp.test","mode":"exchange"}],
      "ema":{"idpIssuer":"https://idp.test","signingKeyRef":"KEY"}}})");
  o.secrets = {{"KEY", oauth::key_file("p256_other")}};
  world w(std::move(o));
  client c(w);
  c.path = "/oauth/token";
  c.content_type = "application/x-www-form-urlencoded";
  c.header_first = true;
  auto r = c.post("grant_type=x");
  EXPECT_TRUE(r->body_asked);
  EXPECT_FALSE(r->known);
  w.bring_body(r);
  EXPECT_EQ(r->status, 400);
  EXPECT_EQ(at(r->body, "error"), R"("unsupported_grant_type")");
  EXPECT_EQ(w.audit("oauth/token").size(), 1U);
  r = c.post("grant_type=x");
  w.bring_body(r, http::defect::body_too_large);
  EXPECT_EQ(r->status, 413);
  r = c.post("grant_type=x");
  w.vanish(r);
  EXPECT_EQ(w.audit("oauth/token").size(), 3U);
  EXPECT_FALSE(c.get()->body_asked);
  // Nobody has shown anything here.
  r = c.post(std::string(limits::body_unjudged + 1, 'x'));
  EXPECT_FALSE(r->body_asked);
  EXPECT_EQ(r->status, 413);
  EXPECT_EQ(w.audit("oauth/token").size(), 4U);
  c.host = "evil.test";
  EXPECT_FALSE(c.post("grant_type=x")->body_asked);
  EXPECT_EQ(w.audit("http").size(), 1U);
}

}  // namespace
}  // namespace gate
