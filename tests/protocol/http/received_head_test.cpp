#include "protocol/http/received_head.hpp"

#include <gtest/gtest.h>

#include "protocol/http/verb.hpp"

namespace gate::http {
namespace {

constexpr std::size_t max_body = 1000;

/// As a reader leaves it.
head_ptr head_of(std::string lines, bool recognisable = true) {
  auto out = std::make_shared<received_head>();
  out->method = verb::post;
  out->block = "POST /mcp HTTP/1.1\r\n" + std::move(lines) + "\r\n";
  std::string_view rest = out->block;
  out->target = rest.substr(5, 4);
  rest.remove_prefix(rest.find('\n') + 1);
  for (auto end = rest.find("\r\n"); end != 0; end = rest.find("\r\n")) {
    const auto colon = rest.find(": ");
    out->headers.push_back({rest.substr(0, colon), rest.substr(colon + 2, end - colon - 2)});
    rest.remove_prefix(end + 2);
  }
  out->look_up(recognisable);
  return out;
}

TEST(received_head, what_mcp_asks_of_it_is_looked_up_once) {
  const auto h = head_of(
      "Content-Type: application/json; charset=utf-8\r\nAccept: application/json\r\n"
      "Accept: text/event-stream;q=0\r\nMcp-Session-Id: a\r\nmcp-session-id: b\r\n");
  EXPECT_TRUE(h->sends_json);
  EXPECT_TRUE(h->accepts_json);
  EXPECT_FALSE(h->accepts_events);
  EXPECT_EQ(h->contradiction, "Mcp-Session-Id");
  EXPECT_EQ(h->session_id, "a");
  const auto bare = head_of("");
  EXPECT_FALSE(bare->sends_json);
  EXPECT_TRUE(bare->accepts_json && bare->accepts_events) << "no Accept admits everything";
  EXPECT_EQ(bare->contradiction, "");
  EXPECT_EQ(bare->session_id, "");
  EXPECT_EQ(bare->version_named, "");
  EXPECT_EQ(head_of("mcp-protocol-version: 2025-06-18\r\n")->version_named, "2025-06-18");
}

TEST(received_head, the_token_in_it_is_looked_up_once) {
  const auto h = head_of("authorization: bearer  abc\r\n");
  EXPECT_EQ(h->shown.token, "abc");
  EXPECT_FALSE(h->shown.twice);
  EXPECT_TRUE(head_of("Authorization: Bearer a\r\nAuthorization: Basic b\r\n")->shown.twice);
  EXPECT_EQ(head_of("")->shown.token, "");
}

TEST(received_head, it_is_plain_without_what_few_requests_say) {
  EXPECT_TRUE(head_of("")->plain);
  EXPECT_TRUE(head_of("Host: a\r\nMcp-Session-Id: b\r\nOriginal: c\r\n")->plain);
  for (const auto* line : {"Origin: http://a", "ORIGIN: null", "origin: ", "traceparent: x",
                           "TraceState: x", "baggage: x"})
    EXPECT_FALSE(head_of(std::string("Host: a\r\n") + line + "\r\n")->plain) << line;
  EXPECT_FALSE(received_head().plain) << "nobody has looked";
}

TEST(received_head, another_request_is_recognised_whatever_its_length) {
  const auto h = head_of("Host: a\r\nContent-Length: 17\r\nAccept: */*\r\n");
  for (std::string digits : {"0", "5", "17", "1000", "0017"}) {
    const std::string header =
        "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: " + digits + "\r\nAccept: */*\r\n\r\n";
    const auto r = recognise(*h, header + "body", max_body);
    ASSERT_TRUE(r) << digits;
    EXPECT_EQ(r->header_bytes, header.size());
    EXPECT_EQ(r->body_bytes, std::stoul(digits));
    // Never by a part of it, and never by what differs in a byte.
    for (std::size_t n = 0; n < header.size(); ++n) {
      EXPECT_FALSE(recognise(*h, header.substr(0, n), max_body)) << n;
      auto other = header;
      other[n] = static_cast<char>(other[n] ^ 0x20);
      EXPECT_FALSE(recognise(*h, other, max_body)) << other;
    }
  }
}

TEST(received_head, long_bodies_and_odd_lengths_are_not_recognised) {
  const auto h = head_of("Content-Length: 17\r\n");
  for (std::string_view digits : {"1001", "99999999999999999999999", "", " 5", "5 ", "+5", "-5",
                                  "0x5", "5,5", "5\r\nContent-Length: 5"})
    EXPECT_FALSE(recognise(
        *h, "POST /mcp HTTP/1.1\r\nContent-Length: " + std::string(digits) + "\r\n\r\n", max_body))
        << digits;
}

/// It would be kept as long as the connection, idle or not.
TEST(received_head, large_headers_are_read_each_time) {
  const std::string length = "Content-Length: 5\r\n";
  EXPECT_FALSE(head_of(length)->length.empty());
  EXPECT_TRUE(head_of(length + "X: " + std::string(5000, 'x') + "\r\n")->length.empty());
  std::string many;
  for (int i = 0; i < 40; ++i) many += "A: b\r\n";
  EXPECT_TRUE(head_of(length + many)->length.empty());
}

TEST(received_head, some_headers_are_read_each_time) {
  for (const auto& h :
       {head_of("Host: a\r\n"), head_of("Content-Length: 5\r\n", false),
        head_of("Content-Length: 5\r\nExpect: 100-continue\r\n"),
        head_of("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), no_head()}) {
    EXPECT_FALSE(recognise(*h, h->block, max_body)) << h->block;
  }
}

}  // namespace
}  // namespace gate::http
