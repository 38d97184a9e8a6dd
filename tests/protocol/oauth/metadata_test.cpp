#include "protocol/oauth/metadata.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace gate::oauth {
namespace {

namespace bj = boost::json;

TEST(metadata, of_the_resource) {
  resource_facts f{"https://gate.example/mcp", {"https://a.example", "https://b.example/\"x\""}};
  const auto plain = bj::parse(resource_metadata(f)).as_object();
  EXPECT_EQ(plain.at("resource"), "https://gate.example/mcp");
  EXPECT_EQ(plain.at("authorization_servers"),
            (bj::array{"https://a.example", "https://b.example/\"x\""}));
  EXPECT_EQ(plain.at("bearer_methods_supported"), bj::array{"header"});
  EXPECT_EQ(plain.size(), 3u);
  f.enterprise_managed = true;
  const auto managed = bj::parse(resource_metadata(f)).as_object();
  EXPECT_TRUE(managed.at("extensions")
                  .at("io.modelcontextprotocol/enterprise-managed-authorization")
                  .is_object());
  f.authorization_servers.clear();
  EXPECT_FALSE(bj::parse(resource_metadata(f)).as_object().contains("authorization_servers"));
}

TEST(metadata, where_the_resource_is_described) {
  const auto url = [](std::string_view resource, std::string_view base = "https://h") {
    return resource_metadata_url(base, http::parse_url(resource).value());
  };
  EXPECT_EQ(url("https://h/mcp"), "https://h/.well-known/oauth-protected-resource/mcp");
  EXPECT_EQ(url("https://h"), "https://h/.well-known/oauth-protected-resource");
  EXPECT_EQ(url("https://h/"), "https://h/.well-known/oauth-protected-resource");
  EXPECT_EQ(url("https://h/a/b/"), "https://h/.well-known/oauth-protected-resource/a/b/");
  EXPECT_EQ(url("https://h/a?k=v"), "https://h/.well-known/oauth-protected-resource/a?k=v");
  EXPECT_EQ(url("https://h?k=v"), "https://h/.well-known/oauth-protected-resource?k=v");
  EXPECT_EQ(url("https://h/mcp", "http://127.0.0.1:8080"),
            "http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp");
}

TEST(metadata, of_the_server) {
  const auto m = bj::parse(server_metadata("https://gate.example")).as_object();
  EXPECT_EQ(m.at("issuer"), "https://gate.example");
  EXPECT_EQ(m.at("token_endpoint"), "https://gate.example/oauth/token");
  EXPECT_EQ(m.at("jwks_uri"), "https://gate.example/.well-known/jwks.json");
  EXPECT_EQ(m.at("grant_types_supported"),
            bj::array{"urn:ietf:params:oauth:grant-type:jwt-bearer"});
  EXPECT_EQ(m.at("authorization_grant_profiles_supported"),
            bj::array{"urn:ietf:params:oauth:grant-profile:id-jag"});
  EXPECT_EQ(m.at("response_types_supported"), bj::array{});
  EXPECT_EQ(m.at("token_endpoint_auth_methods_supported").as_array().front(), "none");
  EXPECT_EQ(m.at("authorization_endpoint"), "https://gate.example/oauth/authorize")
      << "official clients refuse metadata without it";
  EXPECT_EQ(m.size(), 8u);
}

TEST(metadata, challenges) {
  const auto url = "https://h/.well-known/oauth-protected-resource/mcp";
  EXPECT_EQ(challenge(url),
            "WWW-Authenticate: Bearer resource_metadata=\"https://h/.well-known/"
            "oauth-protected-resource/mcp\"\r\n");
  EXPECT_EQ(challenge("u", "invalid_token", "the token has expired"),
            "WWW-Authenticate: Bearer resource_metadata=\"u\", error=\"invalid_token\", "
            "error_description=\"the token has expired\"\r\n");
  EXPECT_EQ(challenge("u", "invalid_token"),
            "WWW-Authenticate: Bearer resource_metadata=\"u\", error=\"invalid_token\"\r\n");
  EXPECT_EQ(challenge("u", "", "lost"), "WWW-Authenticate: Bearer resource_metadata=\"u\"\r\n");
  EXPECT_EQ(challenge("u", "e", "a\"b\\c\r\nX: 1\x7f\u00e9"),
            "WWW-Authenticate: Bearer resource_metadata=\"u\", error=\"e\", "
            "error_description=\"a b c  X: 1   \"\r\n")
      << "what a quoted string can not hold is blank";
}

TEST(metadata, error_bodies) {
  EXPECT_EQ(error_body("invalid_grant", "it \"is\" so"),
            R"({"error":"invalid_grant","error_description":"it \"is\" so"})");
  EXPECT_EQ(error_body("invalid_request", ""), R"({"error":"invalid_request"})");
}

}  // namespace
}  // namespace gate::oauth
