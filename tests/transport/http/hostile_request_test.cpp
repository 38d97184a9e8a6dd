// Heads and bodies that servers and proxies are known to read differently: refused, and the
// connection is not used again.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/transport/support/feeding.hpp"
#include "transport/http/request_reader.hpp"

namespace gate::http {
namespace {

struct verdict {
  bool done = false;
  defect flaw = defect::none;
  bool reusable = false;
};

verdict judge(std::string_view bytes, std::vector<std::size_t> cuts = {}) {
  request_reader r(1024);
  testing::feed_in_pieces(r, bytes, std::move(cuts));
  verdict v;
  v.done = r.done();
  v.reusable = v.done && r.reusable();
  v.flaw = r.take().flaw;
  return v;
}

void refused(const std::string& bytes, defect as) {
  for (const auto& cuts : {std::vector<std::size_t>{}, testing::everywhere(bytes)}) {
    const auto v = judge(bytes, cuts);
    EXPECT_TRUE(v.done) << bytes;
    EXPECT_EQ(v.flaw, as) << describe(v.flaw) << " in " << bytes;
    EXPECT_FALSE(v.reusable) << bytes;
  }
}

/// Where the parser gives up before the gate can look, the defect is less precise; refused it is.
void refused(const std::string& bytes) {
  for (const auto& cuts : {std::vector<std::size_t>{}, testing::everywhere(bytes)}) {
    const auto v = judge(bytes, cuts);
    EXPECT_TRUE(v.done) << bytes;
    EXPECT_NE(v.flaw, defect::none) << bytes;
    EXPECT_FALSE(v.reusable) << bytes;
  }
}

std::string post(const std::string& lines) {
  return "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n";
}

TEST(hostile_request, hosts) {
  refused("GET / HTTP/1.1\r\n\r\n", defect::host);
  refused("GET / HTTP/1.0\r\n\r\n", defect::host);
  refused("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", defect::host);
  refused("GET / HTTP/1.1\r\nHost: a\r\nhost: evil\r\n\r\n", defect::host);
}

TEST(hostile_request, methods) {
  for (const std::string method : {"HEAD", "PUT", "patch", "CONNECT", "TRACE", "get", "BREW"})
    refused(method + " / HTTP/1.1\r\nHost: a\r\n\r\n", defect::method);
}

TEST(hostile_request, targets) {
  for (const std::string target : {"*", "http://localhost/mcp", "localhost:80", "mcp", "/a#b"})
    refused("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n", defect::target);
  for (const std::string target : {"/\x01", "/\x7f", "/a b", "", "/\xC3\xA9"})
    refused("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
}

TEST(hostile_request, versions_and_request_lines) {
  for (const std::string line :
       {"GET / HTTP/2.0", "GET / HTTP/0.9", "GET / HTTP/1.2", "GET / http/1.1", "GET / HTTP/1.1 ",
        "GET /", "GET", "PRI * HTTP/2.0", "\x16\x03\x01", "GET / HTTP/11", "GET\t/\tHTTP/1.1"})
    refused(line + "\r\nHost: a\r\n\r\n");
}

TEST(hostile_request, lengths) {
  for (const std::string value :
       {"+5", "-5", "5,5", "5, 5", "0x5", "five", "5 5", "", "99999999999999999999"})
    refused(post("Content-Length: " + value + "\r\n"));
  refused(post("Content-Length: 5\r\nContent-Length: 5\r\n"), defect::content_length);
  refused(post("Content-Length: 5\r\nContent-Length: 6\r\n"));
}

TEST(hostile_request, transfer_encodings) {
  for (const std::string value : {"gzip", "gzip, chunked", "chunked, gzip", "identity", "Chunked",
                                  "chunked;q=1", "xchunked", "\"chunked\"", "chunked, chunked"})
    refused(post("Transfer-Encoding: " + value + "\r\n"));
  refused("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
          defect::transfer_encoding);
  refused(post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"));
  refused(post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"));
  refused(post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"));
}

TEST(hostile_request, lines) {
  refused(post("X: a\r\n b\r\n"), defect::folding);
  refused(post("Transfer-Encoding:\r\n chunked\r\n"), defect::folding);
  refused("GET / HTTP/1.1\nHost: a\r\n\r\n");
  refused(post("X: a\nContent-Length: 5\r\n"), defect::bare_line_feed);
  for (const std::string line : {"Content-Length : 5\r\n", " X: a\r\n", "X\r\n", ": a\r\n",
                                 "X Y: a\r\n", "X: \x01\r\n", "X: a\rb\r\n"})
    refused("GET / HTTP/1.1\r\nHost: a\r\n" + line + "\r\n");
  refused(post(std::string("X: a\0b\r\n", 8)));
}

TEST(hostile_request, chunks) {
  const auto head = post("Transfer-Encoding: chunked\r\n");
  for (std::string body :
       {"x\r\n", "-1\r\n", "+1\r\n", "0x1\r\na\r\n0\r\n\r\n", "1 \r\na\r\n0\r\n\r\n",
        "10000000000000000\r\n", "1;a=b\r\nx\r\n0\r\n\r\n", "1;a\r\nx\r\n0\r\n\r\n",
        "1\r\nxx\r\n0\r\n\r\n", "1\r\nx0\r\n\r\n", "1\r\nx\r\n0;a=b\r\n\r\n", "\r\n\r\n"}) {
    body += "\r\n\r\n";  // no chunked body ends with less: until then the reader may wait
    for (const auto& cuts : {std::vector<std::size_t>{}, testing::everywhere(head + body)}) {
      const auto v = judge(head + body, cuts);
      EXPECT_TRUE(v.done) << body;
      EXPECT_EQ(v.flaw, defect::malformed) << body;
      EXPECT_FALSE(v.reusable) << body;
    }
  }
}

TEST(hostile_request, a_trailer_adds_nothing) {
  request_reader r(1024);
  testing::feed_in_pieces(
      r, post("Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n0\r\nMcp-Session-Id: 7\r\n\r\n", {});
  ASSERT_TRUE(r.done());
  const auto taken = r.take();
  EXPECT_EQ(taken.flaw, defect::none);
  EXPECT_EQ(taken.header("mcp-session-id"), "");
  EXPECT_EQ(taken.body, "x");
  for (const std::string line : {"Content-Length: 9", "Transfer-Encoding: chunked"})
    EXPECT_EQ(judge(post("Transfer-Encoding: chunked\r\n") + "0\r\n" + line + "\r\n\r\n").flaw,
              defect::malformed)
        << line;
}

/// Whatever comes, the reader ends or waits; it neither crashes nor takes bytes it was not given.
TEST(hostile_request, each_byte_of_a_request_spoilt) {
  const auto bytes = post("Transfer-Encoding: chunked\r\n") + "3\r\nabc\r\n0\r\n\r\n";
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const char with : {'\0', '\r', '\n', ' ', ':', ';', '9', 'z', '\x80'}) {
      auto spoilt = bytes;
      spoilt[at] = with;
      const auto whole = judge(spoilt);
      const auto cut = judge(spoilt, testing::everywhere(spoilt));
      EXPECT_EQ(whole.done, cut.done) << spoilt;
      EXPECT_EQ(whole.flaw, cut.flaw) << spoilt;
    }
}

}  // namespace
}  // namespace gate::http
