#include "protocol/endpoints.hpp"

#include <gtest/gtest.h>

namespace gate {
namespace {

TEST(endpoints, are_found_by_their_path) {
  for (const auto& e : endpoints) {
    EXPECT_EQ(find_endpoint(e.path), &e);
    const auto below = std::string(e.path) + "/x";
    EXPECT_EQ(find_endpoint(below), e.tree ? &e : nullptr) << below;
    EXPECT_EQ(find_endpoint(std::string(e.path) + "x"), nullptr);
    EXPECT_EQ(find_endpoint(e.path.substr(0, e.path.size() - 1)), nullptr);
  }
  for (const auto path : {"", "/", "/healthz", "/mcp", "/.well-known/", "/HEALTH"})
    EXPECT_EQ(find_endpoint(path), nullptr) << path;
}

TEST(endpoints, say_what_they_are) {
  for (const auto& e : endpoints) {
    EXPECT_FALSE(e.meaning.empty()) << e.path;
    EXPECT_FALSE(e.verbs.contains(verb::options)) << e.path;
    EXPECT_NE(e.verbs.allow(), "\r\n") << e.path << " knows no method";
  }
}

TEST(endpoints, refuse_in_the_words_of_their_row) {
  const auto get = wrong_verb(row(endpoint::health));
  EXPECT_EQ(get.why, reason::method_not_allowed);
  EXPECT_EQ(get.message, "use GET");
  EXPECT_EQ(get.headers, "Allow: GET\r\n");
  const auto post = wrong_verb(row(endpoint::token));
  EXPECT_EQ(post.message, "use POST");
  EXPECT_EQ(post.headers, "Allow: POST\r\n");
  EXPECT_EQ(no_endpoint("/mcp").why, reason::not_found);
  EXPECT_EQ(no_endpoint("/mcp").message, "no such endpoint: MCP is at /mcp");
  EXPECT_EQ(no_endpoint("").message, "no such endpoint");
}

}  // namespace
}  // namespace gate
