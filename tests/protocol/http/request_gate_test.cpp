#include "protocol/http/request_gate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "protocol/limits.hpp"

namespace gate::http {
namespace {

/// A request that passes, to be spoilt in one way.
struct sample {
  std::string method = "POST";
  std::string target = "/mcp";
  int version = 11;
  std::vector<std::pair<std::string, std::string>> headers{{"Host", "localhost:8080"},
                                                           {"Content-Type", "application/json"}};
  std::string block;  // written from the rest when empty

  sample& with(std::string name, std::string value) {
    headers.emplace_back(std::move(name), std::move(value));
    return *this;
  }

  defect judge() const {
    auto raw = block;
    if (raw.empty()) {
      raw = method + ' ' + target + (version == 10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
      for (const auto& [name, value] : headers) raw += name + ": " + value + "\r\n";
      raw += "\r\n";
    }
    std::vector<header> views;
    for (const auto& [name, value] : headers) views.push_back({name, value});
    return check({method, target, version, views, raw});
  }
};

sample request() {
  return {};
}

sample block(std::string text) {
  sample s;
  s.block = std::move(text);
  return s;
}

TEST(request_gate, control_bytes_are_found_wherever_they_are_in_a_value) {
  for (std::size_t size : {1U, 31U, 32U, 33U, 64U, 100U})
    for (std::size_t at = 0; at < size; ++at)
      for (char c : {'\x00', '\x01', '\x0b', '\x1f', '\x7f'}) {
        std::string value(size, '\xC3');
        EXPECT_EQ(request().with("X-Long", value).judge(), defect::none);
        value[at] = c;
        EXPECT_EQ(request().with("X-Long", value).judge(), defect::malformed) << size << ' ' << at;
        value[at] = '\t';
        EXPECT_EQ(request().with("X-Long", "a" + value + "a").judge(), defect::none);
      }
}

TEST(request_gate, ordinary_requests_pass) {
  EXPECT_EQ(request().judge(), defect::none);
  EXPECT_EQ(request().with("Content-Length", "0").judge(), defect::none);
  EXPECT_EQ(request().with("content-length", "18446744073709551615").judge(), defect::none);
  EXPECT_EQ(request().with("Transfer-Encoding", "chunked").judge(), defect::none);
  EXPECT_EQ(request().with("X-Text", "caf\xC3\xA9\ttab").judge(), defect::none);
  EXPECT_EQ(request().with("X-Empty", "").judge(), defect::none);
  EXPECT_EQ(request().with("Accept", "a").with("Accept", "b").judge(), defect::none);
  EXPECT_EQ(request().with("!#$%&'*+-.^_`|~09azAZ", "x").judge(), defect::none);
  for (std::string method : {"GET", "POST", "DELETE", "OPTIONS", "PATCH"}) {
    auto s = request();
    s.method = method;
    EXPECT_EQ(s.judge(), defect::none) << method;
    s.version = 10;
    EXPECT_EQ(s.judge(), defect::none) << method;
  }
}

TEST(request_gate, methods) {
  for (std::string method : {"HEAD", "PUT", "PATCHES", "CONNECT", "TRACE", "patch", "post", "Post",
                             "POSTX", "POS", "", "PRI"}) {
    auto s = request();
    s.method = method;
    EXPECT_EQ(s.judge(), defect::method) << method;
  }
}

TEST(request_gate, versions) {
  for (int version : {0, 9, 12, 20, 30, -1}) {
    auto s = request();
    s.version = version;
    EXPECT_EQ(s.judge(), defect::malformed) << version;
  }
}

TEST(request_gate, targets) {
  for (std::string target :
       {"/", "/mcp", "/mcp?x=1&y=%20", "//mcp", "/a/../b", "/~!$&'()*+,;=:@"}) {
    auto s = request();
    s.target = target;
    EXPECT_EQ(s.judge(), defect::none) << target;
  }
  for (std::string target : {"", "*", "mcp", "http://localhost/mcp", "localhost:8080", "?x", "/a b",
                             "/a\tb", "/a#b", "#", "/\x7f", "/\xC3\xA9", "/\x01", "\\mcp"}) {
    auto s = request();
    s.target = target;
    s.block = "POST /x HTTP/1.1\r\nHost: localhost\r\n\r\n";
    EXPECT_EQ(s.judge(), defect::target) << target;
  }
}

TEST(request_gate, exactly_one_host) {
  auto s = request();
  s.headers.erase(s.headers.begin());
  EXPECT_EQ(s.judge(), defect::host);
  s.version = 10;
  EXPECT_EQ(s.judge(), defect::host) << "also on HTTP/1.0";
  EXPECT_EQ(request().with("Host", "localhost:8080").judge(), defect::host) << "even if equal";
  EXPECT_EQ(request().with("hOST", "evil").judge(), defect::host);
}

TEST(request_gate, content_length) {
  for (std::string value : {"", "+5", "-5", "5 ", "5,5", "5, 5", "0x5", "5.0", "1e3", "five",
                            "\xD9\xA5", "18446744073709551616", "99999999999999999999999"})
    EXPECT_EQ(request().with("Content-Length", value).judge(), defect::content_length) << value;
  EXPECT_EQ(request().with("Content-Length", "5").with("Content-Length", "5").judge(),
            defect::content_length);
  EXPECT_EQ(request().with("Content-Length", "5").with("content-LENGTH", "6").judge(),
            defect::content_length);
  EXPECT_EQ(request().with("Content-Length", "x").with("Content-Length", "6").judge(),
            defect::content_length);
}

TEST(request_gate, transfer_encoding) {
  for (std::string value :
       {"", "gzip", "gzip, chunked", "chunked, gzip", "chunked,chunked", "chunked;q=1", "Chunked",
        "CHUNKED", "xchunked", "chunkedx", "identity", "\"chunked\"", "chunked,", ",chunked",
        "\x0b"
        "chunked"}) {
    auto d = request().with("Transfer-Encoding", value).judge();
    EXPECT_EQ(d, value.find('\x0b') == value.npos ? defect::transfer_encoding : defect::malformed)
        << value;
  }
  EXPECT_EQ(
      request().with("Transfer-Encoding", "chunked").with("Transfer-Encoding", "chunked").judge(),
      defect::transfer_encoding);
  EXPECT_EQ(request().with("Transfer-Encoding", "x").with("transfer-encoding", "chunked").judge(),
            defect::transfer_encoding);
  EXPECT_EQ(request().with("Transfer-Encoding", "chunked").with("Content-Length", "5").judge(),
            defect::transfer_encoding);
  EXPECT_EQ(request().with("Content-Length", "0").with("Transfer-Encoding", "chunked").judge(),
            defect::transfer_encoding);
  auto old = request().with("Transfer-Encoding", "chunked");
  old.version = 10;
  EXPECT_EQ(old.judge(), defect::transfer_encoding);
}

TEST(request_gate, folding) {
  const std::string head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n";
  EXPECT_EQ(block(head + "X: a\r\n b\r\n\r\n").judge(), defect::folding);
  EXPECT_EQ(block(head + "X: a\r\n\tb\r\n\r\n").judge(), defect::folding);
  EXPECT_EQ(block(head + "X:\r\n \r\n\r\n").judge(), defect::folding);
  EXPECT_EQ(block("POST /mcp HTTP/1.1\r\n Host: localhost\r\n\r\n").judge(), defect::folding);
  EXPECT_EQ(block(head + "Transfer-Encoding:\r\n chunked\r\n\r\n").judge(), defect::folding);
}

TEST(request_gate, bare_line_feeds) {
  for (std::string text :
       {"POST /mcp HTTP/1.1\nHost: localhost\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: localhost\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\n\n", "POST /mcp HTTP/1.1\nHost: localhost\n\n",
        "\nPOST /mcp HTTP/1.1\r\n\r\n", "POST /mcp HTTP/1.1\r\nX: a\nContent-Length: 5\r\n\r\n"})
    EXPECT_EQ(block(text).judge(), defect::bare_line_feed) << text;
}

TEST(request_gate, malformed_blocks) {
  const std::string head = "POST /mcp HTTP/1.1\r\n";
  for (std::string text :
       {"x", "\r\n", "\r\n\r\n", "\r\n\r\nPOST / HTTP/1.1\r\n\r\n", "POST /mcp HTTP/1.1\r\n"}) {
    EXPECT_EQ(block(text).judge(), defect::malformed) << text;
  }
  for (std::string lines :
       {"Host : localhost\r\n", "Host\t: localhost\r\n", "Host\r\n", ": x\r\n", "Ho st: x\r\n",
        "Host: a\rX: b\r\n", "Host: a\r\r\n", "X(y): z\r\n", "X\xC3\xA9: z\r\n", "X: \x01\r\n",
        "X: \x7f\r\n", "Host: a\r\n\r\nX: b\r\n"})
    EXPECT_EQ(block(head + lines + "\r\n").judge(), defect::malformed) << lines;
  EXPECT_EQ(block(head + std::string("X: a\0b\r\n", 8) + "\r\n").judge(), defect::malformed);
  EXPECT_EQ(block("POST /a\rb HTTP/1.1\r\nHost: a\r\n\r\n").judge(), defect::malformed);
}

TEST(request_gate, malformed_headers) {
  for (std::string name :
       {"", "Content-Length ", " Content-Length", "Content Length", "X:", "X\r\nY", "\xC3\xA9"}) {
    auto s = block("POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(s.with(name, "5").judge(), defect::malformed) << name;
  }
  for (std::string value : {"a\r\nb", "a\nb", "a\rb", "\x7f", "\x1f"}) {
    auto s = block("POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(s.with("X", value).judge(), defect::malformed) << value;
  }
}

TEST(request_gate, size_of_the_block) {
  const std::string head = "POST /mcp HTTP/1.1\r\nX: ", tail = "\r\n\r\n";
  auto filler = limits::header_bytes - head.size() - tail.size();
  EXPECT_EQ(block(head + std::string(filler, 'x') + tail).judge(), defect::none);
  EXPECT_EQ(block(head + std::string(filler + 1, 'x') + tail).judge(), defect::header_too_large);
}

TEST(request_gate, lines_of_the_block) {
  constexpr auto most = limits::header_lines;
  for (const auto n : {most - 1, most, most + 1}) {
    auto s = request();
    while (s.headers.size() < n) s.with("a", "");
    EXPECT_EQ(s.judge(), n > most ? defect::header_too_large : defect::none) << n;
  }
  // It looks at the block itself: whoever listed the lines may have stopped by then.
  std::string lines = "Host: a\r\n";
  for (std::size_t i = 0; i < most; ++i) lines += "a:\r\n";
  EXPECT_EQ(block("POST /mcp HTTP/1.1\r\n" + lines + "\r\n").judge(), defect::header_too_large);
}

TEST(request_gate, an_absent_block_is_not_a_checked_one) {
  header host{"Host", "localhost"};
  EXPECT_EQ(check({"GET", "/", 11, {&host, 1}, ""}), defect::malformed);
}

TEST(request_gate, every_defect_has_a_sentence) {
  for (int d = 0; d <= static_cast<int>(defect::crowded); ++d) {
    auto text = describe(static_cast<defect>(d));
    EXPECT_FALSE(text.empty());
    EXPECT_NE(text.back(), '.');
  }
}

TEST(request_gate, finding_headers) {
  const std::vector<header> headers{{"Host", "a"}, {"X-One", "1"}, {"x-one", "2"}};
  EXPECT_EQ(find(headers, "x-ONE"), "1");
  EXPECT_EQ(find(headers, "host"), "a");
  EXPECT_EQ(find(headers, "X-On"), "");
  EXPECT_EQ(find({}, "host"), "");
  EXPECT_TRUE(same_name("Content-Type", "cONTENT-tYPE"));
  EXPECT_FALSE(same_name("a", "ab"));
  EXPECT_FALSE(same_name("[", "{")) << "only letters have case";
  EXPECT_FALSE(same_name("@", "`"));
}

}  // namespace
}  // namespace gate::http
