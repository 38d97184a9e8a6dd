#include "actors/console/page.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "actors/console/asset.hpp"

namespace gate::console {
namespace {

using headers = std::vector<http::header>;

bool has(const page& p, std::string_view line) {
  return ("\r\n" + p.headers).find("\r\n" + std::string(line) + "\r\n") != std::string::npos;
}

/// Both pages: whatever is so of one is so of the other.
class console_files : public testing::TestWithParam<files (*)()> {
 protected:
  files all() const { return GetParam()(); }
};
INSTANTIATE_TEST_SUITE_P(pages, console_files, testing::Values(&gateway_files, &hooks_files),
                         [](const auto& page) {
                           return page.param == &gateway_files ? "gateway" : "hooks";
                         });

TEST_P(console_files, are_in_order_and_whole) {
  std::string_view before;
  for (const auto& a : all()) {
    EXPECT_LT(before, a.path);
    before = a.path;
    EXPECT_EQ(a.digest.size(), 32U) << a.path;
    EXPECT_FALSE(a.plain.empty()) << a.path;
    EXPECT_EQ(find_asset(all(), a.path), &a);
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
  ASSERT_TRUE(find_asset(all(), "index.html"));
  EXPECT_EQ(find_asset(all(), ""), find_asset(all(), "index.html"));
  for (const auto shared : {"style.css", "common.js", "place.js", "vendor/lit-html.js"})
    EXPECT_TRUE(find_asset(all(), shared)) << shared;
}

TEST_P(console_files, are_found_by_their_exact_path) {
  for (const auto path : {"x", "index.htm", "index.html/", "/index.html", "INDEX.HTML", "vendor",
                          "vendor/", "../page.cpp", "./app.js", "vendor/../app.js", "%61pp.js"})
    EXPECT_EQ(find_asset(all(), path), nullptr) << path;
}

/// A page and what it needs take less than 120 kB on the wire.
TEST_P(console_files, are_small) {
  std::size_t packed = 0;
  for (const auto& a : all()) packed += a.packed.size();
  EXPECT_LE(packed, 100'000U);
}

TEST_P(console_files, are_there_below_their_path) {
  EXPECT_TRUE(is_there(all(), "/console"));
  EXPECT_TRUE(is_there(all(), "/console/"));
  EXPECT_TRUE(is_there(all(), "/console/vendor/lit-html.js"));
  for (const auto path :
       {"/console//", "/console/x", "/console/index.html/", "/console/vendor/", "/console/./",
        "/console/../health", "/consoles", "/consolexstyle.css", "/health", "", "/"})
    EXPECT_FALSE(is_there(all(), path)) << path;
}

TEST_P(console_files, lead_to_their_folder) {
  const auto p = answer(all(), "/console", {});
  EXPECT_EQ(p.status, 308);
  EXPECT_EQ(p.headers, "Location: console/\r\n");
  EXPECT_TRUE(p.body.empty());
}

TEST_P(console_files, keep_browsers_to_themselves) {
  for (const auto& a : all()) {
    const auto p = answer(all(), "/console/" + std::string(a.path), {});
    EXPECT_EQ(p.status, 200);
    EXPECT_EQ(p.type, a.type);
    EXPECT_EQ(p.body, a.plain);
    EXPECT_TRUE(has(p, "X-Frame-Options: DENY"));
    EXPECT_TRUE(has(p, "Referrer-Policy: no-referrer"));
    EXPECT_TRUE(has(p, "X-Content-Type-Options: nosniff"));
    EXPECT_TRUE(has(p, "Cache-Control: no-cache"));
    EXPECT_TRUE(has(p, "Vary: Accept-Encoding"));
    EXPECT_TRUE(has(p, "Content-Security-Policy: " + policy_with({})));
  }
}

TEST(console_policy, has_its_own_origin_and_perhaps_another) {
  EXPECT_TRUE(policy_with({}).starts_with("default-src 'self'; connect-src 'self'; "));
  EXPECT_TRUE(policy_with("https://login.test")
                  .starts_with("default-src 'self'; connect-src 'self' https://login.test; "));
  EXPECT_EQ(policy_with({}).find("unsafe"), std::string::npos);
}

TEST_P(console_files, are_sent_once) {
  const auto first = answer(all(), "/console/", {});
  const auto at = first.headers.find("ETag: ") + 6;
  const auto tag = first.headers.substr(at, first.headers.find('\r', at) - at);
  for (const auto& asked : {tag, tag.substr(2), "\"x\", " + tag, std::string("*")}) {
    const auto again = answer(all(), "/console/", headers{{"if-none-match", asked}});
    EXPECT_EQ(again.status, 304) << asked;
    EXPECT_TRUE(again.body.empty());
    EXPECT_TRUE(has(again, "ETag: " + tag));
  }
  for (const auto asked : {"\"x\"", "", "**", "W/\"\""})
    EXPECT_EQ(answer(all(), "/console/", headers{{"if-none-match", asked}}).status, 200) << asked;
}

TEST_P(console_files, are_packed_for_who_takes_that) {
  for (const auto yes : {"gzip", "br, GZIP", "gzip;q=0.1", "deflate;q=0, gzip ;q=1"})
    EXPECT_TRUE(takes_gzip(yes)) << yes;
  for (const auto no : {"", "br", "gzip;q=0", "gzip; q=0.000", "x-gzip", "gzipped", ","})
    EXPECT_FALSE(takes_gzip(no)) << no;
  const auto packed = answer(all(), "/console/", headers{{"accept-encoding", "gzip, br"}});
  EXPECT_EQ(packed.body, find_asset(all(), "")->packed);
  EXPECT_TRUE(has(packed, "Content-Encoding: gzip"));
  EXPECT_FALSE(has(answer(all(), "/console/", {}), "Content-Encoding: gzip"));
}

}  // namespace
}  // namespace gate::console
