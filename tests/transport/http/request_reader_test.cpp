#include "transport/http/request_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "protocol/limits.hpp"
#include "tests/transport/support/feeding.hpp"
#include "tests/transport/support/sockets.hpp"

namespace gate::http {
namespace {

using testing::feed_in_pieces;

constexpr std::size_t max_body = 64;

/// What a reader made of some bytes.
struct outcome {
  bool done = false;
  defect flaw = defect::none;
  verb method = verb::get;
  std::string target, body, session;
  std::size_t headers = 0;
  int version = 0;
  bool reusable = false;
  std::string rest;  ///< what was not consumed
  bool operator==(const outcome&) const = default;
};

void PrintTo(const outcome& o, std::ostream* out) {
  *out << "done " << o.done << ", flaw " << describe(o.flaw) << ", target " << o.target << ", body "
       << o.body << ", headers " << o.headers << ", reusable " << o.reusable << ", rest " << o.rest;
}

outcome read(std::string_view bytes, std::vector<std::size_t> cuts = {}, head_ptr* last = nullptr) {
  request_reader r(max_body);
  outcome o;
  o.rest = feed_in_pieces(r, bytes, std::move(cuts), last ? *last : head_ptr{});
  o.done = r.done();
  o.reusable = o.done && r.reusable();
  const auto taken = r.take();
  o.flaw = taken.flaw;
  o.method = taken.method();
  o.target = taken.head->target;
  o.body = taken.body;
  o.session = taken.header("mcp-session-id");
  o.headers = taken.headers().size();
  o.version = taken.head->version;
  if (last) *last = taken.head;
  return o;
}

/// Whole, cut at each position, and byte by byte, for the first time and as one that follows its
/// like: the outcome is always the same.
outcome read_in_all_ways(std::string_view bytes) {
  head_ptr last;
  const auto whole = read(bytes, {}, &last);
  EXPECT_EQ(read(bytes, {}, &last), whole) << "again";
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    EXPECT_EQ(read(bytes, {cut}), whole) << "cut at " << cut;
    EXPECT_EQ(read(bytes, {cut}, &last), whole) << "again, cut at " << cut;
  }
  EXPECT_EQ(read(bytes, testing::everywhere(bytes)), whole) << "byte by byte";
  return whole;
}

const std::string head = "POST /mcp?a=b HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: 77\r\n";
const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";

TEST(request_reader, a_body_of_known_length) {
  const auto o = read_in_all_ways(head + "Content-Length: 5\r\n\r\nhello");
  EXPECT_TRUE(o.done);
  EXPECT_EQ(o.flaw, defect::none);
  EXPECT_EQ(o.method, verb::post);
  EXPECT_EQ(o.target, "/mcp?a=b");
  EXPECT_EQ(o.body, "hello");
  EXPECT_EQ(o.session, "77");
  EXPECT_EQ(o.headers, 3u);
  EXPECT_EQ(o.version, 11);
  EXPECT_TRUE(o.reusable);
  EXPECT_EQ(o.rest, "");
}

TEST(request_reader, a_body_in_chunks) {
  const auto o = read_in_all_ways(chunked + "3\r\nhel\r\n0a\r\nlo, world!\r\n0\r\n\r\n");
  EXPECT_TRUE(o.done);
  EXPECT_EQ(o.flaw, defect::none);
  EXPECT_EQ(o.body, "hello, world!");
  EXPECT_TRUE(o.reusable);
  EXPECT_EQ(read_in_all_ways(chunked + "0\r\n\r\n").body, "");
  EXPECT_EQ(read_in_all_ways(chunked + "2\r\n\r\n\r\n0\r\n\r\n").body, "\r\n");
}

TEST(request_reader, half_a_chunk_header_is_left_for_later) {
  request_reader r(max_body);
  const auto bytes = chunked + "3\r\nhel\r\n1";
  // A reader that loops until everything is consumed would never return here.
  EXPECT_EQ(r.feed(bytes), bytes.size() - 3);
  EXPECT_FALSE(r.done());
  EXPECT_EQ(r.feed("\r\n1"), 0u);
  EXPECT_EQ(r.feed("\r\n1\r"), 0u);
  EXPECT_EQ(r.feed("\r\n1\r\n"), 5u);
  EXPECT_EQ(r.feed("o"), 1u);
  EXPECT_EQ(r.feed("\r\n0\r\n\r"), 0u);
  EXPECT_EQ(r.feed("\r\n0\r\n\r\n"), 7u);
  EXPECT_TRUE(r.done());
  EXPECT_EQ(r.take().body, "helo");
}

TEST(request_reader, no_body) {
  for (std::string method : {"GET", "DELETE", "OPTIONS", "POST", "PATCH"}) {
    const auto o = read_in_all_ways(method + " / HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(o.done) << method;
    EXPECT_EQ(o.flaw, defect::none) << method;
    EXPECT_EQ(o.body, "");
  }
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: a\r\n\r\n").method, verb::get);
  EXPECT_EQ(read("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n").method, verb::del);
  EXPECT_EQ(read("OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n").method, verb::options);
  EXPECT_EQ(read("PATCH / HTTP/1.1\r\nHost: a\r\n\r\n").method, verb::patch);
  EXPECT_EQ(read("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").method, verb::post);
}

TEST(request_reader, who_may_send_another_request) {
  const auto reusable = [](std::string_view version, std::string_view connection) {
    return read("GET / HTTP/" + std::string(version) + "\r\nHost: a\r\n" + std::string(connection) +
                "\r\n")
        .reusable;
  };
  EXPECT_TRUE(reusable("1.1", ""));
  EXPECT_TRUE(reusable("1.1", "Connection: keep-alive\r\n"));
  EXPECT_FALSE(reusable("1.1", "Connection: close\r\n"));
  EXPECT_FALSE(reusable("1.1", "Connection: keep-alive, Close\r\n"));
  EXPECT_FALSE(reusable("1.0", ""));
  EXPECT_TRUE(reusable("1.0", "Connection: Keep-Alive\r\n"));
}

/// What Java's HttpClient (17) sends with each request, unless it is told to speak 1.1.
const std::string java_head = "POST /mcp HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\n";
const std::string java_tail =
    "HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA\r\n"
    "%Upgrade: h2c\r\nUser-Agent: Java-http-client/17.0.15\r\n"
    "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\r\n";

TEST(request_reader, an_offer_to_speak_http_2_is_ignored) {
  const std::string body = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  const auto tail = [](std::string_view more) {
    auto text = java_tail;
    return text.replace(text.find('%'), 1, more);
  };
  const auto sized =
      java_head + "Content-Length: 40\r\nHost: 127.0.0.1:34281\r\n" + tail("") + body;
  const auto in_chunks = java_head + "Host: 127.0.0.1:34281\r\n" +
                         tail("Transfer-encoding: chunked\r\n") + "28\r\n" + body + "\r\n0\r\n\r\n";
  for (const auto& bytes : {sized, in_chunks}) {
    const auto o = read_in_all_ways(bytes);
    EXPECT_TRUE(o.done);
    EXPECT_EQ(o.flaw, defect::none);
    EXPECT_EQ(o.body, body);
    EXPECT_EQ(o.version, 11);
    EXPECT_TRUE(o.reusable);
    EXPECT_EQ(read(bytes + bytes).rest, bytes) << "the next request is one";
  }
}

TEST(request_reader, pipelined_requests_are_left_alone) {
  const std::string second = "GET /next HTTP/1.1\r\nHost: b\r\n\r\n";
  EXPECT_EQ(read_in_all_ways(head + "Content-Length: 2\r\n\r\nhi" + second).rest, second);
  EXPECT_EQ(read_in_all_ways(chunked + "2\r\nhi\r\n0\r\n\r\n" + second).rest, second);
  EXPECT_EQ(read_in_all_ways(head + "\r\n" + second).rest, second);
  EXPECT_EQ(read(second).target, "/next");
}

TEST(request_reader, an_empty_line_before_the_request_is_ignored) {
  const std::string request = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(read_in_all_ways("\r\n" + request).target, "/x");
  for (const auto* line : {"\n", "\r", "\n\r", "\r\r\n", "\r\n\r\n", "\r\n\n"}) {
    SCOPED_TRACE(::testing::PrintToString(line));
    EXPECT_EQ(read_in_all_ways(line + request).flaw, defect::malformed);
  }
  request_reader r(max_body);
  EXPECT_EQ(r.feed("\r\n"), 2u);
  EXPECT_FALSE(r.started());
}

TEST(request_reader, half_a_head_is_no_request) {
  const auto bytes = head + "\r\n";
  for (std::size_t n = 1; n < bytes.size(); ++n) {
    const auto o = read(bytes.substr(0, n));
    EXPECT_FALSE(o.done) << n;
    EXPECT_EQ(o.rest, "") << n;
  }
}

TEST(request_reader, where_it_stands) {
  request_reader r(max_body);
  EXPECT_FALSE(r.started());
  r.feed("POST / HTTP/1.1\r\n");
  EXPECT_TRUE(r.started());
  EXPECT_FALSE(r.in_body());
  EXPECT_FALSE(r.wants_continue());
  r.feed("Host: a\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_TRUE(r.in_body());
  EXPECT_TRUE(r.wants_continue());
  r.feed("abc");
  EXPECT_FALSE(r.in_body());
  EXPECT_FALSE(r.wants_continue()) << "the body is here already";
}

TEST(request_reader, a_long_body_follows_its_header) {
  const std::string some(limits::body_unjudged, 'x');
  request_reader r(10 * limits::body_unjudged);
  r.feed("POST /long HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(some.size()) +
         "\r\n\r\n");
  EXPECT_FALSE(r.large());
  request_reader announced(10 * limits::body_unjudged);
  announced.feed("POST /long HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                 std::to_string(some.size() + 1) + "\r\n\r\n" + "b");
  EXPECT_TRUE(announced.large());
  request_reader in_chunks(10 * limits::body_unjudged);
  auto bytes = chunked + "10000\r\n" + some + "\r\n";
  bytes.erase(0, in_chunks.feed(bytes));
  EXPECT_FALSE(in_chunks.large());
  in_chunks.feed(bytes + "1\r\nb\r\n");
  EXPECT_TRUE(in_chunks.large());
  const auto header = announced.take_header();
  EXPECT_TRUE(header.body_follows);
  EXPECT_EQ(header.head->target, "/long");
  EXPECT_EQ(header.header("host"), "a");
  EXPECT_EQ(header.body, "");
  announced.expect_body();
  // Wherever it goes meanwhile.
  request_reader elsewhere(std::move(announced));
  elsewhere.feed(some);
  EXPECT_TRUE(elsewhere.done());
  EXPECT_FALSE(elsewhere.large());
  EXPECT_TRUE(elsewhere.reusable());
  EXPECT_EQ(elsewhere.take().body, "b" + some);
}

TEST(request_reader, the_cap_on_declared_bodies) {
  const auto declare = [](std::size_t n) {
    return head + "Content-Length: " + std::to_string(n) + "\r\n\r\n";
  };
  const auto most = read(declare(max_body) + std::string(max_body, 'x'));
  EXPECT_EQ(most.flaw, defect::none);
  EXPECT_EQ(most.body.size(), max_body);
  const auto over = read_in_all_ways(declare(max_body + 1));
  EXPECT_TRUE(over.done) << "refused before any of the body came";
  EXPECT_EQ(over.flaw, defect::body_too_large);
  EXPECT_FALSE(over.reusable);
  EXPECT_EQ(read(declare(~std::size_t{0})).flaw, defect::body_too_large);
}

TEST(request_reader, the_cap_on_chunked_bodies) {
  const std::string half(max_body / 2, 'x');
  const auto both = chunked + testing::chunk(half) + testing::chunk(half);
  const auto most = read_in_all_ways(both + "0\r\n\r\n");
  EXPECT_EQ(most.flaw, defect::none);
  EXPECT_EQ(most.body.size(), max_body);
  const auto over = read_in_all_ways(both + "1\r\n");
  EXPECT_TRUE(over.done) << "cut off at the cap";
  EXPECT_EQ(over.flaw, defect::body_too_large);
  EXPECT_EQ(read(chunked + "ffffffffffffffff\r\n").flaw, defect::body_too_large);
}

TEST(request_reader, the_cap_on_heads) {
  const std::string start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
  const auto filler = limits::header_bytes - start.size() - 4;
  EXPECT_EQ(read(start + std::string(filler, 'x') + "\r\n\r\n").flaw, defect::none);
  EXPECT_EQ(read(start + std::string(filler + 1, 'x') + "\r\n\r\n").flaw, defect::header_too_large);
  const auto endless = read(start + std::string(limits::header_bytes, 'x'));
  EXPECT_TRUE(endless.done) << "refused before its end came";
  EXPECT_EQ(endless.flaw, defect::header_too_large);
}

std::string header_of_lines(std::size_t n, const std::string& more = "") {
  std::string out = "POST / HTTP/1.1\r\nHost: a\r\n" + more;
  for (std::size_t i = more.empty() ? 1 : 2; i < n; ++i) out += "a:\r\n";
  return out + "\r\n";
}

TEST(request_reader, the_cap_on_lines_of_a_header) {
  constexpr auto most = limits::header_lines;
  for (const auto n : {most - 1, most, most + 1}) {
    const auto o = read_in_all_ways(header_of_lines(n));
    EXPECT_TRUE(o.done);
    EXPECT_EQ(o.flaw, n > most ? defect::header_too_large : defect::none) << n;
    EXPECT_EQ(o.headers, std::min(n, most));
  }
  const auto trailed = header_of_lines(most, "Transfer-Encoding: chunked\r\n") +
                       testing::chunk("body") + "0\r\nA: b\r\nC: d\r\n\r\n";
  EXPECT_EQ(read(trailed).flaw, defect::none) << "a trailer is none of it";
}

TEST(request_reader, no_more_lines_are_listed_than_there_may_be) {
  request_reader r(max_body);
  r.feed(header_of_lines(16'000));
  EXPECT_TRUE(r.done());
  const auto taken = r.take();
  EXPECT_EQ(taken.flaw, defect::header_too_large);
  EXPECT_LE(taken.head->headers.capacity(), limits::header_lines);
}

TEST(request_reader, what_was_forgotten_of_a_body_is_not_yet_to_come) {
  request_reader r(max_body);
  r.feed(head + "Content-Length: 50\r\n\r\n" + std::string(20, 'x'));
  EXPECT_EQ(r.body_left(), 30U);
  r.take_header();
  EXPECT_EQ(r.body_left(), 30U);
  r.forget_body();
  EXPECT_EQ(r.body_left(), 30U);
  EXPECT_TRUE(r.body_begun());
  EXPECT_EQ(r.take().body.capacity(), std::string().capacity()) << "nor held";
}

/// Room that its pieces left is not counted against it.
TEST(request_reader, a_small_header_is_kept_in_whatever_pieces_it_came) {
  const std::string small = head + "Content-Length: 5\r\nX: ";
  const auto bytes = small + std::string(2800 - small.size() - 4, 'x') + "\r\n\r\nhello";
  head_ptr kept;
  EXPECT_EQ(read(bytes, {1100, 2200, 2800}, &kept).flaw, defect::none);
  EXPECT_FALSE(kept->length.empty());
  EXPECT_LE(kept->block.capacity(), limits::known_header_bytes);
}

TEST(request_reader, the_header_of_the_request_before_is_shared) {
  request_reader first(max_body), second(max_body);
  const auto bytes = head + "Content-Length: 5\r\n\r\nhello";
  EXPECT_EQ(first.feed(bytes), bytes.size());
  const auto a = first.take();
  const auto longer = head + "Content-Length: 12\r\n\r\nhello, worldPOST";
  EXPECT_EQ(second.feed(longer, a.head), longer.size() - 4);
  EXPECT_TRUE(second.done());
  EXPECT_TRUE(second.reusable());
  const auto b = second.take();
  EXPECT_EQ(b.body, "hello, world");
  EXPECT_EQ(b.head, a.head) << "read anew";
}

TEST(request_reader, a_header_keeps_no_room_for_what_came_behind_it) {
  request_reader r(max_body);
  r.feed(head + "Content-Length: 5\r\n\r\nhello" + std::string(60'000, 'x'));
  const auto a = r.take();
  EXPECT_LT(a.head->block.capacity(), 1000U);
  EXPECT_FALSE(a.head->length.empty());
}

TEST(request_reader, what_only_begins_like_the_request_before_is_read_anew) {
  head_ptr last;
  const auto before = read(head + "Content-Length: 5\r\nX: y\r\n\r\nhello", {}, &last);
  ASSERT_EQ(before.flaw, defect::none);
  for (std::string bytes : {
           head + "Content-Length: 5\r\nX: z\r\n\r\nhello",
           head + "Content-Length: 5, 5\r\nX: y\r\n\r\nhello",
           head + "Content-Length: 5 \r\nX: y\r\n\r\nhello",
           head + "Content-Length: +5\r\nX: y\r\n\r\nhello",
           head + "Content-Length: -5\r\nX: y\r\n\r\nhello",
           head + "Content-Length: \r\nX: y\r\n\r\nhello",
           head + "Content-Length: 5\r\nContent-Length: 6\r\nX: y\r\n\r\nhello",
           head + "Content-Length: 5\nX: y\r\n\r\nhello",
           head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n0\r\n\r\n",
           head + "Content-Length: 99999999999999999999\r\nX: y\r\n\r\nhello",
           head + "Content-Length: 65\r\nX: y\r\n\r\nhello",
           head + "X: y\r\n\r\nhello",
           "GET" + head.substr(4) + "Content-Length: 5\r\nX: y\r\n\r\nhello",
           "\r\n" + head + "Content-Length: 5\r\nX: y\r\n\r\nhello",
       }) {
    auto known = last;
    EXPECT_EQ(read(bytes, {}, &known), read(bytes)) << bytes;
    EXPECT_NE(known, last) << bytes;
  }
}

TEST(request_reader, many_headers) {
  std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (std::size_t i = 2; i < limits::header_lines; ++i)
    bytes += "X-" + std::to_string(i) + ": y\r\n";
  const auto o = read(bytes + "Mcp-Session-Id: last\r\n\r\n");
  EXPECT_EQ(o.headers, limits::header_lines);
  EXPECT_EQ(o.session, "last");
}

}  // namespace
}  // namespace gate::http
