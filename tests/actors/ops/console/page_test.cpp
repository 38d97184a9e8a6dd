#include "actors/ops/console/page.hpp"

#include <gtest/gtest.h>

namespace gate::ops {
namespace {

TEST(gateway_page, is_served_with_its_policy) {
  EXPECT_TRUE(console_is_there("/console/"));
  EXPECT_TRUE(console_is_there("/console/jump.js"));
  EXPECT_FALSE(console_is_there("/console/ask.js")) << "of the page of gate-hooks";
  EXPECT_FALSE(console_is_there("/consoles"));
  config::document d;
  d.auth.mode = config::auth_mode::required;
  d.auth.issuers.emplace_back().url = "https://direct.test/tenant";
  d.server.console.oauth.emplace().client_id = "c";
  const auto page = console_page("/console/", {}, d);
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.headers.find("connect-src 'self' https://direct.test;"), std::string::npos);
  EXPECT_NE(page.body.find("app.js"), std::string_view::npos);
}

TEST(gateway_page, may_ask_the_issuer_for_a_token) {
  config::document d;
  d.auth.issuers.emplace_back().url = "https://exchange.test";
  d.auth.issuers.back().mode = config::issuer_mode::exchange;
  d.auth.issuers.emplace_back().url = "https://Direct.test/tenant/a?b";
  EXPECT_EQ(console_issuer_origin(d), "") << "nobody signs in";
  d.server.console.oauth.emplace().client_id = "c";
  EXPECT_EQ(console_issuer_origin(d), "") << "nobody has to";
  d.auth.mode = config::auth_mode::required;
  EXPECT_EQ(console_issuer_origin(d), "https://direct.test");
  d.server.console.oauth->issuer = "http://127.0.0.1:99/x";
  EXPECT_EQ(console_issuer_origin(d), "http://127.0.0.1:99");
  d.server.console.oauth->issuer = "https://[::1]:99/x";
  EXPECT_EQ(console_issuer_origin(d), "");
  d.server.console.oauth->issuer = "https://a.test;script-src *";
  EXPECT_EQ(console_issuer_origin(d).find('*'), std::string::npos);
}

}  // namespace
}  // namespace gate::ops
