#include "actors/identity/token_digests.hpp"

#include <gtest/gtest.h>

#include <string>

#include "protocol/limits.hpp"

namespace gate::identity {
namespace {

/// A header that shows this token; `recognisable`: others can be recognised by it.
http::head_ptr head_with(std::string_view token, bool recognisable = true) {
  auto out = std::make_shared<http::received_head>();
  out->method = verb::post;
  out->block = "POST /mcp HTTP/1.1\r\nContent-Length: 7\r\nAuthorization: Bearer ";
  out->block.append(token).append("\r\n\r\n");
  const std::string_view text = out->block;
  out->headers.push_back({"Content-Length", text.substr(text.find('7'), 1)});
  out->headers.push_back({"Authorization", text.substr(text.find("Bearer"), 7 + token.size())});
  out->look_up(recognisable);
  EXPECT_EQ(out->shown.token, token);
  return out;
}

TEST(token_digests, are_those_of_the_tokens) {
  token_digests digests;
  const sha256 plain;
  const auto a = head_with("aaa"), b = head_with("bbb"), c = head_with("ccc", false);
  for (int again = 0; again < 3; ++again)
    for (const auto& head : {a, b, c})
      EXPECT_EQ(digests.of(head->shown.token, head), plain(head->shown.token));
}

// Told apart by a token that is not the header's own: it is not looked at a second time.
TEST(token_digests, a_header_that_comes_again_is_not_hashed_again) {
  token_digests digests;
  const auto head = head_with("aaa"), other = head_with("aaa", false);
  const auto first = digests.of("aaa", head);
  EXPECT_EQ(digests.of("bbb", head), first);
  EXPECT_EQ(digests.of("aaa", other), first);
  EXPECT_NE(digests.of("bbb", other), first) << "nothing is recognised by it";
}

// Each takes the place that the one before has left, as far as the allocator lets it.
TEST(token_digests, a_header_in_the_place_of_one_that_is_gone_is_another) {
  token_digests digests;
  const sha256 plain;
  for (int i = 0; i < 1000; ++i) {
    const auto head = head_with(std::to_string(i));
    ASSERT_EQ(digests.of(head->shown.token, head), plain(std::to_string(i)));
  }
}

TEST(token_digests, more_headers_than_there_are_places_are_all_told_apart) {
  token_digests digests;
  const sha256 plain;
  std::vector<http::head_ptr> heads;
  for (std::size_t i = 0; i < 3 * limits::known_heads; ++i)
    heads.push_back(head_with(std::to_string(i)));
  for (int again = 0; again < 2; ++again)
    for (const auto& head : heads)
      ASSERT_EQ(digests.of(head->shown.token, head), plain(head->shown.token));
}

}  // namespace
}  // namespace gate::identity
