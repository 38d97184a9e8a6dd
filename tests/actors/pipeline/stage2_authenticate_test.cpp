// Stage 2: who calls, and that no body is read on behalf of others.
#include "protocol/base/base64url.hpp"
#include "tests/actors/pipeline/stages.hpp"

namespace gate::pipeline {
namespace {

struct stage2 : sim::a_way {};

TEST_F(stage2, knows_everybody_where_no_token_is_required) {
  auto c = of<stage::authenticate>(authenticated(message("ping")));
  ASSERT_NE(c->access(), nullptr);
  EXPECT_EQ(c->access()->who(), nullptr);
  EXPECT_TRUE(c->view().visible(0));
  c->ticket.spend({});
}

TEST_F(stage2, has_a_body_read_behind_it) {
  auto r = message("ping");
  r.body_follows = true;
  EXPECT_TRUE(waits(authenticated(std::move(r))));
  ASSERT_TRUE(entrance.waiting);
  EXPECT_NE((*entrance.waiting)->access(), nullptr) << "its caller is known";
  // What was wrong with the body is found out by then.
  auto& c = *entrance.waiting;
  const_cast<http_request&>(c->request()).flaw = http::defect::timeout;
  EXPECT_EQ(no(authenticate_step::run(std::move(c), desk)).why, reason::timeout);
}

constexpr auto with_issuer =
    R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],"auth":{"mode":"required",)"
    R"("resource":"https://gate.test/mcp","issuers":[{"issuer":"https://idp.test",)"
    R"("jwksUri":"https://idp.test/keys"}]}})";

struct stage2_with_tokens : sim::a_way {
  stage2_with_tokens() : a_way(with_issuer) {}

  /// Whoever signed it, the issuer's keys are not here.
  static std::string token(std::string_view issuer) {
    return base64url_encode(R"({"alg":"RS256","kid":"1"})") + "." +
           base64url_encode(R"({"iss":")" + std::string(issuer) +
                            R"(","sub":"u","aud":"https://gate.test/mcp","exp":4000000000})") +
           "." + base64url_encode(std::string(256, 'x'));
  }
  static http_request with(const std::vector<std::string>& authorization) {
    return post(R"({"jsonrpc":"2.0","id":1,"method":"ping"})", authorization);
  }
};

TEST_F(stage2_with_tokens, challenges_whoever_shows_none) {
  auto r = authenticated(with({}));
  const auto* it = std::get_if<refused>(&r);
  ASSERT_NE(it, nullptr);
  EXPECT_EQ(it->why.why, reason::unauthenticated);
  EXPECT_NE(it->headers.find("resource_metadata="), std::string::npos) << it->headers;
  EXPECT_EQ(it->headers.find("invalid_token"), std::string::npos) << it->headers;
  it->call->ticket.spend({});
}

TEST_F(stage2_with_tokens, takes_one_token_only) {
  const auto line = "Authorization: Bearer " + token("https://idp.test");
  EXPECT_EQ(no(authenticated(with({line, line}))).why, reason::bad_request);
}

TEST_F(stage2_with_tokens, asks_no_stranger_for_keys) {
  EXPECT_EQ(no(authenticated(with({"Authorization: Bearer " + token("https://evil.test")}))).why,
            reason::unauthenticated);
  EXPECT_EQ(entrance.asked_keys, 0U);
}

TEST_F(stage2_with_tokens, asks_for_keys_once) {
  EXPECT_TRUE(waits(authenticated(with({"Authorization: Bearer " + token("https://idp.test")}))));
  ASSERT_TRUE(entrance.waiting);
  EXPECT_EQ(no(authenticate_step::run(std::move(*entrance.waiting), desk)).why,
            reason::unauthenticated)
      << "they did not come";
  EXPECT_EQ(entrance.asked_keys, 1U);
}

TEST_F(stage2_with_tokens, does_not_wait_where_asking_is_in_vain) {
  entrance.keys_come = false;
  EXPECT_EQ(no(authenticated(with({"Authorization: Bearer " + token("https://idp.test")}))).why,
            reason::unauthenticated);
}

}  // namespace
}  // namespace gate::pipeline
