// The token endpoint: assertions for access tokens, once each.
#include "simulations/world/guarded_world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::string_view enterprise = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],
  "auth":{"mode":"required","resource":"https://gate.test/mcp",
    "issuers":[{"issuer":"https://idp.test","mode":"exchange"}],
    "ema":{"idpIssuer":"https://idp.test","signingKeyRef":"KEY","tokenRateLimitPerMinute":50}}})";

world_options enterprise_world() {
  auto o = guarded_world(std::string(enterprise));
  o.secrets = {{"KEY", oauth::key_file("p256_other")}};
  return o;
}

struct token_endpoint_of_a_gateway : ::testing::Test {
  world w{enterprise_world()};
  fake_upstream& idp = w.upstream("idp");
  int next = 0;

  std::string assertion(std::string_view jti, std::string_view more = {}) {
    std::string claims = R"({"iss":"https://idp.test","aud":"https://gate.test","sub":"alice",)"
                         R"("client_id":"agent","iat":)" +
                         std::to_string(world_start()) + R"(,"exp":)" +
                         std::to_string(world_start() + 300) + R"(,"jti":")" + std::string(jti) +
                         '"';
    if (!more.empty()) claims.append(",").append(more);
    return token_with(claims + "}", R"({"alg":"ES256","kid":"p256","typ":"oauth-id-jag+jwt"})");
  }
  /// It would be good, had the provider signed it.
  std::string forged(std::string_view jti) {
    auto out = assertion(jti);
    out.replace(out.rfind('.') + 1, 4, "AAAA");
    return out;
  }
  receipt_ptr redeem(std::string_view assertion, std::string_view more = {},
                     std::string peer = "192.0.2.1") {
    client c(w);
    c.peer = std::move(peer);
    c.path = "/oauth/token";
    c.content_type = "application/x-www-form-urlencoded";
    return c.post("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" +
                  std::string(assertion) + std::string(more));
  }
  static std::string token_in(const receipt_ptr& r) {
    std::string out;
    json::unquote(at(r->body, "access_token"), out);
    return out;
  }
};

TEST_F(token_endpoint_of_a_gateway, gives_a_token_that_opens_the_gateway) {
  auto r = redeem(assertion("1", R"("scope":"x y","groups":["g"])"));
  ASSERT_EQ(r->status, 200) << r->body;
  EXPECT_EQ(r->header("cache-control"), "no-store");
  EXPECT_EQ(at(r->body, "token_type"), R"("Bearer")");
  EXPECT_EQ(at(r->body, "expires_in"), "600");
  EXPECT_EQ(at(r->body, "scope"), R"("x y")");
  client c(w);
  c.token = token_in(r);
  c.initialize();
  EXPECT_EQ(c.call("1", "echo")->status, 200);
  const auto line = w.audit("tools/call").back();
  EXPECT_EQ(at(line, "principal"), R"("alice")");
  EXPECT_EQ(at(line, "issuer"), R"("https://gate.test")");
}

TEST_F(token_endpoint_of_a_gateway, takes_an_assertion_once) {
  const auto text = assertion("1");
  EXPECT_EQ(redeem(text)->status, 200);
  auto again = redeem(text);
  EXPECT_EQ(again->status, 400);
  EXPECT_EQ(at(again->body, "error"), R"("invalid_grant")");
  EXPECT_EQ(redeem(assertion("2"))->status, 200);
  // As long as it could be taken: 300 s, and the leeway.
  w.set_wall(w.wall() + 329s);
  w.advance(329s);
  EXPECT_EQ(redeem(text)->status, 400);
}

TEST_F(token_endpoint_of_a_gateway, leaves_one_audit_line_for_each_request) {
  redeem(assertion("1"));
  redeem(assertion("1"));
  redeem("a.b.c");
  const auto lines = w.audit("oauth/token");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(at(lines[0], "outcome"), R"("ok")");
  EXPECT_EQ(at(lines[0], "principal"), R"("alice")");
  EXPECT_EQ(at(lines[1], "outcome"), R"("error")");
  EXPECT_EQ(at(lines[1], "principal"), R"("alice")") << "it was proven";
  EXPECT_EQ(at(lines[2], "principal"), "");
  EXPECT_EQ(w.audit().size(), 3U);
  EXPECT_EQ(w.metric(R"(gate_token_requests_total{outcome="ok"})"), 1);
  EXPECT_EQ(w.metric(R"(gate_token_requests_total{outcome="error"})"), 2);
}

TEST_F(token_endpoint_of_a_gateway, says_no_to_more_than_its_limit) {
  // All from one address, as behind a proxy.
  for (int i = 0; i < 50; ++i) EXPECT_EQ(redeem(assertion("x" + std::to_string(i)))->status, 200);
  auto r = redeem(assertion("1"), {}, "192.0.2.2");
  EXPECT_EQ(r->status, 429);
  EXPECT_EQ(r->header("retry-after"), "62") << "a 50th of the next minute";
  EXPECT_EQ(at(w.audit("oauth/token").back(), "outcome"), R"("rate_limited")");
  EXPECT_EQ(w.metric(R"(gate_http_rejections_total{reason="oauth_token_rate_limited"})"), 1);
  client c(w);
  EXPECT_EQ(c.request("1", "ping")->status, 401) << "everything else goes on";
  w.advance(120s);
  EXPECT_EQ(redeem(assertion("1"))->status, 200);
}

TEST_F(token_endpoint_of_a_gateway, is_not_blocked_by_what_is_no_request) {
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(redeem("a.b.c")->status, 400);
    EXPECT_EQ(redeem("")->status, 400);
    EXPECT_EQ(redeem(token_for("alice"))->status, 400) << "no assertion";
    EXPECT_EQ(redeem(token_with(R"({"iss":"https://other.test"})",
                                R"({"alg":"ES256","kid":"p256","typ":"oauth-id-jag+jwt"})"))
                  ->status,
              400);
  }
  EXPECT_EQ(redeem(assertion("1"))->status, 200);
}

TEST_F(token_endpoint_of_a_gateway, is_blocked_by_forgeries_for_their_own_address_only) {
  for (int i = 0; i < 50; ++i) EXPECT_EQ(redeem(forged("f" + std::to_string(i)))->status, 400);
  auto more = redeem(forged("more"));
  EXPECT_EQ(more->status, 429);
  EXPECT_EQ(more->header("retry-after"), "62");
  EXPECT_EQ(redeem(assertion("1"))->status, 429) << "nobody looks at it";
  EXPECT_EQ(redeem(assertion("1"), {}, "192.0.2.2")->status, 200);
  for (int i = 0; i < 49; ++i)
    EXPECT_EQ(redeem(assertion("x" + std::to_string(i)), {}, "192.0.2.2")->status, 200);
  w.advance(120s);
  EXPECT_EQ(redeem(assertion("1b"))->status, 200);
}

TEST_F(token_endpoint_of_a_gateway, is_not_blocked_by_who_shows_one_assertion_again_and_again) {
  const auto used = assertion("1");
  EXPECT_EQ(redeem(used)->status, 200);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(redeem(used)->status, 400);
  EXPECT_EQ(redeem(used)->status, 429);
  for (int i = 0; i < 49; ++i)
    EXPECT_EQ(redeem(assertion("x" + std::to_string(i)), {}, "192.0.2.2")->status, 200);
  EXPECT_EQ(redeem(assertion("y"), {}, "192.0.2.2")->status, 429) << "with the first one, 50";
}

TEST_F(token_endpoint_of_a_gateway, does_not_let_assertions_or_tokens_of_that_issuer_in) {
  client c(w);
  for (auto token : {assertion("1"), token_for("alice")}) {
    c.token = token;
    EXPECT_EQ(c.request("1", "ping")->status, 401);
  }
  c.token.clear();
  c.path = "/.well-known/oauth-protected-resource";
  EXPECT_EQ(at(c.get()->body, "authorization_servers"), R"(["https://gate.test"])");
}

TEST_F(token_endpoint_of_a_gateway, publishes_its_metadata_and_its_key) {
  client c(w);
  c.path = "/.well-known/oauth-authorization-server";
  const auto body = c.get()->body;
  EXPECT_EQ(at(body, "issuer"), R"("https://gate.test")");
  EXPECT_EQ(at(body, "token_endpoint"), R"("https://gate.test/oauth/token")");
  c.path = "/.well-known/jwks.json";
  EXPECT_NE(c.get()->body.find(R"("crv":"P-256")"), std::string::npos);
  EXPECT_EQ(c.get()->body.find(R"("d":)"), std::string::npos);
  c.path = "/oauth/authorize";
  EXPECT_EQ(c.get()->status, 400);
  c.path = "/oauth/token";
  EXPECT_EQ(c.get()->status, 405);
  EXPECT_EQ(c.get()->header("allow"), "POST");
}

TEST_F(token_endpoint_of_a_gateway, waits_for_the_keys_of_the_provider) {
  w.advance(30s);
  auto renamed = published_keys();
  renamed.replace(renamed.find(R"("kid":"p256")"), 12, R"("kid":"new!")");
  idp.next("GET", reply{.after = 5s, .status = 200, .body = renamed});
  auto text = token_with(R"({"iss":"https://idp.test","aud":"https://gate.test/","sub":"alice",)"
                         R"("client_id":"agent","jti":"7","iat":)" +
                             std::to_string(world_start()) + R"(,"exp":)" +
                             std::to_string(world_start() + 300) + "}",
                         R"({"alg":"ES256","kid":"new!","typ":"oauth-id-jag+jwt"})");
  auto r = redeem(text);
  EXPECT_FALSE(r->done());
  w.advance(5s);
  EXPECT_EQ(r->status, 200) << r->body;
}

TEST_F(token_endpoint_of_a_gateway, survives_the_crash_of_those_behind_it) {
  w.crash(w.cast("once ledger").at(0));
  auto r = redeem(assertion("1"));
  EXPECT_EQ(r->status, 503) << r->body;
  w.advance(1s);
  EXPECT_EQ(redeem(assertion("1"))->status, 200);
  w.advance(30s);
  idp.next("GET", reply::silence());
  auto waiting = redeem(token_with(R"({"iss":"https://idp.test"})",
                                   R"({"alg":"ES256","kid":"no","typ":"oauth-id-jag+jwt"})"));
  EXPECT_FALSE(waiting->done());
  w.crash(w.cast("mint").at(0));
  EXPECT_EQ(waiting->status, 503);
  EXPECT_EQ(redeem(assertion("3"))->status, 503);
  w.advance(1s);
  EXPECT_EQ(redeem(assertion("3"))->status, 200);
  EXPECT_EQ(w.audit("oauth/token").size(), 5U);
}

}  // namespace
}  // namespace gate
