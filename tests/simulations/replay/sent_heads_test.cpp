#include "simulations/replay/sent_heads.hpp"

#include <gtest/gtest.h>

namespace gate::replay {
namespace {

TEST(sent_heads, the_same_head_is_sent_again_and_another_is_another) {
  sent_heads heads;
  const std::vector<std::string> lines{"Host: a", "Accept: b"};
  const auto one = heads.of(verb::post, "/mcp", lines, false);
  EXPECT_EQ(heads.of(verb::post, "/mcp", lines, false), one);
  EXPECT_EQ(one->target, "/mcp");
  ASSERT_EQ(one->headers.size(), 2U);
  EXPECT_EQ(one->headers[1].value, "b");
  for (const auto& other :
       {heads.of(verb::get, "/mcp", lines, false), heads.of(verb::post, "/mcp", lines, true),
        heads.of(verb::post, "/mc", lines, false), heads.of(verb::post, "/mcp", {"Host: a"}, false),
        heads.of(verb::post, "/mcp", {"Accept: b", "Host: a"}, false)})
    EXPECT_NE(other, one);
}

}  // namespace
}  // namespace gate::replay
