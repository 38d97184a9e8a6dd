#include "protocol/oauth/grant.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"
#include "protocol/oauth/form.hpp"

namespace gate::oauth {
namespace {

using std::chrono::seconds;

constexpr client_identity in_header{"gate", "s3cret/+", true};
constexpr client_identity in_body{"gate", "s3cret/+", false};

const std::vector<std::string> none;

TEST(grant, client_credentials_with_basic) {
  const std::vector<std::string> scopes{"a", "b:c"};
  const auto r = client_credentials_request(in_header, {scopes, "https://up.example/mcp"});
  EXPECT_EQ(r.headers,
            "Content-Type: application/x-www-form-urlencoded\r\nAccept: application/json\r\n"
            "Authorization: " +
                basic_credentials("gate", "s3cret/+") + "\r\n");
  EXPECT_EQ(r.body,
            "grant_type=client_credentials&scope=a+b%3Ac&resource=https%3A%2F%2Fup.example%2Fmcp");
}

TEST(grant, client_credentials_in_the_body) {
  const auto r = client_credentials_request(in_body, {none});
  EXPECT_EQ(r.headers.find("Authorization"), std::string::npos);
  EXPECT_EQ(r.body, "grant_type=client_credentials&client_id=gate&client_secret=s3cret%2F%2B");
  EXPECT_EQ(client_credentials_request({"gate", "", false}, {none}).body,
            "grant_type=client_credentials&client_id=gate")
      << "a client without a secret";
}

TEST(grant, secrets_can_not_leave_their_line) {
  const std::vector<std::string> scopes{"c\r\nd"};
  const auto r = client_credentials_request({"a\r\nX: 1", "b\r\n\r\n", true}, {scopes, "e\r\n"});
  EXPECT_EQ(std::count(r.headers.begin(), r.headers.end(), '\n'), 3);
  EXPECT_EQ(r.body.find_first_of("\r\n"), std::string::npos);
}

TEST(grant, token_exchange) {
  const std::vector<std::string> scopes{"x"};
  const auto r = token_exchange_request(in_header, {scopes, "", "https://up.example", "ey.J+/="});
  const auto f = read_form(r.body).value();
  EXPECT_EQ(field(f, "grant_type"), "urn:ietf:params:oauth:grant-type:token-exchange");
  EXPECT_EQ(field(f, "subject_token"), "ey.J+/=");
  EXPECT_EQ(field(f, "subject_token_type"), "urn:ietf:params:oauth:token-type:access_token");
  EXPECT_EQ(field(f, "requested_token_type"), "urn:ietf:params:oauth:token-type:access_token");
  EXPECT_EQ(field(f, "audience"), "https://up.example");
  EXPECT_EQ(field(f, "scope"), "x");
  EXPECT_EQ(f.size(), 6u);
  EXPECT_NE(r.headers.find("Authorization: Basic "), std::string::npos);
  const auto g = read_form(token_exchange_request(in_body, {none, "", "", "t"}).body).value();
  EXPECT_EQ(field(g, "client_secret"), "s3cret/+");
  EXPECT_EQ(field(g, "audience"), "");
  EXPECT_EQ(g.size(), 6u);
}

std::string why(int status, std::string_view body) {
  const auto t = read_token_response(status, body);
  return t ? "" : t.error().what;
}

/// A good answer but for what `more` says.
std::string answer(const std::string& more) {
  return R"({"access_token":"t0ken","token_type":"Bearer")" + more + "}";
}

TEST(grant, a_token) {
  const auto t =
      read_token_response(200, answer(R"(,"expires_in":3600,"scope":"a","x":{"y":1})")).value();
  EXPECT_EQ(t.value, "t0ken");
  EXPECT_EQ(t.lifetime, seconds(3600));
  EXPECT_FALSE(read_token_response(200, answer("")).value().lifetime.has_value());
  EXPECT_EQ(why(200, R"({"token_type":"bEaReR","access_token":"a"})"), "");
}

TEST(grant, lifetimes) {
  const auto life = [](const std::string& value) {
    const auto t = read_token_response(200, answer(R"(,"expires_in":)" + value));
    return t ? t->lifetime.value_or(seconds(-2)).count() : -1;
  };
  EXPECT_EQ(life("0"), 0);
  EXPECT_EQ(life("299"), 299);
  EXPECT_EQ(life("3599.9"), 3599);
  EXPECT_EQ(life("3.6e3"), 3600);
  EXPECT_EQ(life("\"3600\""), 3600) << "against the RFC, and common";
  EXPECT_EQ(life("\"0060\""), 60);
  EXPECT_EQ(life("\"000\""), 0);
  EXPECT_EQ(life("9223372036854775807"), limits::token_life_most.count());
  EXPECT_EQ(life("\"9223372036854775807\""), limits::token_life_most.count());
  EXPECT_EQ(life("1e300"), limits::token_life_most.count());
  for (const char* bad : {"-1", "-0.5", "\"\"", "\"-1\"", "\"3600s\"", "\"3.6e3\"", "\" 60\"",
                          "\"1h\"", "null", "true", "[]", "{}", "[60]", "1e400"})
    EXPECT_EQ(life(bad), -1) << bad;
}

TEST(grant, tokens_that_fit_a_header_line) {
  const auto token = [](const std::string& value) {
    return why(200, R"({"token_type":"Bearer","access_token":)" + value + "}");
  };
  for (const char* good : {"\"a\"", "\"aZ09-._~+/==\"", "\"a\\u0062\"", "\"ey.J.x\""})
    EXPECT_EQ(token(good), "") << good;
  for (const char* bad : {"\"\"", "\"=\"", "\"a b\"", "\"a\\r\\nX: 1\"", "\"a\\u0000\"", "\"a=b\"",
                          "\"\u00e9\"", "\"a,b\"", "\"a\\\"\"", "\"a\\t\""})
    EXPECT_EQ(token(bad), "the token endpoint's token does not fit a header line") << bad;
  for (const char* none : {"1", "null", "{}", "[\"a\"]"})
    EXPECT_EQ(token(none), "the token endpoint's answer holds no token") << none;
}

TEST(grant, other_answers) {
  EXPECT_EQ(why(200, R"({"access_token":"a","token_type":"N_A"})"),
            "the token endpoint's token is not a Bearer token");
  EXPECT_EQ(why(200, R"({"access_token":"a","token_type":"DPoP"})"),
            "the token endpoint's token is not a Bearer token");
  for (const char* body :
       {"{}", R"({"access_token":"a"})", R"({"token_type":"Bearer"})",
        R"({"access_token":"a","token_type":1})", R"({"error":"invalid_client"})"})
    EXPECT_EQ(why(200, body), "the token endpoint's answer holds no token") << body;
  for (const char* body : {"", "<html>", "[]", "null", "access_token=a&token_type=bearer",
                           R"({"access_token":"a","token_type":"Bearer")",
                           R"({"access_token":"a","access_token":"b","token_type":"Bearer"})"})
    EXPECT_TRUE(why(200, body).starts_with("the token endpoint's answer ")) << body;
  for (int status : {201, 204, 301, 302, 400, 401, 500})
    EXPECT_NE(why(status, answer("")), "") << status;
}

TEST(grant, refusals_name_the_code_and_nothing_else) {
  EXPECT_EQ(why(400, R"({"error":"invalid_scope","error_description":"SECRET"})"),
            "the token endpoint answered with status 400 (invalid_scope)");
  for (const char* body :
       {"", "<html>SECRET</html>", R"({"error":1})", R"({"error":"SECRET"})",
        R"({"error":"s3cret"})", R"({"error":"a b"})", R"({"error":""})",
        R"({"error":"invalid_client","error":"x"})", R"({"error_description":"SECRET"})",
        R"({"error":{"message":"SECRET"}})", R"({"access_token":"SECRET","token_type":"Bearer"})"})
    EXPECT_EQ(why(401, body), "the token endpoint answered with status 401") << body;
  EXPECT_EQ(why(500, R"({"error":")" + std::string(65, 'a') + "\"}"),
            "the token endpoint answered with status 500");
  for (const char* body : {R"({"access_token":"SEC RET","token_type":"Bearer"})",
                           R"({"access_token":"SECRET","token_type":"x"})",
                           R"({"access_token":"SECRET","token_type":"Bearer","expires_in":-1})",
                           R"({"access_token":"SECRET","access_token":"SECRET"})"})
    EXPECT_EQ(why(200, body).find("SEC"), std::string::npos);
}

}  // namespace
}  // namespace gate::oauth
