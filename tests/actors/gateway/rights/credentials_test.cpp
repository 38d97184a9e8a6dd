// What the gateway shows upstreams about who asks.
#include "protocol/oauth/form.hpp"
#include "protocol/oauth/token.hpp"
#include "simulations/world/guarded_world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

std::string upstream_with(std::string_view auth) {
  return R"([{"id":"a","url":"http://a.test/mcp","namespace":"a","auth":)" + std::string(auth) +
         R"(},{"id":"b","url":"http://b.test/mcp","namespace":"b"}])";
}

constexpr std::string_view granted = R"("tokenEndpoint":"https://as.test/token","clientId":"me",
  "clientAuth":{"type":"client_secret_post","secretRef":"SECRET"})";

struct credentials : ::testing::Test {
  std::unique_ptr<world> w;
  std::map<std::string, int> tokens;  ///< by the subject token; how often one was given

  void start(std::string_view auth, std::map<std::string, std::string> secrets) {
    auto o = guarded_world(guarded(upstream_with(auth)));
    o.secrets = std::move(secrets);
    o.hosts.push_back("as");
    o.prepare = [](fake_network& net) {
      net.at("idp")->always("GET", reply::http(200, published_keys()));
      net.at("as")->always("not JSON-RPC", reply::http(200, granted_token("T1")));
    };
    w.reset();  // one at a time: they share the log
    w = std::make_unique<world>(std::move(o));
  }
  static std::string granted_token(std::string_view token, std::string_view more = R"(3600)") {
    return R"({"access_token":")" + std::string(token) +
           R"(","token_type":"Bearer","expires_in":)" + std::string(more) + "}";
  }
  fake_upstream& a() { return w->upstream("a"); }
  fake_upstream& as() { return w->upstream("as"); }
  std::size_t asked() { return as().count("not JSON-RPC"); }
  client of(std::string_view sub) {
    client c(*w);
    c.token = token_for(sub);
    c.initialize();
    return c;
  }
  static std::string error(const receipt_ptr& r) { return at(r->last(), "error", "code"); }
  std::string shown(std::string_view method = "tools/call") {
    return a().last(method)->header("authorization");
  }
};

TEST_F(credentials, static_goes_with_every_request) {
  start(R"({"strategy":"static","secretRef":"KEY"})", {{"KEY", "s3cret"}});
  auto c = of("alice");
  auto stream = c.get();
  EXPECT_EQ(error(c.call("1", "a__echo")), "");
  c.end();
  for (const auto& s : a().seen())
    EXPECT_EQ(s->header("authorization"), "Bearer s3cret") << s->method;
  EXPECT_GT(a().count("DELETE"), 0U);
}

TEST_F(credentials, static_in_a_header_of_its_own_is_bare) {
  start(R"({"strategy":"static","secretRef":"KEY","header":"X-Api-Key"})", {{"KEY", "s3cret"}});
  of("alice").call("1", "a__echo");
  EXPECT_EQ(a().last("tools/call")->header("x-api-key"), "s3cret");
  EXPECT_EQ(shown(), "");
}

TEST_F(credentials, a_missing_secret_is_named_to_the_operator_only) {
  for (auto value : {"", "two\r\nlines"}) {
    start(R"({"strategy":"static","secretRef":"THE_KEY"})", {{"THE_KEY", value}});
    auto c = of("alice");
    c.more_headers = {"traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"};
    auto r = c.call("1", "a__echo");
    EXPECT_EQ(r->last(), unavailable("1", "a", "credential unavailable"));
    EXPECT_EQ(world::logged("THE_KEY"), 1U);
    EXPECT_EQ(world::logged("traceId=4bf92f3577b34da6a3ce929d0e0e4736"), 1U);
    EXPECT_EQ(world::logged("lines\""), 0U);
    EXPECT_TRUE(a().seen().empty());
    EXPECT_EQ(error(c.call("2", "b__echo")), "") << "nobody else notices";
    w->secrets()["THE_KEY"] = "now";
    EXPECT_EQ(error(c.call("3", "a__echo")), "") << "it is read when it is used";
  }
}

TEST_F(credentials, passthrough_is_the_callers_very_token_and_then_the_next_one) {
  start(R"({"strategy":"passthrough"})", {});
  auto c = of("alice");
  c.call("1", "a__echo");
  EXPECT_EQ(shown(), "Bearer " + c.token);
  const auto session = a().last("tools/call")->session;
  c.token = token_for("alice", R"("jti":"2")");
  c.call("2", "a__echo");
  EXPECT_EQ(shown(), "Bearer " + c.token);
  EXPECT_EQ(a().last("tools/call")->session, session) << "the session goes on";
  for (const auto& s : w->upstream("b").seen()) EXPECT_EQ(s->header("authorization"), "");
}

TEST_F(credentials, lists_of_a_caller_are_the_callers) {
  start(R"({"strategy":"passthrough"})", {});
  auto alice = of("alice"), bob = of("bob");
  a().always("tools/list", [&](const sight& s) {
    return reply::result(s.header("authorization") == "Bearer " + alice.token
                             ? R"({"tools":[{"name":"hers"}]})"
                             : R"({"tools":[{"name":"his"}]})");
  });
  const auto list = [](client& c) { return at(c.list("1")->last(), "result", "tools"); };
  const auto of_alice = list(alice), of_bob = list(bob);
  EXPECT_NE(of_alice, of_bob);
  EXPECT_EQ(list(alice), of_alice);
  EXPECT_EQ(a().count("tools/list"), 3U) << "they are never kept";
  EXPECT_EQ(w->upstream("b").count("tools/list"), 1U) << "what is everybody's is kept";
  std::map<std::string, std::string> sessions;  // at the upstream: each is one caller's
  for (const auto& s : a().seen())
    if (!s->session.empty()) {
      auto& who = sessions.try_emplace(s->session, s->header("authorization")).first->second;
      EXPECT_EQ(who, s->header("authorization"));
    }
  EXPECT_EQ(sessions.size(), 2U);
}

TEST_F(credentials, one_token_of_the_gateways_own_serves_all) {
  start(R"({"strategy":"client-credentials",)" + std::string(granted) +
            R"(,"scopes":["x","y"],"resource":"https://a.test/mcp"})",
        {{"SECRET", "pass"}});
  as().next("not JSON-RPC", reply{.after = 2s, .status = 200, .body = granted_token("T1")});
  std::vector<client> all;
  for (int i = 0; i < 20; ++i) all.push_back(of("user" + std::to_string(i)));
  std::vector<receipt_ptr> calls;
  for (auto& c : all) calls.push_back(c.call("1", "a__echo"));
  EXPECT_FALSE(calls.front()->done());
  w->advance(2s);
  for (const auto& r : calls) EXPECT_EQ(error(r), "");
  EXPECT_EQ(asked(), 1U);
  EXPECT_EQ(shown(), "Bearer T1");
  const auto body = as().last("not JSON-RPC")->body;
  for (auto part : {"grant_type=client_credentials", "client_id=me", "client_secret=pass",
                    "scope=x+y", "resource=https%3A%2F%2Fa.test%2Fmcp"})
    EXPECT_NE(body.find(part), body.npos) << part << " in " << body;
  EXPECT_FALSE(as().last("not JSON-RPC")->what->to->redirects);
}

TEST_F(credentials, a_signature_takes_the_place_of_a_secret) {
  start(R"({"strategy":"client-credentials","tokenEndpoint":"https://as.test/token","clientId":"me",
            "clientAuth":{"type":"private_key_jwt","secretRef":"KEY","keyId":"k7"}})",
        {{"KEY", oauth::key_file("p256")}});
  EXPECT_EQ(error(of("alice").call("1", "a__echo")), "");
  EXPECT_EQ(shown(), "Bearer T1");
  const auto form = oauth::read_form(as().last("not JSON-RPC")->body).value();
  EXPECT_EQ(oauth::field(form, "grant_type"), "client_credentials");
  EXPECT_EQ(oauth::field(form, "client_id"), "me");
  EXPECT_EQ(oauth::field(form, "client_secret"), "");
  EXPECT_EQ(oauth::field(form, "client_assertion_type"),
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  EXPECT_EQ(as().last("not JSON-RPC")->header("authorization"), "");
  const auto first = oauth::read_token(oauth::field(form, "client_assertion")).value();
  auto known = published_keys();
  known.replace(known.find(R"("kid":"p256")"), 12, R"("kid":"k7")");
  EXPECT_EQ(oauth::check_signature(first, oauth::read_key_set(known).value()),
            oauth::token_fault::none);
  EXPECT_EQ(oauth::check_times(first, w->wall()), oauth::token_fault::none);
  EXPECT_EQ(first.issuer, "me");
  EXPECT_EQ(first.subject, "me");
  EXPECT_EQ(first.audience, std::vector<std::string>{"https://as.test/token"});
  const auto jti = json::member(first.claims, "jti");
  EXPECT_GE(jti.size(), 20U);
  // The next one is another one.
  w->advance(2h);
  of("bob").call("1", "a__echo");
  const auto next = oauth::read_form(as().last("not JSON-RPC")->body).value();
  const auto second = oauth::read_token(oauth::field(next, "client_assertion")).value();
  EXPECT_EQ(asked(), 2U);
  EXPECT_NE(json::member(second.claims, "jti"), jti);
}

TEST_F(credentials, a_key_that_is_none_is_named_to_the_operator_only) {
  start(R"({"strategy":"client-credentials","tokenEndpoint":"https://as.test/token","clientId":"me",
            "clientAuth":{"type":"private_key_jwt","secretRef":"KEY"}})",
        {{"KEY", "hunter2"}});
  EXPECT_EQ(of("alice").call("1", "a__echo")->last(),
            unavailable("1", "a", "credential unavailable"));
  EXPECT_EQ(asked(), 0U);
  EXPECT_EQ(world::logged("KEY: this is no private key"), 1U);
  EXPECT_EQ(world::logged("hunter2"), 0U);
}

TEST_F(credentials, callers_whose_tokens_fail_in_turn_with_others_are_one_outage) {
  start(R"({"strategy":"token-exchange","audience":"x",)" + std::string(granted) + "}",
        {{"SECRET", "pass"}});
  as().always("not JSON-RPC", [](const sight& s) {
    const auto form = oauth::read_form(s.body).value();
    const auto token = oauth::read_token(oauth::field(form, "subject_token")).value();
    return token.subject == "bob" ? reply::http(400, R"({"error":"invalid_grant"})")
                                  : reply::http(200, granted_token("T", "61"));
  });
  auto alice = of("alice"), bob = of("bob");
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(error(alice.call(std::to_string(i), "a__echo")), "");
    EXPECT_NE(error(bob.call(std::to_string(i), "a__echo")), "");
    w->advance(2s);
  }
  EXPECT_GE(asked(), 30U);
  EXPECT_EQ(world::logged("credential for an upstream can not be had"), 1U);
  EXPECT_EQ(world::logged("can be had again"), 0U);
  as().always("not JSON-RPC", reply::http(200, granted_token("T")));
  w->advance(2s);
  bob.call("99", "a__echo");
  EXPECT_EQ(world::logged("can be had again"), 1U);
}

TEST_F(credentials, a_token_is_replaced_a_minute_before_it_expires) {
  start(R"({"strategy":"client-credentials",)" + std::string(granted) + "}", {{"SECRET", "pass"}});
  auto c = of("alice");
  c.call("1", "a__echo");
  as().always("not JSON-RPC", reply::http(200, granted_token("T2")));
  w->set_wall(w->wall() + 1s);
  w->advance(3539s);
  client d = of("bob");
  d.call("1", "a__echo");
  EXPECT_EQ(shown(), "Bearer T1");
  w->advance(1s);
  d.call("2", "a__echo");
  EXPECT_EQ(shown(), "Bearer T2");
}

TEST_F(credentials, a_token_that_ends_at_once_is_asked_for_each_time) {
  start(R"({"strategy":"client-credentials",)" + std::string(granted) + "}", {{"SECRET", "pass"}});
  as().always("not JSON-RPC", reply::http(200, granted_token("short", "30")));
  auto c = of("alice");
  EXPECT_EQ(error(c.call("1", "a__echo")), "");
  EXPECT_EQ(error(c.call("2", "a__echo")), "");
  EXPECT_EQ(error(c.call("3", "a__echo")), "");
  EXPECT_EQ(asked(), 3U);
}

TEST_F(credentials, what_the_upstream_refuses_is_replaced_once) {
  start(R"({"strategy":"client-credentials",)" + std::string(granted) + "}", {{"SECRET", "pass"}});
  auto c = of("alice");
  c.call("1", "a__echo");
  as().always("not JSON-RPC", reply::http(200, granted_token("T2")));
  a().next("tools/call", reply::http(401));
  EXPECT_EQ(error(c.call("2", "a__echo")), "");
  EXPECT_EQ(shown(), "Bearer T2");
  a().always("tools/call", reply::http(401));
  w->advance(5s);
  const auto before = a().count("tools/call");
  EXPECT_EQ(c.call("3", "a__echo")->last(), unavailable("3", "a", "credential refused"));
  EXPECT_EQ(a().count("tools/call"), before + 2);
}

TEST_F(credentials, a_handshake_that_is_refused_gets_a_second_token) {
  start(R"({"strategy":"client-credentials",)" + std::string(granted) + "}", {{"SECRET", "pass"}});
  auto c = of("alice");
  a().next("initialize", reply::http(401));
  EXPECT_EQ(error(c.call("1", "a__echo")), "");
  a().forget_sessions();
  a().always("initialize", reply::http(401));
  w->advance(5s);
  EXPECT_EQ(c.call("2", "a__echo")->last(), unavailable("2", "a", "credential refused"));
}

TEST_F(credentials, a_session_that_was_refused_twice_takes_the_next_token) {
  start(R"({"strategy":"client-credentials",)" + std::string(granted) + "}", {{"SECRET", "pass"}});
  auto c = of("alice");
  a().next("initialize", reply::http(401));
  a().next("initialize", reply::http(401));
  EXPECT_EQ(c.call("1", "a__echo")->last(), unavailable("1", "a", "credential refused"));
  w->advance(6s);
  as().always("not JSON-RPC", reply::http(200, granted_token("T3")));
  EXPECT_EQ(error(c.call("2", "a__echo")), "");
  EXPECT_EQ(shown(), "Bearer T3");
}

TEST_F(credentials, many_refusals_of_one_token_cost_one_new_token) {
  start(R"({"strategy":"client-credentials",)" + std::string(granted) + "}", {{"SECRET", "pass"}});
  auto c = of("alice");
  c.call("0", "a__echo");
  as().always("not JSON-RPC", reply::http(200, granted_token("T2")));
  for (int i = 0; i < 20; ++i)
    a().next("tools/call", reply{.after = std::chrono::milliseconds{50 + 50 * i}, .status = 401});
  std::vector<receipt_ptr> calls;
  for (int i = 1; i <= 20; ++i) calls.push_back(c.call(std::to_string(i), "a__echo"));
  w->advance(2s);
  for (const auto& r : calls) EXPECT_EQ(error(r), "");
  EXPECT_EQ(asked(), 2U);
}

TEST_F(credentials, an_initialized_that_is_refused_begins_again) {
  start(R"({"strategy":"client-credentials",)" + std::string(granted) + "}", {{"SECRET", "pass"}});
  a().next("notifications/initialized", reply::http(401));
  auto c = of("alice");
  EXPECT_EQ(error(c.call("1", "a__echo")), "");
}

TEST_F(credentials, a_waiting_call_goes_out_with_its_own_token) {
  start(R"({"strategy":"passthrough"})", {});
  auto c = of("alice");
  a().next(
      "initialize",
      reply{.after = 1s,
            .status = 200,
            .body = R"({"jsonrpc":"2.0","id":$id,)"
                    R"("result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}})"});
  a().sessions = false;
  const auto narrow = c.token;
  c.call("1", "a__echo");
  c.token = token_for("alice", R"("groups":["admin"])");
  c.call("2", "a__echo");
  w->advance(1s);
  const auto calls = a().seen("tools/call");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0]->header("authorization"), "Bearer " + narrow);
  EXPECT_EQ(calls[1]->header("authorization"), "Bearer " + c.token);
}

TEST_F(credentials, an_upstream_that_quotes_its_credential_is_not_quoted) {
  start(R"({"strategy":"static","secretRef":"KEY"})", {{"KEY", "s3cret-s3cret"}});
  auto c = of("alice");
  a().next("tools/call", reply::error(R"({"code":1,"message":"bad s3cret-s3cret"})"));
  EXPECT_NE(c.call("1", "a__echo")->last().find("s3cret"), std::string::npos) << "verbatim";
  EXPECT_EQ(w->audit("tools/call").back().find("s3cret"), std::string::npos);
  a().forget_sessions();
  a().next("initialize", reply::error(R"({"code":1,"message":"bad s3cret-s3cret"})"));
  c.call("2", "a__echo");
  EXPECT_EQ(world::logged("s3cret"), 0U);
}

TEST(a_caller_without_rights, shows_no_upstream_a_token) {
  auto o = guarded_world(guarded(upstream_with(R"({"strategy":"passthrough"})"), R"("policy":
    {"rules":[{"id":"r","subjects":{"subs":["mallet"]},"allow":[{"server":"b"}]}]})"));
  world w(std::move(o));
  client c(w);
  c.token = token_for("mallet");
  c.initialize();
  c.request("1", "resources/list");
  c.request("2", "resources/read", R"({"uri":"x://1"})");
  c.list("3");
  c.request("4", "tasks/get", R"({"taskId":"1"})");
  EXPECT_TRUE(w.upstream("a").seen().empty());
  EXPECT_FALSE(w.upstream("b").seen().empty());
}

struct bad_token_endpoint : credentials, ::testing::WithParamInterface<reply> {};

TEST_P(bad_token_endpoint, costs_its_upstream_and_nobody_else) {
  start(R"({"strategy":"client-credentials",)" + std::string(granted) + "}", {{"SECRET", "pass"}});
  as().always("not JSON-RPC", GetParam());
  auto c = of("alice");
  c.more_headers = {"traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"};
  auto r = c.call("1", "a__echo");
  EXPECT_EQ(error(c.call("2", "b__echo")), "");
  w->advance(11s);
  EXPECT_EQ(r->last(), unavailable("1", "a", "credential unavailable"));
  EXPECT_TRUE(a().seen().empty()) << "it never sees a request without";
  EXPECT_EQ(world::logged("credential for an upstream can not be had"), 1U);
  EXPECT_EQ(world::logged("traceId=4bf92f3577b34da6a3ce929d0e0e4736"), 1U) << "of who waits";
  as().always("not JSON-RPC", reply::http(200, granted_token("T1")));
  w->advance(2s);
  EXPECT_EQ(error(c.call("3", "a__echo")), "");
}

INSTANTIATE_TEST_SUITE_P(
    all, bad_token_endpoint,
    ::testing::Values(reply::silence(), reply::http(500), reply::http(200, "<html></html>"),
                      reply::http(401, R"({"error":"invalid_client"})"),
                      reply::failure(fetch_end::redirected),
                      reply::failure(fetch_end::connect_failed),
                      reply::http(200, R"({"access_token":"a\r\nX: y","token_type":"Bearer"})"),
                      reply{.events = {"{}"}}));

TEST_F(credentials, each_caller_has_an_exchanged_token) {
  start(R"({"strategy":"token-exchange","audience":"aud",)" + std::string(granted) + "}",
        {{"SECRET", "pass"}});
  as().always("not JSON-RPC", [](const sight& s) {
    const auto begin = s.body.find("subject_token=") + 14;
    const auto subject = s.body.substr(begin, s.body.find('&', begin) - begin);
    return reply::http(200, granted_token("of" + std::to_string(subject.size() % 97)));
  });
  auto alice = of("alice"), bob = of("bo");
  alice.call("1", "a__echo");
  const auto hers = shown();
  bob.call("1", "a__echo");
  EXPECT_NE(shown(), hers);
  alice.call("2", "a__echo");
  EXPECT_EQ(shown(), hers);
  auto second = of("alice");
  second.call("1", "a__echo");
  EXPECT_EQ(shown(), hers);
  EXPECT_EQ(asked(), 2U);
  const auto body = as().seen("not JSON-RPC").front()->body;
  for (auto part : {"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange",
                    "audience=aud", "subject_token_type="})
    EXPECT_NE(body.find(part), body.npos) << part;
  EXPECT_EQ(w->upstream("b").seen().size(), 0U);
}

TEST_F(credentials, survive_the_crash_of_who_keeps_them) {
  start(R"({"strategy":"client-credentials",)" + std::string(granted) + "}", {{"SECRET", "pass"}});
  as().next("not JSON-RPC", reply::silence());
  auto c = of("alice");
  auto r = c.call("1", "a__echo");
  EXPECT_FALSE(r->done());
  w->crash(w->cast("credentials").at(0));
  EXPECT_EQ(r->last(), unavailable("1", "a", "credential unavailable"));
  w->advance(1s);
  EXPECT_EQ(error(c.call("2", "a__echo")), "") << "its successor is asked";
}

TEST_F(credentials, a_waiting_call_can_be_cancelled_and_a_stopping_gateway_stops) {
  start(R"({"strategy":"client-credentials",)" + std::string(granted) + "}", {{"SECRET", "pass"}});
  as().always("not JSON-RPC", reply::silence());
  auto c = of("alice");
  auto first = c.call("1", "a__echo"), second = c.call("2", "a__echo");
  c.cancel("1");
  EXPECT_EQ(first->status, 202);
  w->stop();
  w->advance(20s);
  EXPECT_TRUE(second->done());
  EXPECT_TRUE(w->stopped());
}

TEST_F(credentials, health_does_not_ask_where_only_callers_can) {
  start(R"({"strategy":"passthrough"})", {});
  client c(*w);
  c.path = "/health";
  auto r = c.get();
  EXPECT_EQ(r->status, 200);
  EXPECT_EQ(at(r->body, "status"), R"("ok")");
  EXPECT_NE(r->body.find(R"({"id":"a","namespace":"a","breaker":"closed","connected":false,)"
                         R"("unprobed":true})"),
            std::string::npos);
  EXPECT_TRUE(a().seen().empty());
}

}  // namespace
}  // namespace gate
