#include "actors/identity/sources.hpp"

#include <gtest/gtest.h>

#include "config/validate.hpp"
#include "protocol/json/scan.hpp"
#include "simulations/peers/forge.hpp"

namespace gate::identity {
namespace {

result<authority_ptr> make(const std::string& auth, const std::string& server = "{}",
                           std::optional<std::string> key = {}) {
  auto parsed = config::load(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],"auth":)" +
                             auth + R"(,"server":)" + server + "}");
  for (const auto& p : parsed.problems) ADD_FAILURE() << config::to_line(p);
  return make_authority(parsed.doc, key);
}

std::string auth(std::string_view issuers, std::string_view resource = "https://g.test/mcp") {
  return R"({"mode":"required","resource":")" + std::string(resource) + R"(","issuers":[)" +
         std::string(issuers) + "]}";
}

std::string with_ema(std::string_view issuers, std::string_view idp = "https://idp.test") {
  return R"({"mode":"required","resource":"https://g.test/mcp","issuers":[)" +
         std::string(issuers) + R"(],"ema":{"idpIssuer":")" + std::string(idp) +
         R"(","signingKeyRef":"KEY"}})";
}

const std::string& good_key() {
  static const auto text = oauth::key_file("p256");
  return text;
}

TEST(an_authority, of_nothing_asks_for_nothing) {
  auto a = make(R"({"mode":"disabled"})");
  ASSERT_TRUE(a);
  EXPECT_FALSE((*a)->required);
  EXPECT_TRUE((*a)->published.resource_metadata_paths.empty());
}

TEST(an_authority, knows_where_keys_are) {
  auto a = make(auth(R"({"issuer":"https://one.test/t/"},
                        {"issuer":"https://two.test","jwksUri":"https://k.test/keys?x"})"));
  ASSERT_TRUE(a);
  const auto& sources = (*a)->sources;
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0].url.target, "/t/.well-known/jwks.json");
  EXPECT_EQ(sources[1].url.origin() + sources[1].url.target, "https://k.test:443/keys?x");
  EXPECT_EQ((*a)->issuers[0].issuer, "https://one.test/t/") << "as tokens say it";
}

TEST(an_authority, publishes_its_metadata_where_clients_look) {
  auto a = make(auth(R"({"issuer":"https://one.test"})", "https://g.test:8443/team/mcp"),
                R"({"mcpPath":"/x"})");
  ASSERT_TRUE(a);
  const auto& p = (*a)->published;
  EXPECT_EQ(p.metadata_url, "https://g.test:8443/.well-known/oauth-protected-resource/team/mcp");
  EXPECT_EQ(p.resource_metadata_paths,
            (std::vector<std::string>{"/.well-known/oauth-protected-resource",
                                      "/.well-known/oauth-protected-resource/x",
                                      "/.well-known/oauth-protected-resource/team/mcp"}));
  EXPECT_TRUE(p.server_metadata.empty());
  auto moved =
      make(auth(R"({"issuer":"https://one.test"})"), R"({"publicUrl":"https://public.test/"})");
  ASSERT_TRUE(moved);
  EXPECT_EQ((*moved)->published.metadata_url,
            "https://public.test/.well-known/oauth-protected-resource/mcp");
}

TEST(an_authority, that_mints_is_an_issuer_too) {
  auto a = make(with_ema(R"({"issuer":"https://one.test"},
                            {"issuer":"https://idp.test","mode":"exchange","groupsClaim":"g"})"),
                "{}", good_key());
  ASSERT_TRUE(a);
  ASSERT_EQ((*a)->issuers.size(), 2U);
  EXPECT_EQ((*a)->issuers[1].issuer, "https://g.test");
  EXPECT_FALSE((*a)->issuers[1].source);
  EXPECT_EQ((*a)->idp_groups_claim, "g");
  EXPECT_EQ((*a)->sources[(*a)->idp_source].issuer, "https://idp.test");
  EXPECT_EQ(json::member((*a)->published.resource_metadata, "authorization_servers"),
            R"(["https://one.test","https://g.test"])");
}

TEST(an_authority, without_a_usable_key_is_refused_without_quoting_it) {
  for (auto key : {std::optional<std::string>{}, std::optional<std::string>{"secret nonsense"},
                   std::optional<std::string>{oauth::key_file("rsa_2048")}}) {
    auto a = make(with_ema(""), "{}", key);
    ASSERT_FALSE(a);
    EXPECT_EQ(a.error().what.find("/auth/ema/signingKeyRef: "), 0U) << a.error().what;
    EXPECT_EQ(a.error().what.find("nonsense"), std::string::npos);
    EXPECT_NE(a.error().what.find("KEY"), std::string::npos) << "the operator is told which";
  }
}

TEST(an_authority, is_nobody_elses_issuer) {
  for (auto text : {with_ema(R"({"issuer":"https://g.test/"})"), with_ema("", "https://g.test")}) {
    auto a = make(text, "{}", good_key());
    ASSERT_FALSE(a);
    EXPECT_EQ(a.error().what.find("/server/publicUrl: "), 0U);
    EXPECT_TRUE(make(text, R"({"publicUrl":"https://gate.g.test"})", good_key()));
  }
}

}  // namespace
}  // namespace gate::identity
