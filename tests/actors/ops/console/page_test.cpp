#include "actors/ops/console/page.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "actors/ops/console/asset.hpp"

namespace gate::console {
namespace {

using headers = std::vector<http::header>;

bool has(const page& p, std::string_view line) {
  return ("\r\n" + p.headers).find("\r\n" + std::string(line) + "\r\n") != std::string::npos;
}

TEST(console_assets, are_in_order_and_whole) {
  std::string_view before;
  for (const auto& a : assets()) {
    EXPECT_LT(before, a.path);
    before = a.path;
    EXPECT_EQ(a.digest.size(), 32U) << a.path;
    EXPECT_FALSE(a.plain.empty()) << a.path;
    EXPECT_EQ(find_asset(a.path), &a);
    // RFC 1952: magic, deflate; no time, so that the same files make the same program; and at the
    // end how long it was.
    ASSERT_GT(a.packed.size(), 18U) << a.path;
    EXPECT_EQ(a.packed.substr(0, 3), "\x1f\x8b\x08") << a.path;
    EXPECT_EQ(a.packed.substr(4, 4), std::string(4, '\0')) << a.path;
    std::uint32_t length = 0;
    for (const char c : {a.packed[a.packed.size() - 1], a.packed[a.packed.size() - 2],
                         a.packed[a.packed.size() - 3], a.packed[a.packed.size() - 4]})
      length = length << 8 | static_cast<unsigned char>(c);
    EXPECT_EQ(length, a.plain.size()) << a.path;
  }
  ASSERT_TRUE(find_asset("index.html"));
  EXPECT_EQ(find_asset(""), find_asset("index.html"));
}

TEST(console_assets, are_found_by_their_exact_path) {
  for (const auto path : {"x", "index.htm", "index.html/", "/index.html", "INDEX.HTML", "vendor",
                          "vendor/", "../page.cpp", "./app.js", "vendor/../app.js", "%61pp.js"})
    EXPECT_EQ(find_asset(path), nullptr) << path;
}

/// The page and what it needs take less than 120 kB on the wire.
TEST(console_assets, are_small) {
  std::size_t all = 0;
  for (const auto& a : assets()) all += a.packed.size();
  EXPECT_LE(all, 100'000U);
}

TEST(console_page, is_there_below_its_path) {
  EXPECT_TRUE(is_there("/console"));
  EXPECT_TRUE(is_there("/console/"));
  EXPECT_TRUE(is_there("/console/vendor/lit-html.js"));
  for (const auto path : {"/console//", "/console/x", "/console/index.html/", "/console/vendor/",
                          "/console/./", "/console/../health"})
    EXPECT_FALSE(is_there(path)) << path;
}

TEST(console_page, leads_to_its_folder) {
  const auto p = answer("/console", {}, {});
  EXPECT_EQ(p.status, 308);
  EXPECT_EQ(p.headers, "Location: console/\r\n");
  EXPECT_TRUE(p.body.empty());
}

TEST(console_page, keeps_browsers_to_itself) {
  for (const auto& a : assets()) {
    const auto p = answer("/console/" + std::string(a.path), {}, {});
    EXPECT_EQ(p.status, 200);
    EXPECT_EQ(p.type, a.type);
    EXPECT_EQ(p.body, a.plain);
    EXPECT_TRUE(has(p, "X-Frame-Options: DENY"));
    EXPECT_TRUE(has(p, "Referrer-Policy: no-referrer"));
    EXPECT_TRUE(has(p, "X-Content-Type-Options: nosniff"));
    EXPECT_TRUE(has(p, "Cache-Control: no-cache"));
    EXPECT_TRUE(has(p, "Vary: Accept-Encoding"));
    EXPECT_TRUE(has(p, "Content-Security-Policy: " + content_policy({})));
  }
  EXPECT_TRUE(content_policy({}).starts_with("default-src 'self'; connect-src 'self'; "));
  EXPECT_EQ(content_policy({}).find("unsafe"), std::string::npos);
}

TEST(console_page, may_ask_the_issuer_for_a_token) {
  config::document d;
  d.auth.issuers.emplace_back().url = "https://exchange.test";
  d.auth.issuers.back().mode = config::issuer_mode::exchange;
  d.auth.issuers.emplace_back().url = "https://Direct.test/tenant/a?b";
  EXPECT_NE(content_policy(d).find("connect-src 'self';"), std::string::npos) << "nobody signs in";
  d.server.console.oauth.emplace().client_id = "c";
  EXPECT_NE(content_policy(d).find("connect-src 'self';"), std::string::npos) << "nobody has to";
  d.auth.mode = config::auth_mode::required;
  EXPECT_NE(content_policy(d).find("connect-src 'self' https://direct.test;"), std::string::npos);
  d.server.console.oauth->issuer = "http://127.0.0.1:99/x";
  EXPECT_NE(content_policy(d).find("connect-src 'self' http://127.0.0.1:99;"), std::string::npos);
  d.server.console.oauth->issuer = "https://[::1]:99/x";
  EXPECT_NE(content_policy(d).find("connect-src 'self';"), std::string::npos);
  d.server.console.oauth->issuer = "https://a.test;script-src *";
  EXPECT_EQ(content_policy(d).find("script-src *"), std::string::npos);
}

TEST(console_page, is_sent_once) {
  const auto first = answer("/console/", {}, {});
  const auto at = first.headers.find("ETag: ") + 6;
  const auto tag = first.headers.substr(at, first.headers.find('\r', at) - at);
  for (const auto& asked : {tag, tag.substr(2), "\"x\", " + tag, std::string("*")}) {
    const auto again = answer("/console/", headers{{"if-none-match", asked}}, {});
    EXPECT_EQ(again.status, 304) << asked;
    EXPECT_TRUE(again.body.empty());
    EXPECT_TRUE(has(again, "ETag: " + tag));
  }
  for (const auto asked : {"\"x\"", "", "**", "W/\"\""})
    EXPECT_EQ(answer("/console/", headers{{"if-none-match", asked}}, {}).status, 200) << asked;
}

TEST(console_page, is_packed_for_who_takes_that) {
  for (const auto yes : {"gzip", "br, GZIP", "gzip;q=0.1", "deflate;q=0, gzip ;q=1"})
    EXPECT_TRUE(takes_gzip(yes)) << yes;
  for (const auto no : {"", "br", "gzip;q=0", "gzip; q=0.000", "x-gzip", "gzipped", ","})
    EXPECT_FALSE(takes_gzip(no)) << no;
  const auto packed = answer("/console/", headers{{"accept-encoding", "gzip, br"}}, {});
  EXPECT_EQ(packed.body, find_asset("")->packed);
  EXPECT_TRUE(has(packed, "Content-Encoding: gzip"));
  EXPECT_FALSE(has(answer("/console/", {}, {}), "Content-Encoding: gzip"));
}

}  // namespace
}  // namespace gate::console
