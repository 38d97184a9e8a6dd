#include "transport/http/request_intake.hpp"

#include <gtest/gtest.h>

#include <string>

#include "protocol/limits.hpp"

namespace gate::http {
namespace {

constexpr std::size_t largest_taken_in = 256 * 1024;
const std::string post_head = "POST /mcp HTTP/1.1\r\nHost: a.test\r\nContent-Length: ";

std::string posting(std::string_view body) {
  return post_head + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

TEST(request_intake, one_request_at_a_time_and_the_rest_is_kept) {
  known_heads heads;
  request_intake in(largest_taken_in);
  EXPECT_FALSE(in.in_body());
  in.feed(posting("one") + posting("two") + "POST", heads);
  ASSERT_TRUE(in.done());
  EXPECT_TRUE(in.keeps());
  EXPECT_EQ(in.take(heads).body, "one");
  EXPECT_TRUE(in.reusable());
  in.keep(" /mcp HTTP/1.1\r\n");
  in.feed({}, heads);
  ASSERT_TRUE(in.done());
  EXPECT_EQ(in.take(heads).body, "two");
  in.feed("Host: a.test\r\nContent-Length: 5\r\n\r\nthree", heads);
  ASSERT_TRUE(in.done());
  EXPECT_EQ(in.take(heads).body, "three");
  EXPECT_FALSE(in.keeps());
}

TEST(request_intake, says_once_that_a_body_begins) {
  known_heads heads;
  request_intake in(largest_taken_in);
  EXPECT_FALSE(in.feed(post_head, heads));
  EXPECT_TRUE(in.feed("3\r\n\r\na", heads));
  EXPECT_TRUE(in.in_body());
  EXPECT_EQ(in.body_bytes(), 1U);
  EXPECT_FALSE(in.asks()) << "it is short";
  EXPECT_FALSE(in.feed("b", heads));
  EXPECT_FALSE(in.feed("c", heads));
  ASSERT_TRUE(in.done());
  EXPECT_EQ(in.take(heads).body, "abc");
}

TEST(request_intake, what_comes_behind_a_flaw_is_nothing) {
  known_heads heads;
  request_intake in(largest_taken_in);
  in.feed("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + posting("next"), heads);
  ASSERT_TRUE(in.done());
  EXPECT_NE(in.take(heads).flaw, defect::none);
  EXPECT_FALSE(in.reusable());
  EXPECT_FALSE(in.keeps());
}

TEST(request_intake, a_chunk_header_without_end_is_malformed) {
  known_heads heads;
  request_intake in(largest_taken_in);
  in.feed("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", heads);
  const std::string more(1024, '0');
  for (std::size_t sent = 0; sent <= limits::header_bytes + more.size() && !in.done();
       sent += more.size())
    in.feed(more, heads);
  ASSERT_TRUE(in.done());
  EXPECT_EQ(in.take(heads).flaw, defect::malformed);
}

TEST(request_intake, a_large_body_is_taken_in_two_steps) {
  const std::string body(200 * 1024, 'x');
  known_heads heads;
  request_intake in(largest_taken_in);
  in.feed(posting(body).substr(0, 1000), heads);
  ASSERT_TRUE(in.asks());
  const auto header = in.take_header();
  EXPECT_TRUE(header.body_follows);
  EXPECT_FALSE(in.reusable());
  EXPECT_TRUE(in.has_room(true)) << "for a byte that shows that its client is there";
  in.keep("x");
  EXPECT_FALSE(in.has_room(true));
  EXPECT_TRUE(in.has_room(false));
  EXPECT_FALSE(in.expect_body()) << "nobody waits to be told";
  in.feed(posting(body).substr(1001), heads);
  ASSERT_TRUE(in.done());
  EXPECT_EQ(in.take_rest().body, body);
  EXPECT_TRUE(in.reusable());
}

TEST(request_intake, a_body_that_is_held_back) {
  known_heads heads;
  request_intake in(largest_taken_in);
  EXPECT_TRUE(in.feed(post_head + "3\r\nExpect: 100-continue\r\n\r\n", heads));
  ASSERT_TRUE(in.asks());
  in.take_header();
  EXPECT_TRUE(in.expect_body());
  in.feed("abc", heads);
  ASSERT_TRUE(in.done());
  EXPECT_EQ(in.take_rest().body, "abc");
}

TEST(request_intake, a_body_that_nobody_wants_is_counted_to_its_end) {
  using rest = request_intake::rest;
  known_heads heads;
  request_intake in(largest_taken_in);
  in.feed(posting(std::string(200'000, 'x')).substr(0, post_head.size() + 10 + 1000), heads);
  in.take_header();
  in.keep("12345");
  in.leave_body();
  EXPECT_TRUE(in.rest_left());
  EXPECT_TRUE(in.rest_comes());
  EXPECT_FALSE(in.keeps());
  std::size_t passed = 0;
  while (in.throw_away(1000) == rest::same && passed < 300'000) passed += 1000;
  EXPECT_EQ(passed / 1000, 198U);
  EXPECT_FALSE(in.rest_left());
  EXPECT_EQ(in.throw_away(1000), rest::same) << "what else is sent is not waited for";
}

TEST(request_intake, a_body_that_was_held_back_and_comes_all_the_same) {
  using rest = request_intake::rest;
  known_heads heads;
  request_intake in(largest_taken_in);
  in.feed(post_head + "300\r\nExpect: 100-continue\r\n\r\n", heads);
  in.take_header();
  in.leave_body();
  EXPECT_TRUE(in.rest_left());
  EXPECT_FALSE(in.rest_comes());
  EXPECT_EQ(in.throw_away(0), rest::same);
  EXPECT_EQ(in.throw_away(100), rest::begins);
  EXPECT_TRUE(in.rest_comes());
  EXPECT_EQ(in.throw_away(100), rest::same);
  EXPECT_EQ(in.throw_away(100), rest::ended);
}

TEST(request_intake, goes_elsewhere_as_it_is) {
  known_heads heads;
  request_intake in(largest_taken_in);
  in.feed(posting("one") + "POST /mcp HTTP/1.1\r\n", heads);
  in.take(heads);
  auto there = std::move(in);
  in.forget();
  there.feed("Host: a.test\r\nContent-Length: 3\r\n\r\ntwo", heads);
  ASSERT_TRUE(there.done());
  EXPECT_EQ(there.take(heads).body, "two");
}

/// Behind a proxy the next request of a connection is another caller's, and the next one of a
/// caller comes by another connection.
TEST(request_intake, knows_headers_that_came_by_other_connections) {
  known_heads heads;
  request_intake one(largest_taken_in), other(largest_taken_in);
  const auto ask = [&](request_intake& in, const std::string& caller, std::string_view body) {
    in.feed("POST /mcp HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer " + caller +
                "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                std::string(body),
            heads);
    auto request = in.take(heads);
    EXPECT_EQ(request.body, body);
    EXPECT_TRUE(in.reusable());
    EXPECT_EQ(request.header("authorization"), "Bearer " + caller);
    return request.head;
  };
  const auto alice = ask(one, "alice", "1");
  const auto bob = ask(one, "bob", "2");
  EXPECT_EQ(ask(one, "alice", "a longer body"), alice);
  EXPECT_EQ(ask(other, "bob", ""), bob);
  EXPECT_EQ(ask(other, "alice", "3"), alice);
  EXPECT_NE(ask(other, "Alice", "4"), alice);
}

}  // namespace
}  // namespace gate::http
