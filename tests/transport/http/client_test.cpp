// EGRESS over real sockets: requests out, answers in. The test plays the upstream.
#include "transport/http/client.hpp"

#include <gtest/gtest.h>

#include "tests/transport/support/real_world.hpp"
#include "transport/doors/egress_actor.hpp"
#include "transport/http/pool.hpp"

namespace gate::testing {
namespace {

fetch post_of(std::uint64_t id, std::string body) {
  fetch f;
  f.id = id;
  f.headers = std::make_shared<const std::string>("Content-Type: application/json\r\nX-A: b\r\n");
  f.before = std::move(body);
  return f;
}

fetch get(std::uint64_t id = 1) {
  fetch f;
  f.id = id;
  f.method = verb::get;
  return f;
}

const std::string json_ok = response(200, "application/json", "{}");

TEST(client, a_request_on_the_wire) {
  real_world w;
  listener server;
  const auto kept = std::make_shared<const std::string>("onetwo");
  auto f = post_of(7, "[");
  f.first = std::string_view(*kept).substr(0, 3);
  f.second = std::string_view(*kept).substr(3);
  f.after = "]";
  f.keep = kept;
  w.fetch_from(server.url("/mcp?x=1"), std::move(f));
  auto s = server.accept();
  const auto port = std::to_string(server.port());
  EXPECT_EQ(
      s.read_until("[onetwo]"),
      "POST /mcp?x=1 HTTP/1.1\r\nHost: 127.0.0.1:" + port +
          "\r\nContent-Type: application/json\r\nX-A: b\r\nContent-Length: 8\r\n\r\n[onetwo]");
  s.send(response(200, "application/json", "{\"a\":1}", "Mcp-Session-Id: s1\r\n"));
  const auto a = w.answer();
  EXPECT_EQ(a.id, 7u);
  EXPECT_EQ(a.end, fetch_end::complete);
  EXPECT_EQ(a.status, 200);
  EXPECT_EQ(a.media, media::json);
  EXPECT_EQ(a.session_id, "s1");
  ASSERT_TRUE(a.body);
  EXPECT_EQ(*a.body, "{\"a\":1}");
}

TEST(client, methods) {
  real_world w;
  listener server;
  w.fetch_from(server.url(), get());
  auto s = server.accept();
  const auto host = "Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n\r\n";
  EXPECT_EQ(s.read_until("\r\n\r\n"), "GET / HTTP/1.1\r\n" + host);
  s.send(json_ok);
  w.answer();
  auto f = get();
  f.method = verb::del;
  w.fetch_from(server.url(), std::move(f));
  EXPECT_EQ(s.read_until("\r\n\r\n"), "DELETE / HTTP/1.1\r\n" + host);
  s.send("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(w.answer().status, 204);
  auto change = post_of(2, "{}");
  change.method = verb::patch;
  w.fetch_from(server.url(), std::move(change));
  const auto heard = s.read();
  EXPECT_EQ(heard.start, "PATCH / HTTP/1.1");
  EXPECT_EQ(heard.body, "{}");
  s.send(json_ok);
  EXPECT_EQ(w.answer().status, 200);
}

TEST(client, a_large_body_both_ways) {
  real_world w;
  listener server;
  const std::string large(4 * 1024 * 1024, 'x');
  w.fetch_from(server.url(), post_of(1, large));
  auto s = server.accept();
  EXPECT_TRUE(s.read().body == large);
  s.send(response(200, "application/json", large));
  const auto a = w.answer();
  EXPECT_EQ(a.end, fetch_end::complete);
  EXPECT_TRUE(a.body && *a.body == large);
}

TEST(client, event_streams) {
  real_world w;
  listener server;
  w.fetch_from(server.url(), post_of(3, "{}"));
  auto s = server.accept();
  s.read();
  s.send(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nMcp-Session-Id: s2\r\n"
      "Transfer-Encoding: chunked\r\n\r\n" +
      chunk("event: e\nid: 5\ndata: 1\n\n"));
  const auto first = w.events();
  EXPECT_EQ(first.id, 3u);
  EXPECT_EQ(first.session_id, "s2");
  ASSERT_EQ(first.events.size(), 1u);
  EXPECT_EQ(first.events[0].type, "e");
  EXPECT_EQ(first.events[0].id, "5");
  EXPECT_EQ(first.events[0].data, "1");
  EXPECT_FALSE(w.any_answer()) << "the stream is open";
  s.send(chunk("data: 2\n\n") + "0\r\n\r\n");
  EXPECT_EQ(w.events().events.at(0).data, "2");
  const auto a = w.answer();
  EXPECT_EQ(a.end, fetch_end::complete);
  EXPECT_EQ(a.media, media::events);
  EXPECT_FALSE(a.body);
  w.fetch_from(server.url(), post_of(4, "{}"));
  s.read();  // on the same connection
  s.send(json_ok);
  EXPECT_EQ(w.answer().id, 4u);
}

TEST(client, an_event_stream_that_breaks) {
  real_world w;
  listener server;
  w.fetch_from(server.url(), post_of(3, "{}"));
  auto s = server.accept();
  s.read();
  s.send(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
      chunk("data: 1\n\nretry: 5\n") + "100\r\ndata: ");
  EXPECT_EQ(w.events().events.size(), 1u);
  s.close();
  const auto a = w.answer();
  EXPECT_EQ(a.end, fetch_end::broken);
  EXPECT_FALSE(a.untouched);
  EXPECT_EQ(a.status, 200);
  EXPECT_EQ(a.media, media::events) << "what it was says whether it can be resumed";
  EXPECT_EQ(a.retry_ms, 5u);
}

TEST(client, a_stream_that_ends_early_says_when_to_come_back) {
  real_world w;
  listener server;
  w.fetch_from(server.url(), post_of(3, "{}"));
  auto s = server.accept();
  s.read();
  s.send(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
      "id: 1\nretry: 500\ndata: \n\n");
  const auto primed = w.events();
  EXPECT_EQ(primed.retry_ms, 500u);
  EXPECT_EQ(primed.events.at(0).id, "1");
  EXPECT_EQ(primed.events.at(0).data, "");
  s.send("retry: 700\n\n");
  s.close();
  const auto a = w.answer();
  EXPECT_EQ(a.end, fetch_end::complete);
  EXPECT_EQ(a.retry_ms, 700u) << "said without an event";
}

TEST(client, informational_answers_come_before_the_real_one) {
  real_world w;
  listener server;
  w.fetch_from(server.url(), post_of(1, "{}"));
  auto s = server.accept();
  s.read();
  s.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + json_ok);
  const auto a = w.answer();
  EXPECT_EQ(a.status, 200);
  EXPECT_EQ(*a.body, "{}");
}

TEST(client, an_answer_until_the_end_of_the_connection) {
  real_world w;
  listener server;
  w.fetch_from(server.url(), post_of(1, "{}"));
  auto s = server.accept();
  s.read();
  s.send("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n[1]");
  s.close();
  const auto a = w.answer();
  EXPECT_EQ(a.end, fetch_end::complete);
  EXPECT_EQ(*a.body, "[1]");
}

TEST(client, what_is_not_http) {
  real_world w;
  listener server;
  w.fetch_from(server.url(), post_of(1, "{}"));
  auto s = server.accept();
  s.read();
  s.send("SSH-2.0-OpenSSH_9.2\r\n");
  const auto a = w.answer();
  EXPECT_EQ(a.end, fetch_end::malformed);
  EXPECT_EQ(a.why, "the answer is not HTTP/1.1");
  EXPECT_TRUE(s.ended());
}

TEST(client, the_cap_on_answers) {
  real_world w;
  listener server;
  destination small;
  small.max_response_bytes = 100;
  const std::string over(101, 'x');
  for (const auto& answer :
       {response(200, "application/json", over),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(over),
        "HTTP/1.1 200 OK\r\n\r\n" + over,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: " + over}) {
    w.fetch_from(server.url(), post_of(1, "{}"), small);
    auto s = server.accept();
    s.read();
    s.send(answer);
    const auto a = w.answer();
    EXPECT_EQ(a.end, fetch_end::too_large) << answer;
    EXPECT_FALSE(a.why.empty());
    EXPECT_TRUE(s.ended()) << "the rest is not read";
  }
}

TEST(client, nobody_listens) {
  real_world w;
  listener server;
  const auto url = server.url();
  server.close();
  w.fetch_from(url, post_of(9, "{}"));
  const auto a = w.answer();
  EXPECT_EQ(a.id, 9u);
  EXPECT_EQ(a.end, fetch_end::connect_failed);
  EXPECT_EQ(a.obstacle, obstacle::unreachable);
  EXPECT_TRUE(a.untouched);
  EXPECT_FALSE(a.why.empty());
}

TEST(client, a_name_without_an_address) {
  real_world w;
  w.fetch_from("http://no-such-host.invalid/", post_of(1, "{}"));
  const auto a = w.answer();
  EXPECT_EQ(a.end, fetch_end::connect_failed);
  EXPECT_EQ(a.obstacle, obstacle::unresolved);
  EXPECT_TRUE(a.untouched);
  EXPECT_NE(a.why.find("resolve"), std::string::npos) << a.why;
}

TEST(client, abandoned_fetches_end_their_connection_and_say_nothing) {
  real_world w;
  listener server;
  w.fetch_from(server.url(), post_of(1, "{}"));
  auto s = server.accept();
  s.read();
  w.abandon(1);
  EXPECT_TRUE(s.ended());
  w.abandon(1);
  w.abandon(77);
  w.fetch_from(server.url(), post_of(2, "{}"));
  auto next = server.accept();
  next.read();
  next.send(json_ok);
  EXPECT_EQ(w.answer().id, 2u);
  EXPECT_FALSE(w.any_answer());
}

}  // namespace
}  // namespace gate::testing
