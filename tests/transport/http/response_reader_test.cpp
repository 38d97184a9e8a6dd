#include "transport/http/response_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol/limits.hpp"
#include "tests/transport/support/feeding.hpp"
#include "tests/transport/support/sockets.hpp"

namespace gate::http {
namespace {

using testing::everywhere;
using testing::feed_in_pieces;

constexpr std::size_t max_bytes = 256;

struct read_outcome {
  bool done = false;
  fetch_end end = fetch_end::complete;
  int status = 0;
  gate::media media = gate::media::none;
  std::string body, session, location, rest;
  std::vector<std::string> events;
  bool reusable = false;
  bool operator==(const read_outcome&) const = default;
};

void PrintTo(const read_outcome& o, std::ostream* out) {
  *out << "done " << o.done << ", end " << static_cast<int>(o.end) << ", status " << o.status
       << ", body " << o.body << ", events " << o.events.size() << ", reusable " << o.reusable
       << ", rest " << o.rest;
}

read_outcome finish_reading(response_reader& r, std::string_view bytes,
                            std::vector<std::size_t> cuts, bool closed) {
  read_outcome o;
  o.rest = feed_in_pieces(r, bytes, std::move(cuts));
  if (closed) r.end_of_input();
  o.done = r.done();
  o.end = r.end();
  o.status = r.status();
  o.media = r.media();
  o.session = r.session_id();
  o.location = r.location();
  o.reusable = o.done && r.reusable();
  for (const auto& e : r.take_events()) o.events.push_back(e.type + ":" + e.data);
  o.body = *r.take_body();
  return o;
}

read_outcome read_response(std::string_view bytes, std::vector<std::size_t> cuts = {},
                           bool closed = false) {
  known_answer none;
  response_reader r(max_bytes, none);
  return finish_reading(r, bytes, std::move(cuts), closed);
}

read_outcome read_response_in_all_ways(std::string_view bytes, bool closed = false) {
  const auto whole = read_response(bytes, {}, closed);
  for (std::size_t cut = 1; cut < bytes.size(); ++cut)
    EXPECT_EQ(read_response(bytes, {cut}, closed), whole) << "cut at " << cut;
  EXPECT_EQ(read_response(bytes, everywhere(bytes), closed), whole) << "byte by byte";
  return whole;
}

const std::string json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

TEST(response_reader, a_body_of_known_length) {
  const auto o =
      read_response_in_all_ways(json + "Mcp-Session-Id: s1\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_TRUE(o.done);
  EXPECT_EQ(o.end, fetch_end::complete);
  EXPECT_EQ(o.status, 200);
  EXPECT_EQ(o.media, media::json);
  EXPECT_EQ(o.body, "{}");
  EXPECT_EQ(o.session, "s1");
  EXPECT_TRUE(o.reusable);
}

/// What `next` is read as, behind `first` on one connection, and how much of it was recognised.
struct second_outcome {
  read_outcome read;
  std::size_t recognised = 0;
};

second_outcome read_behind(std::string_view first, std::string_view next,
                           std::vector<std::size_t> cuts = {}, bool closed = false) {
  known_answer last;
  {
    response_reader r(max_bytes, last);
    finish_reading(r, first, {}, false);
  }
  response_reader r(max_bytes, last);
  const auto known = r.feed_known_header(next);
  for (auto& cut : cuts) cut = cut > known ? cut - known : 0;
  return {finish_reading(r, next.substr(known), std::move(cuts), closed), known};
}

TEST(response_reader, an_answer_like_the_last_one_is_recognised) {
  const auto answer = [](std::string_view length, std::string_view body) {
    return json +
           "Mcp-Session-Id: s1\r\nKeep-Alive: timeout=7\r\nContent-Length: " + std::string(length) +
           "\r\nDate: today\r\n\r\n" + std::string(body);
  };
  const std::string first = answer("2", "{}");
  for (const auto& [length, body] : {std::pair{"2", "[]"}, {"11", "{\"ab\":true}"}, {"0", ""}}) {
    const auto next = answer(length, body);
    for (std::size_t cut = 0; cut <= next.size(); ++cut) {
      const auto got = read_behind(first, next, {cut});
      EXPECT_EQ(got.recognised, next.find("\r\n\r\n") + 4);
      EXPECT_EQ(got.read, read_response(next)) << "cut at " << cut;
    }
    EXPECT_EQ(read_behind(first, next + "rest").read, read_response(next + "rest"))
        << "what follows";
  }
  const auto cut_off = answer("11", "{\"ab\"");
  EXPECT_EQ(read_behind(first, cut_off, {}, true).read, read_response(cut_off, {}, true));
  EXPECT_EQ(read_behind(first, cut_off, {}, true).read.end, fetch_end::broken);

  known_answer last;
  {
    response_reader r(max_bytes, last);
    r.feed(first);
  }
  response_reader r(max_bytes, last);
  r.feed_known_header(first);
  EXPECT_TRUE(r.started() && r.header_done() && !r.done());
  EXPECT_EQ(r.keep_alive_time(), std::chrono::seconds(7));
}

TEST(response_reader, an_answer_that_came_in_pieces_is_learned_whole_or_not_at_all) {
  const std::string answer = json + "Content-Length: 2\r\n\r\n{}";
  for (std::size_t cut = 1; cut < answer.size(); ++cut) {
    known_answer last;
    {
      response_reader r(max_bytes, last);
      finish_reading(r, answer, {cut}, false);
      EXPECT_TRUE(r.done());
    }
    EXPECT_TRUE(last.block.empty() || last.block == answer.substr(0, answer.size() - 2)) << cut;
    response_reader r(max_bytes, last);
    const auto known = r.feed_known_header(answer);
    EXPECT_EQ(finish_reading(r, answer.substr(known), {}, false), read_response(answer)) << cut;
  }
}

TEST(response_reader, whatever_came_before_the_next_answer_means_the_same) {
  const std::string length = "Content-Length: 2\r\n";
  const std::vector<std::string> answers{
      json + length + "\r\n{}",
      json + "Content-Length: 3\r\n\r\n{ }",
      json + "Content-Length: 257\r\n\r\n" + std::string(257, ' '),
      json + "Content-Length: 0\r\n\r\n",
      json + "Content-Length: +2\r\n\r\n{}",
      json + "Content-Length: 2,2\r\n\r\n{}",
      json + "Content-Length: \r\n\r\n{}",
      json + length + length + "\r\n{}",
      json + length + "Content-Length: 3\r\n\r\n{ }",
      json + "Mcp-Session-Id: s2\r\n" + length + "\r\n{}",
      json + "Connection: close\r\n" + length + "\r\n{}",
      json + "Retry-After: 2\r\n" + length + "\r\n{}",
      json + "Location: /x\r\n" + length + "\r\n{}",
      json + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      json + "Content-Length: 2\r\n \r\n\r\n{}",  // folded: read from elsewhere
      json + "Content-Length: 2\r\n\t\r\n\r\n{}",
      json + "Content-Length:\r\n 2\r\n\r\n{}",
      json + "X: a\r\n b\r\n" + length + "\r\n{}",
      json + length + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n" + length + "\r\n{}",
      "HTTP/1.1 200\r\nContent-Type: application/json\r\n" + length + "\r\n{}",
      "HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\n" + length + "\r\n{}",
      "HTTP/1.1 204 No Content\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + length + "\r\n\n\n",
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + length + "\r\n{}",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "garbage\r\n\r\n",
      json + "X: " + std::string(limits::known_header_bytes, 'x') + "\r\n" + length + "\r\n{}",
  };
  std::size_t recognised = 0;
  for (const auto& first : answers)
    for (const auto& next : answers) {
      const auto got = read_behind(first, next);
      EXPECT_EQ(got.read, read_response(next)) << first << "\n--- and then\n" << next;
      recognised += got.recognised > 0;
    }
  // {}, 3, and 0 bytes behind one another; then those which only themselves are like.
  EXPECT_GE(recognised, 9u);
  EXPECT_LT(recognised, 20u);
}

TEST(response_reader, a_header_without_end_is_refused_however_it_comes) {
  const std::string line = "X: y\r\n";
  std::string header = "HTTP/1.1 200 OK\r\n";
  while (header.size() + 2 * line.size() < limits::answer_header_bytes) header += line;
  for (const std::size_t piece : {std::size_t{256}, std::size_t{4096}, header.size()}) {
    known_answer none;
    response_reader fits(max_bytes, none), endless(max_bytes, none);
    std::vector<std::size_t> cuts;
    for (auto at = piece; at < header.size(); at += piece) cuts.push_back(at);
    finish_reading(fits, header + "\r\n", cuts, false);
    EXPECT_TRUE(fits.header_done()) << piece;
    auto more = header;
    for (int i = 0; i < 200; ++i) more += line;
    for (auto at = header.size(); at < more.size(); at += piece) cuts.push_back(at);
    finish_reading(endless, more, cuts, false);
    EXPECT_TRUE(endless.done() && endless.end() == fetch_end::malformed) << piece;
  }
}

TEST(response_reader, a_body_in_chunks) {
  const auto o = read_response_in_all_ways(
      json + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x=y\r\n}\r\n" +
      "0\r\nTrailer: t\r\n\r\n");
  EXPECT_TRUE(o.done);
  EXPECT_EQ(o.end, fetch_end::complete);
  EXPECT_EQ(o.body, "{}");
  EXPECT_TRUE(o.reusable);
}

TEST(response_reader, a_body_until_the_end) {
  const auto bytes = json + "\r\n{\"a\":1}";
  EXPECT_FALSE(read_response(bytes).done) << "more may come";
  const auto o = read_response_in_all_ways(bytes, true);
  EXPECT_TRUE(o.done);
  EXPECT_EQ(o.end, fetch_end::complete);
  EXPECT_EQ(o.body, "{\"a\":1}");
  EXPECT_FALSE(o.reusable);
  EXPECT_EQ(read_response(json + "\r\n", {}, true).end, fetch_end::complete) << "an empty one";
}

TEST(response_reader, statuses_without_a_body) {
  for (int status : {100, 103, 204, 304}) {
    const auto bytes = "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: 5\r\n\r\n";
    const auto o = read_response_in_all_ways(bytes + "HTTP/");
    EXPECT_TRUE(o.done) << status;
    EXPECT_EQ(o.end, fetch_end::complete) << status;
    EXPECT_EQ(o.status, status);
    EXPECT_EQ(o.rest, "HTTP/") << status;
  }
  const auto accepted =
      read_response_in_all_ways("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
  EXPECT_TRUE(accepted.done);
  EXPECT_EQ(accepted.media, media::none);
  EXPECT_TRUE(accepted.reusable);
}

TEST(response_reader, what_follows_is_left_alone) {
  EXPECT_EQ(read_response_in_all_ways(json + "Content-Length: 2\r\n\r\n{}HTTP/1.1 500").rest,
            "HTTP/1.1 500");
  EXPECT_EQ(
      read_response_in_all_ways(json + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nrest").rest,
      "rest");
}

TEST(response_reader, event_streams) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream;charset=utf-8\r\n";
  const std::string text = "event: a\ndata: 1\n\n: note\n\ndata: 2\n\n";
  const std::vector<std::string> expected{"a:1", ":2"};
  const auto chunked = read_response_in_all_ways(head + "Transfer-Encoding: chunked\r\n\r\n" +
                                                 testing::chunk(text) + "0\r\n\r\n");
  EXPECT_TRUE(chunked.done);
  EXPECT_EQ(chunked.media, media::events);
  EXPECT_EQ(chunked.events, expected);
  EXPECT_TRUE(chunked.reusable);
  const auto open = read_response_in_all_ways(head + "\r\n" + text + "data: half", true);
  EXPECT_EQ(open.end, fetch_end::complete);
  EXPECT_EQ(open.events, expected) << "half an event is none";
}

TEST(response_reader, an_event_stream_has_no_end_but_each_event_is_bounded) {
  known_answer none;
  response_reader r(max_bytes, none);
  r.feed("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(r.feed("data: 0123456789\n\n"), 18u);
    EXPECT_EQ(r.take_events().size(), 1u);
  }
  EXPECT_FALSE(r.done());
  r.feed("data: " + std::string(max_bytes + 1, 'x'));
  EXPECT_TRUE(r.done());
  EXPECT_EQ(r.end(), fetch_end::too_large);
}

TEST(response_reader, an_error_is_never_a_stream) {
  const auto o = read_response(
      "HTTP/1.1 500 No\r\nContent-Type: text/event-stream\r\nContent-Length: 9\r\n\r\n"
      "data: 1\n\n");
  EXPECT_TRUE(o.done);
  EXPECT_TRUE(o.events.empty());
  EXPECT_EQ(o.body, "data: 1\n\n");
}

TEST(response_reader, the_cap) {
  const std::string most(max_bytes, 'x'), over(max_bytes + 1, 'x');
  const auto counted = [](const std::string& body) {
    return json + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  EXPECT_EQ(read_response(counted(most)).body, most);
  EXPECT_EQ(read_response(counted(over)).end, fetch_end::too_large);
  EXPECT_TRUE(read_response(counted(over)).done);
  EXPECT_EQ(read_response(json + "\r\n" + most, {}, true).body, most);
  EXPECT_EQ(read_response(json + "\r\n" + over).end, fetch_end::too_large);
  const auto chunked = json + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(read_response(chunked + "100\r\n" + most + "\r\n0\r\n\r\n").body, most);
  EXPECT_EQ(read_response(chunked + "101\r\n").end, fetch_end::too_large);
  EXPECT_EQ(read_response(chunked + "80\r\n" + most.substr(0, 128) + "\r\n81\r\n").end,
            fetch_end::too_large);
}

TEST(response_reader, endless_heads) {
  const auto o = read_response(json + "X: " + std::string(limits::answer_header_bytes, 'x'));
  EXPECT_TRUE(o.done);
  EXPECT_EQ(o.end, fetch_end::malformed);
}

TEST(response_reader, garbage) {
  for (const std::string bytes :
       {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n", "ICY 200 OK\r\n\r\n", "{\"jsonrpc\":\"2.0\"}\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 200 OK\r\nX y: z\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}) {
    // Cut in pieces, the parser may notice only at the end that this was none.
    for (const auto& cuts : {std::vector<std::size_t>{}, everywhere(bytes)}) {
      const auto o = read_response(bytes, cuts, true);
      EXPECT_TRUE(o.done) << bytes;
      EXPECT_TRUE(o.end == fetch_end::malformed || o.end == fetch_end::broken) << bytes;
      EXPECT_FALSE(o.reusable) << bytes;
    }
  }
}

TEST(response_reader, an_answer_that_stops_early) {
  const std::string counted = json + "Content-Length: 2\r\n\r\n{}";
  const std::string chunked = json + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
  for (const auto& bytes : {counted, chunked})
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      const auto o = read_response(bytes.substr(0, n), {}, true);
      EXPECT_TRUE(o.done) << n;
      EXPECT_EQ(o.end, fetch_end::broken) << n;
      EXPECT_FALSE(o.reusable) << n;
    }
}

TEST(response_reader, who_keeps_the_connection) {
  const auto reusable = [](const std::string& version, const std::string& line) {
    return read_response("HTTP/" + version + " 200 OK\r\n" + line + "Content-Length: 0\r\n\r\n")
        .reusable;
  };
  EXPECT_TRUE(reusable("1.1", ""));
  EXPECT_FALSE(reusable("1.1", "Connection: close\r\n"));
  EXPECT_FALSE(reusable("1.0", ""));
  EXPECT_TRUE(reusable("1.0", "Connection: keep-alive\r\n"));
}

TEST(response_reader, announcements) {
  const auto kept = [](const std::string& value) {
    known_answer none;
    response_reader r(max_bytes, none);
    r.feed("HTTP/1.1 200 OK\r\nKeep-Alive: " + value + "\r\nContent-Length: 0\r\n\r\n");
    return r.keep_alive_time();
  };
  EXPECT_EQ(kept("timeout=5"), std::chrono::seconds{5});
  EXPECT_EQ(kept("max=100, timeout=72"), std::chrono::seconds{72});
  EXPECT_EQ(kept("timeout="), std::nullopt);
  EXPECT_EQ(kept("timeout=99999999999"), std::nullopt);
  EXPECT_EQ(kept("max=3"), std::nullopt);
  EXPECT_EQ(read_response("HTTP/1.1 307 T\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n").location,
            "/b");
}

TEST(response_reader, hears_whether_it_is_to_come_again_later) {
  const auto says = [](std::string_view line) {
    known_answer none;
    response_reader r(max_bytes, none);
    r.feed("HTTP/1.1 503 Service Unavailable\r\n" + std::string(line) +
           "Content-Length: 0\r\n\r\n");
    EXPECT_TRUE(r.done());
    return r.retry_after();
  };
  EXPECT_FALSE(says(""));
  EXPECT_TRUE(says("Retry-After: 1\r\n"));
  EXPECT_TRUE(says("retry-after: Fri, 31 Dec 1999 23:59:59 GMT\r\n"));
  EXPECT_FALSE(says("X-Retry-After: 1\r\n"));
}

TEST(response_reader, keeps_what_of_retry_after_may_be_an_answer) {
  const auto said = [](std::string_view value) {
    known_answer none;
    response_reader r(max_bytes, none);
    r.feed("HTTP/1.1 503 x\r\nRetry-After: " + std::string(value) +
           "\r\nContent-Length: 0\r\n\r\n");
    return r.retry_after_text();
  };
  EXPECT_EQ(said("120"), "120");
  EXPECT_EQ(said("Fri, 31 Dec 1999 23:59:59 GMT"), "Fri, 31 Dec 1999 23:59:59 GMT");
  EXPECT_EQ(said(std::string(1000, '1')).size(), limits::retry_after_bytes);
}

}  // namespace
}  // namespace gate::http
