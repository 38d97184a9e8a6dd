#include "transport/http/response_text.hpp"

#include <gtest/gtest.h>

namespace gate::http {
namespace {

TEST(response_texts, of_an_answer) {
  std::string paper = "what was written before, which is longer than what comes now, by far";
  EXPECT_EQ(
      response_text(paper, {200, "application/json", "Mcp-Session-Id: a\r\n", false}, 12, false),
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: a\r\n"
      "Content-Length: 12\r\n\r\n");
  EXPECT_EQ(response_text(paper, {202, {}, {}, false}, 0, true),
            "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

TEST(response_texts, no_content_has_no_length) {
  std::string paper;
  EXPECT_EQ(response_text(paper, {304, {}, "ETag: \"a\"\r\n", false}, 0, false),
            "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n");
  EXPECT_EQ(response_text(paper, {204, {}, {}, false}, 0, false),
            "HTTP/1.1 204 No Content\r\n\r\n");
}

TEST(response_texts, of_a_stream) {
  std::string paper;
  const std::string head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
      "Cache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no\r\nA: b\r\n";
  EXPECT_EQ(stream_text(paper, "A: b\r\n", true, false),
            head + "Transfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(stream_text(paper, "A: b\r\n", false, true), head + "Connection: close\r\n\r\n");
}

TEST(response_texts, a_chunk_is_its_length_in_hexadecimal_and_the_bytes) {
  const std::string bytes(300, 'x');
  const chunk framed(bytes);
  std::string all;
  for (const auto& piece : framed.pieces())
    all.append(static_cast<const char*>(piece.data()), piece.size());
  EXPECT_EQ(all, "12c\r\n" + bytes + "\r\n");
  EXPECT_EQ(framed.plain().data(), bytes.data());
  EXPECT_EQ(framed.plain().size(), bytes.size());
}

}  // namespace
}  // namespace gate::http
