#include "actors/webhooks/console/page.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gate::hooks {
namespace {

using headers = std::vector<http::header>;

TEST(hooks_page, is_its_own) {
  const auto page = console_page("/console/", {});
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_NE(page.body.find("gate-hooks"), std::string::npos);
  EXPECT_EQ(console_page("/console/pages/dead.js", {}).status, 200);
  EXPECT_EQ(console_page("/console", {}).status, 308);
}

TEST(hooks_page, is_not_everywhere) {
  // `jump.js` is of the page of the gateway.
  for (const auto path : {"/console/jump.js", "/console/x", "/consoles", "/webhooks", "/"}) {
    const auto none = console_page(path, {});
    EXPECT_EQ(none.status, 404) << path;
    EXPECT_NE(none.body.find("NOT_FOUND"), std::string::npos) << path;
  }
}

TEST(hooks_page, talks_to_nobody_else) {
  const auto page = console_page("/console/app.js", {});
  EXPECT_NE(page.headers.find("Content-Security-Policy: default-src 'self'; connect-src 'self';"),
            std::string::npos);
}

TEST(hooks_page, is_packed_and_asked_for_again) {
  const auto packed = console_page("/console/app.js", headers{{"accept-encoding", "gzip"}});
  EXPECT_NE(packed.headers.find("Content-Encoding: gzip\r\n"), std::string::npos);
  const auto same = console_page("/console/app.js", headers{{"if-none-match", "*"}});
  EXPECT_EQ(same.status, 304);
  EXPECT_TRUE(same.body.empty());
}

}  // namespace
}  // namespace gate::hooks
