// A gateway with a shared store: what it says of it, and that two of them take an assertion once.
#include "simulations/world/guarded_world.hpp"
#include "simulations/world/shared_scripts.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::string_view enterprise = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],
  "auth":{"mode":"required","resource":"https://gate.test/mcp",
    "issuers":[{"issuer":"https://idp.test","mode":"exchange"}],
    "ema":{"idpIssuer":"https://idp.test","signingKeyRef":"KEY",
      "tokenRateLimitPerMinute":60}}})";

struct a_gateway_with_a_store : ::testing::Test {
  std::shared_ptr<fake_store> store = std::make_shared<fake_store>();

  world_options options(bool shares = true) {
    auto o = guarded_world(std::string(enterprise));
    o.secrets = {{"KEY", oauth::key_file("p256_other")}};
    if (shares) o.store = store;
    return o;
  }
  static std::string state_of(world& w) {
    client c(w);
    c.path = "/health";
    return at(c.get()->body, "sharedState");
  }
  static int redeem(world& w, std::string_view jti) {
    client c(w);
    c.path = "/oauth/token";
    c.content_type = "application/x-www-form-urlencoded";
    const auto now = world_start();
    return c
        .post("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" +
              token_with(R"({"iss":"https://idp.test","aud":"https://gate.test","sub":"alice",)"
                         R"("client_id":"agent","iat":)" +
                             std::to_string(now) + R"(,"exp":)" + std::to_string(now + 300) +
                             R"(,"jti":")" + std::string(jti) + "\"}",
                         R"({"alg":"ES256","kid":"p256","typ":"oauth-id-jag+jwt"})"))
        ->status;
  }
};

TEST_F(a_gateway_with_a_store, says_whether_it_is_there) {
  world w(options());
  EXPECT_EQ(state_of(w), R"("ok")");
  store->go();
  w.settle();
  client c(w);
  c.path = "/health";
  const auto report = c.get();
  EXPECT_EQ(at(report->body, "sharedState"), R"("away")") << "at once, not after a second";
  EXPECT_EQ(at(report->body, "status"), R"("ok")");
  EXPECT_EQ(report->status, 200) << "it is not unhealthy by that";
  store->back();
  w.settle();
  EXPECT_EQ(state_of(w), R"("ok")");
}

TEST_F(a_gateway_with_a_store, without_one_says_nothing_of_it) {
  world w(options(false));
  EXPECT_EQ(state_of(w), "");
}

TEST_F(a_gateway_with_a_store, says_so_after_a_crash_of_HEALTH_as_well) {
  world w(options());
  store->go();
  w.settle();
  w.crash(w.cast("health").at(0));
  w.advance(1s);
  EXPECT_EQ(state_of(w), R"("away")");
}

TEST_F(a_gateway_with_a_store, knows_after_a_crash_what_was_used) {
  world w(options());
  EXPECT_EQ(redeem(w, "1"), 200);
  w.crash(w.cast("once ledger").at(0));
  w.advance(1s);
  EXPECT_EQ(redeem(w, "1"), 400);
  EXPECT_EQ(redeem(w, "2"), 200);
}

TEST_F(a_gateway_with_a_store, takes_an_assertion_that_no_other_has_taken) {
  {
    world other(options());
    EXPECT_EQ(redeem(other, "1"), 200);
  }
  world w(options());
  EXPECT_EQ(redeem(w, "1"), 400);
  EXPECT_EQ(redeem(w, "2"), 200);
}

TEST_F(a_gateway_with_a_store, gives_no_more_tokens_a_minute_than_the_fleet_may) {
  teach_scripts(*store, 1'795'000'020'000ms);
  {
    world other(options());
    for (int i = 0; i < 60; ++i) EXPECT_EQ(redeem(other, std::to_string(i)), 200);
  }
  world w(options());
  const auto asked = store->seen().size();
  EXPECT_EQ(redeem(w, "more"), 429);
  EXPECT_EQ(redeem(w, "more"), 429);
  EXPECT_EQ(store->seen().size(), asked + 1) << "it knows until when there is no room";
  w.advance(120s);
  EXPECT_EQ(redeem(w, "more"), 200) << "what was refused was not used";
}

TEST_F(a_gateway_with_a_store, waits_half_a_second_for_each_of_two_answers_and_not_longer) {
  world w(options());
  store->fall_silent();
  client c(w);
  c.path = "/oauth/token";
  EXPECT_EQ(redeem(w, "1"), 0) << "not answered yet";
  w.advance(999ms);
  EXPECT_FALSE(w.receipts().back()->done());
  w.advance(1ms);
  EXPECT_EQ(w.receipts().back()->status, 200);
}

}  // namespace
}  // namespace gate
