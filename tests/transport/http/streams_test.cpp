// Event streams as clients see them.
#include <gtest/gtest.h>

#include <atomic>

#include "tests/transport/support/held.hpp"
#include "tests/transport/support/real_world.hpp"

namespace gate::testing {
namespace {

void three_events(const exchange_ptr& e) {
  if (e->request().method() != verb::get) return e->respond(head(202), {});
  e->open_stream("Mcp-Session-Id: s\r\n");
  for (const std::string n : {"1", "2", "3"}) e->send("data: " + n + "\n\n");
  e->end_stream();
}

const std::string events = "data: 1\n\ndata: 2\n\ndata: 3\n\n";

TEST(streams, come_in_chunks_and_leave_the_connection_usable) {
  real_world w;
  w.serve(three_events);
  auto c = connect_to(w.port());
  for (int i = 0; i < 3; ++i) {
    c.send(request("GET", "/"));
    const auto m = c.read();
    EXPECT_EQ(m.status(), 200);
    EXPECT_EQ(m.header("content-type"), "text/event-stream");
    EXPECT_EQ(m.header("cache-control"), "no-cache, no-transform");
    EXPECT_EQ(m.header("x-accel-buffering"), "no");
    EXPECT_EQ(m.header("mcp-session-id"), "s");
    EXPECT_EQ(m.header("transfer-encoding"), "chunked");
    EXPECT_EQ(m.header("content-length"), "");
    EXPECT_EQ(m.body, events);
    c.send(request("POST", "/", "x"));
    EXPECT_EQ(c.read().status(), 202);
  }
}

/// What is gathered until the turn ends must not look like a client that does not read.
TEST(streams, a_burst_does_not_wait_for_the_end_of_the_turn) {
  real_world w;
  std::atomic<std::size_t> waits = 0;
  const std::string event = "data: " + std::string(8000, 'x') + "\n\n";
  w.serve([&](const exchange_ptr& e) {
    e->open_stream("");
    for (int i = 0; i < 3; ++i) e->send(event);
    waits = e->queued();
    e->end_stream();
  });
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  EXPECT_EQ(c.read().body, event + event + event);
  EXPECT_LT(waits, 2 * event.size());
}

/// They stay open for hours, and there may be as many as there are connections.
TEST(streams, hold_nothing_of_the_requests_that_opened_them) {
  const std::string body(60'000, 'x'), header = "X: " + body + "\r\n";
  real_world w;
  w.serve_by_hand();
  std::vector<peer> clients;
  std::vector<delivery> all;
  const auto before = held();
  for (int i = 0; i < 64; ++i) {
    clients.push_back(connect_to(w.port()));
    clients.back().send(request("GET", "/", i % 2 ? body : "", header));
    all.push_back(w.arrival());
    w.with(all.back(), [](exchange& e) {
      EXPECT_FALSE(e.request().headers().empty());
      e.open_stream({});
    });
    clients.back().read_until("\r\n\r\n");
  }
  EXPECT_LT(held(), before + 2 * 1024 * 1024);
  for (auto& d : all) w.release(std::move(d));
}

/// A call may be sent, or sent again, while its answer is a stream already: with the trace context
/// of its header.
TEST(streams, of_calls_keep_their_request) {
  real_world w;
  w.serve([](const exchange_ptr& e) {
    e->open_stream({});
    EXPECT_EQ(e->request().header("traceparent"), "00-1");
    EXPECT_EQ(e->request().body, "call");
    e->end_stream();
  });
  auto c = connect_to(w.port());
  c.send(request("POST", "/", "call", "traceparent: 00-1\r\n"));
  EXPECT_EQ(c.read().status(), 200);
}

TEST(streams, run_to_the_end_of_the_connection_for_old_clients) {
  real_world w;
  w.serve(three_events);
  auto c = connect_to(w.port());
  c.send("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
  const auto m = c.read();
  EXPECT_EQ(m.header("transfer-encoding"), "");
  EXPECT_EQ(m.header("connection"), "close");
  EXPECT_EQ(c.read_to_end(), events);
}

TEST(streams, bytes_arrive_when_they_are_sent) {
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  auto d = w.arrival();
  w.with(d, [](exchange& e) { e.open_stream(""); });
  c.read_until("\r\n\r\n");
  for (const std::string text : {"data: a\n\n", ": keep-alive\n\n", "data: b\n\n"}) {
    w.with(d, [&](exchange& e) { EXPECT_TRUE(e.send(text)); });
    EXPECT_EQ(c.read_until(text + "\r\n"), chunk(text));
  }
  w.with(d, [](exchange& e) {
    EXPECT_TRUE(e.send("")) << "an empty chunk would end the stream";
    e.end_stream();
    EXPECT_FALSE(e.send("data: late\n\n"));
  });
  EXPECT_EQ(c.read_until("0\r\n\r\n"), "0\r\n\r\n");
  w.release(std::move(d));
}

TEST(streams, small_and_large_pieces_keep_their_order) {
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port(), 8192);
  c.send(request("GET", "/"));
  auto d = w.arrival();
  std::string expected;
  w.with(d, [&expected](exchange& e) {
    e.open_stream("");
    for (int i = 0; i < 40; ++i) {
      const std::size_t size = i % 3 == 0 ? 10 : i % 3 == 1 ? 20'000 : 50'000;
      const std::string piece(size, static_cast<char>('a' + i % 26));
      EXPECT_TRUE(e.send(piece));
      expected += piece;
    }
    e.end_stream();
  });
  EXPECT_TRUE(c.read().body == expected);
  w.release(std::move(d));
}

TEST(streams, dropping_the_exchange_cuts_the_stream) {
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  auto d = w.arrival();
  w.with(d, [](exchange& e) {
    e.open_stream("");
    e.send("data: 1\n\n");
  });
  c.read_until("data: 1\n\n\r\n");
  w.release(std::move(d));
  EXPECT_TRUE(c.ended()) << "without the last chunk: the client knows that there was more";
}

TEST(streams, requests_that_come_meanwhile_wait) {
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port());
  c.send(request("GET", "/1") + request("GET", "/2"));
  auto d = w.arrival();
  w.with(d, [](exchange& e) { e.open_stream(""); });
  c.read_until("\r\n\r\n");
  EXPECT_FALSE(w.any_arrival());
  w.with(d, [](exchange& e) { e.end_stream(); });
  auto second = w.arrival();
  w.with(second, [](exchange& e) { EXPECT_EQ(e.request().head->target, "/2"); });
  w.release(std::move(second));
  w.release(std::move(d));
}

}  // namespace
}  // namespace gate::testing
