// An answer in pieces, wherever it is cut.
#include "transport/http/piece_reader.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"
#include "tests/transport/support/feeding.hpp"

namespace gate::http {
namespace {

struct pieces_outcome {
  bool head = false, done = false;
  follow_end end = follow_end::complete;
  int status = 0;
  std::string body;
  bool operator==(const pieces_outcome&) const = default;
};

pieces_outcome in_pieces(std::string_view bytes, std::vector<std::size_t> cuts, bool closed) {
  piece_reader r;
  testing::feed_in_pieces(r, bytes, std::move(cuts));
  if (closed) r.end_of_input();
  const bool head = r.header_done();
  return {head, r.done(), r.end(), head ? r.status() : 0, r.take_body()};
}

/// The same, however it is cut.
pieces_outcome pieces_of(std::string_view bytes, bool closed = false) {
  const auto whole = in_pieces(bytes, {}, closed);
  EXPECT_EQ(in_pieces(bytes, testing::everywhere(bytes), closed), whole) << bytes;
  for (std::size_t i = 1; i < bytes.size(); ++i)
    EXPECT_EQ(in_pieces(bytes, {i}, closed), whole) << bytes << " at " << i;
  return whole;
}

TEST(piece_reader, chunks) {
  const auto o = pieces_of(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(o, (pieces_outcome{true, true, follow_end::complete, 200, "abcde"}));
}

TEST(piece_reader, what_has_come_of_chunks_is_told_at_once) {
  piece_reader r;
  const std::string_view head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab";
  EXPECT_EQ(r.feed(head), head.size());
  EXPECT_TRUE(r.header_done());
  EXPECT_EQ(r.take_body(), "ab");
  EXPECT_EQ(r.take_body(), "");
  EXPECT_FALSE(r.done());
}

TEST(piece_reader, a_length_or_the_end_of_the_connection) {
  EXPECT_EQ(pieces_of("HTTP/1.1 410 Gone\r\nContent-Length: 2\r\n\r\n{}").body, "{}");
  const auto o = pieces_of("HTTP/1.1 200 OK\r\n\r\nabc", true);
  EXPECT_EQ(o, (pieces_outcome{true, true, follow_end::complete, 200, "abc"}));
}

TEST(piece_reader, broken_off) {
  for (const std::string_view bytes :
       {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"})
    EXPECT_EQ(pieces_of(bytes, true).end, follow_end::broken) << bytes;
}

TEST(piece_reader, no_http) {
  for (const std::string_view bytes :
       {"SSH-2.0-x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzzzzzzz\r\n"})
    EXPECT_EQ(pieces_of(bytes).end, follow_end::malformed) << bytes;
}

TEST(piece_reader, a_head_without_end) {
  piece_reader r;
  std::size_t fed = 0;
  const std::string line = "X-A: " + std::string(1000, 'a') + "\r\n";
  std::string waiting = "HTTP/1.1 200 OK\r\n";
  for (; !r.done() && fed < 10 * limits::answer_header_bytes; fed += line.size()) {
    waiting += line;
    waiting.erase(0, r.feed(waiting));
  }
  EXPECT_EQ(r.end(), follow_end::malformed);
  EXPECT_LE(fed, limits::answer_header_bytes + 2 * line.size());
}

TEST(piece_reader, when_to_come_again) {
  const auto said = [](std::string_view value) {
    piece_reader r;
    r.feed("HTTP/1.1 429 Too Many\r\nRetry-After: " + std::string(value) + "\r\n\r\n");
    return r.retry_after();
  };
  EXPECT_EQ(said("7"), std::chrono::seconds(7));
  EXPECT_FALSE(said("Sun, 06 Nov 1994 08:49:37 GMT"));
  EXPECT_FALSE(said("-1"));
  EXPECT_FALSE(said("99999999999999"));
}

}  // namespace
}  // namespace gate::http
