#include "actors/webhooks/console/page.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gate::hooks {
namespace {

using headers = std::vector<http::header>;

TEST(hooks_page, is_its_own) {
  const auto page = console_page("/console/", {});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_NE(page->body.find("gate-hooks"), std::string_view::npos);
  EXPECT_TRUE(console_page("/console/pages/dead.js", {}));
  EXPECT_FALSE(console_page("/console/jump.js", {})) << "of the page of the gateway";
  for (const auto path : {"/console/x", "/consoles", "/webhooks", "/"})
    EXPECT_FALSE(console_page(path, {})) << path;
  EXPECT_EQ(console_page("/console", {})->status, 308);
}

TEST(hooks_page, talks_to_nobody_else) {
  const auto page = console_page("/console/app.js", {});
  ASSERT_TRUE(page);
  EXPECT_NE(page->headers.find("Content-Security-Policy: default-src 'self'; connect-src 'self';"),
            std::string::npos);
}

TEST(hooks_page, is_packed_and_asked_for_again) {
  const auto packed = console_page("/console/app.js", headers{{"accept-encoding", "gzip"}});
  EXPECT_NE(packed->headers.find("Content-Encoding: gzip\r\n"), std::string::npos);
  const auto same = console_page("/console/app.js", headers{{"if-none-match", "*"}});
  EXPECT_EQ(same->status, 304);
}

}  // namespace
}  // namespace gate::hooks
