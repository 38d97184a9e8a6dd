// Stage 2 with everything around it: who comes in, where keys come from, whose a session is.
#include "protocol/limits.hpp"
#include "simulations/world/guarded_world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto challenge_begin =
    R"(Bearer resource_metadata="https://gate.test/.well-known/oauth-protected-resource/mcp")";

struct authentication : ::testing::Test {
  world w{guarded_world(guarded(a_and_b))};
  fake_upstream& idp = w.upstream("idp");
  client c{w};

  receipt_ptr try_token(std::string token) {
    client other(w);
    other.token = std::move(token);
    return other.request("1", "ping");  // 400 behind stage 2: it names no session
  }
  bool enters(std::string token) { return try_token(std::move(token))->status == 400; }
};

TEST_F(authentication, lets_nobody_in_without_a_token) {
  auto r = c.request("1", "initialize", "{}");
  EXPECT_EQ(r->status, 401);
  EXPECT_EQ(r->header("www-authenticate"), challenge_begin);
  EXPECT_EQ(at(r->body, "error", "data", "gate", "reason"), R"("unauthenticated")");
  EXPECT_EQ(at(r->body, "id"), "");
  ASSERT_EQ(w.audit().size(), 1U);
  EXPECT_EQ(at(w.audit()[0], "method"), R"("http")");
  EXPECT_EQ(at(w.audit()[0], "outcome"), R"("unauthenticated")");
  EXPECT_EQ(w.metric(R"(gate_http_rejections_total{reason="unauthenticated"})"), 1);
  EXPECT_EQ(w.metric(R"(gate_requests_total{method="initialize",outcome="unauthenticated"})"), -1);
}

TEST_F(authentication, says_what_is_wrong_with_a_token) {
  auto r = try_token("a.b.c");
  EXPECT_EQ(r->status, 401);
  EXPECT_EQ(
      r->header("www-authenticate")
          .find(std::string(challenge_begin) + R"(, error="invalid_token", error_description=")"),
      0U);
}

TEST_F(authentication, takes_a_good_token_in_any_spelling_of_the_scheme) {
  EXPECT_TRUE(enters(token_for("alice")));
  for (auto scheme : {"bearer", "BEARER", "Bearer  "}) {
    client other(w);
    other.more_headers = {"Authorization: " + std::string(scheme) + " " + token_for("alice")};
    EXPECT_EQ(other.request("1", "ping")->status, 400) << scheme;
  }
  for (auto scheme : {"Basic", "DPoP", "Bearerx"}) {
    client other(w);
    other.more_headers = {"Authorization: " + std::string(scheme) + " " + token_for("alice")};
    auto r = other.request("1", "ping");
    EXPECT_EQ(r->status, 401) << scheme;
    EXPECT_EQ(r->header("www-authenticate"), challenge_begin) << "no token of ours, no error";
  }
}

TEST_F(authentication, refuses_two_authorization_headers) {
  c.token = token_for("alice");
  c.more_headers = {"Authorization: Bearer " + token_for("bob")};
  EXPECT_EQ(c.request("1", "ping")->status, 400);
  EXPECT_EQ(w.audit().back().find("alice"), std::string::npos);
}

TEST_F(authentication, refuses_what_is_not_for_this_gateway_or_not_now) {
  const auto exp = R"("exp":)" + std::to_string(world_start() + 600);
  const auto claims = [&](std::string_view rest) {
    return token_with(R"({"iss":"https://idp.test",)" + exp + "," + std::string(rest) + "}");
  };
  EXPECT_TRUE(enters(claims(R"("aud":"https://gate.test/mcp","sub":"x")")));
  EXPECT_TRUE(enters(claims(R"("aud":["y","https://gate.test/mcp"],"sub":"x")")));
  for (auto bad : {R"("aud":"https://gate.test/mcp/","sub":"x")", R"("sub":"x")",
                   R"("aud":"https://gate.test/mcp","sub":"")", R"("aud":"https://gate.test/mcp")",
                   R"("aud":"https://gate.test/mcp","sub":"x","sub":"y")"})
    EXPECT_EQ(try_token(claims(bad))->status, 401) << bad;
}

TEST_F(authentication, asks_nobody_about_an_issuer_it_does_not_trust) {
  const auto before = idp.seen().size();
  EXPECT_EQ(try_token(token_with(R"({"iss":"https://evil.test","aud":"https://gate.test/mcp",)"
                                 R"("sub":"x","exp":9999999999})"))
                ->status,
            401);
  EXPECT_EQ(idp.seen().size(), before);
}

TEST_F(authentication, remembers_a_token_until_it_ends) {
  EXPECT_TRUE(enters(token_for("alice")));
  w.set_wall(w.wall() + 629s);
  EXPECT_TRUE(enters(token_for("alice"))) << "30 s of leeway";
  w.set_wall(w.wall() + 1s);
  EXPECT_FALSE(enters(token_for("alice")));
}

TEST_F(authentication, publishes_where_tokens_come_from_at_both_places) {
  c.path = "/.well-known/oauth-protected-resource";
  auto root = c.get();
  c.path += "/mcp";
  auto inserted = c.get();
  EXPECT_EQ(root->status, 200);
  EXPECT_EQ(root->body, inserted->body);
  EXPECT_EQ(at(root->body, "resource"), R"("https://gate.test/mcp")");
  EXPECT_EQ(at(root->body, "authorization_servers"), R"(["https://idp.test"])");
  EXPECT_EQ(c.post("x")->status, 405);
  for (auto path : {"/.well-known/oauth-authorization-server", "/.well-known/jwks.json",
                    "/oauth/token", "/.well-known/oauth-protected-resource/other"}) {
    c.path = path;
    EXPECT_EQ(c.get()->status, 404) << path;
  }
}

// --- sessions ------------------------------------------------------------------------------------

TEST_F(authentication, a_session_is_its_owners) {
  c.token = token_for("alice");
  c.initialize();
  client thief = c;
  thief.token = token_for("bob");
  EXPECT_EQ(thief.call("1", "a__echo")->status, 404);
  EXPECT_EQ(thief.get()->status, 404);
  EXPECT_EQ(thief.end()->status, 404);
  EXPECT_EQ(at(w.audit().back(), "principal"), R"("bob")");
  c.token = token_for("alice", R"("jti":"renewed")");
  EXPECT_EQ(c.call("2", "a__echo")->status, 200) << "another token of the same principal";
  EXPECT_EQ(at(w.audit("tools/call").back(), "principal"), R"("alice")");
  EXPECT_EQ(at(w.audit("tools/call").back(), "issuer"), R"("https://idp.test")");
}

TEST(two_issuers, have_nothing_to_do_with_each_others_subjects) {
  auto o = guarded_world(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],
    "auth":{"mode":"required","resource":"https://gate.test/mcp","issuers":
      [{"issuer":"https://idp.test"},{"issuer":"https://other.test"}]}})");
  o.hosts.push_back("other");
  o.prepare = [](fake_network& net) {
    for (auto host : {"idp", "other"})
      net.at(host)->always("GET", reply::http(200, published_keys()));
  };
  world w(std::move(o));
  client c(w);
  c.token = token_for("alice");
  c.initialize();
  c.token = token_with(R"({"iss":"https://other.test","aud":"https://gate.test/mcp","sub":"alice",)"
                       R"("exp":)" +
                       std::to_string(world_start() + 600) + "}");
  EXPECT_EQ(c.call("1", "echo")->status, 404);
}

// --- keys ----------------------------------------------------------------------------------------

std::string with_kid(std::string_view kid, std::string_view sub = "alice") {
  return token_with(R"({"iss":"https://idp.test","aud":"https://gate.test/mcp","sub":")" +
                        std::string(sub) + R"(","exp":)" + std::to_string(world_start() + 600) +
                        "}",
                    R"({"alg":"ES256","kid":")" + std::string(kid) + R"("})");
}

TEST_F(authentication, many_unknown_keys_cost_one_fetch) {
  w.advance(30s);
  const auto before = idp.count("GET");
  idp.next("GET", reply{.after = 5s, .status = 200, .body = published_keys()});
  std::vector<receipt_ptr> all;
  for (int i = 0; i < 1000; ++i) all.push_back(try_token(with_kid("k" + std::to_string(i))));
  EXPECT_FALSE(all.front()->done()) << "they wait";
  EXPECT_TRUE(enters(token_for("bob"))) << "whoever has a known key does not";
  w.advance(5s);
  for (const auto& r : all) EXPECT_EQ(r->status, 401);
  EXPECT_EQ(idp.count("GET"), before + 1);
  EXPECT_EQ(try_token(with_kid("one more"))->status, 401) << "at once";
  EXPECT_EQ(idp.count("GET"), before + 1);
  w.advance(30s);
  try_token(with_kid("later"));
  EXPECT_EQ(idp.count("GET"), before + 2);
}

TEST_F(authentication, a_new_key_is_found_and_one_that_vanished_is_not_trusted) {
  EXPECT_TRUE(enters(token_for("alice")));
  auto renamed = published_keys();
  renamed.replace(renamed.find(R"("kid":"p256")"), 12, R"("kid":"new!")");
  idp.always("GET", reply::http(200, renamed));
  w.advance(30s);
  EXPECT_TRUE(enters(with_kid("new!")));
  EXPECT_FALSE(enters(token_for("alice"))) << "although it was remembered";
}

TEST_F(authentication, keys_are_refreshed_in_the_background) {
  auto renamed = published_keys();
  renamed.replace(renamed.find(R"("kid":"p256")"), 12, R"("kid":"new!")");
  EXPECT_TRUE(enters(token_for("alice")));
  idp.always("GET", reply::http(200, renamed));
  w.advance(299s);
  EXPECT_TRUE(enters(token_for("alice")));
  w.advance(1s);
  EXPECT_FALSE(enters(token_for("alice")));
}

TEST_F(authentication, the_last_good_keys_hold_in_an_outage_for_a_day) {
  idp.always("GET", reply::failure(fetch_end::connect_failed));
  w.advance(23h);
  w.set_wall(w.wall() + 1s);
  EXPECT_TRUE(enters(token_for("alice")));
  EXPECT_EQ(world::logged("can not be fetched"), 1U);
  w.advance(1h + 1min);
  auto r = try_token(token_for("alice"));
  EXPECT_EQ(r->status, 401);
  EXPECT_EQ(world::logged("too old to be trusted"), 1U);
  idp.always("GET", reply::http(200, published_keys()));
  w.advance(30s);
  EXPECT_TRUE(enters(token_for("alice")));
}

struct bad_provider : ::testing::TestWithParam<reply> {};

TEST_P(bad_provider, costs_its_own_callers_a_refusal_and_nobody_anything_else) {
  auto o = guarded_world(guarded(a_and_b));
  o.prepare = [](fake_network& net) { net.at("idp")->always("GET", GetParam()); };
  world w(std::move(o));
  client c(w);
  c.token = token_for("alice");
  auto r = c.request("1", "ping");
  w.advance(11s);
  EXPECT_EQ(r->status, 401);
  EXPECT_EQ(world::logged("can not be fetched"), 1U);
  EXPECT_GE(w.metric(R"(gate_key_set_fetches_total{issuer="https://idp.test",outcome="error"})"),
            1);
  EXPECT_EQ(w.upstream("idp").last("GET")->what->to->redirects, false);
  w.upstream("idp").always("GET", reply::http(200, published_keys()));
  w.advance(15s);
  EXPECT_EQ(c.request("2", "ping")->status, 400) << "and then it is believed";
}

INSTANTIATE_TEST_SUITE_P(
    all, bad_provider,
    ::testing::Values(reply::silence(), reply::http(500), reply::http(200, "<html></html>"),
                      reply::http(200, R"({"keys":{}})"), reply::http(404, published_keys()),
                      reply::failure(fetch_end::redirected), reply::failure(fetch_end::too_large),
                      reply::failure(fetch_end::broken), reply{.events = {published_keys()}}));

TEST(a_first_token, waits_for_the_first_fetch) {
  auto o = guarded_world(guarded(a_and_b));
  o.prepare = [](fake_network& net) {
    net.at("idp")->always("GET", reply{.after = 9s, .status = 200, .body = published_keys()});
  };
  world w(std::move(o));
  client c(w);
  c.token = token_for("alice");
  auto first = c.request("1", "ping"), second = c.request("2", "ping");
  w.advance(8s);
  EXPECT_FALSE(first->done());
  w.advance(1s);
  EXPECT_EQ(first->status, 400);
  EXPECT_EQ(second->status, 400);
  EXPECT_EQ(w.upstream("idp").count("GET"), 1U);
}

TEST_F(authentication, a_call_that_waits_for_keys_outlives_the_crash_of_key_set) {
  w.advance(30s);
  idp.next("GET", reply::silence());
  auto r = try_token(with_kid("unknown"));
  EXPECT_FALSE(r->done());
  w.crash(w.cast("key set").at(0));
  EXPECT_EQ(r->status, 401);
  EXPECT_TRUE(enters(token_for("alice"))) << "what was known holds";
  w.advance(1s);
  EXPECT_EQ(w.cast("key set").size(), 1U);
}

TEST_F(authentication, a_call_that_waits_for_keys_is_answered_at_the_end) {
  w.advance(30s);
  idp.next("GET", reply::silence());
  auto r = try_token(with_kid("unknown"));
  w.stop();
  w.advance(30s);
  EXPECT_TRUE(r->done());
  EXPECT_TRUE(w.stopped());
}

}  // namespace
}  // namespace gate
