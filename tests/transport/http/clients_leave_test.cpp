// Clients that vanish, clients that do not read, and how INGRESS comes to its end.
#include <gtest/gtest.h>

#include "protocol/limits.hpp"
#include "tests/transport/support/real_world.hpp"

namespace gate::testing {
namespace {

TEST(clients_leave, while_they_wait) {
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  auto d = w.arrival();
  c.close();
  EXPECT_EQ(w.gone(), d.from->number());
  w.with(d, [](exchange& e) {
    EXPECT_FALSE(e.alive());
    e.respond(head(200), {"nobody reads this"});
  });
  w.release(std::move(d));
}

TEST(clients_leave, by_a_reset) {
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  auto d = w.arrival();
  c.reset();
  EXPECT_EQ(w.gone(), d.from->number());
  w.release(std::move(d));
}

TEST(clients_leave, while_they_listen_to_a_stream) {
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  auto d = w.arrival();
  w.with(d, [](exchange& e) {
    e.open_stream("");
    EXPECT_TRUE(e.send("data: 1\n\n"));
  });
  c.read_until("data: 1\n\n");
  c.close();
  EXPECT_EQ(w.gone(), d.from->number());
  w.with(d, [](exchange& e) {
    EXPECT_FALSE(e.send("data: 2\n\n"));
    e.end_stream();
  });
  w.release(std::move(d));
}

TEST(clients_leave, in_the_middle_of_a_request) {
  real_world w;
  w.serve_by_hand();
  for (const std::string half : {"P", "POST / HTTP/1.1\r\nHost", "POST / HTTP/1.1\r\nHost: a\r\n\r",
                                 "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"}) {
    auto c = connect_to(w.port());
    c.send(half);
    c.finish();
    EXPECT_TRUE(c.ended()) << half;
  }
  EXPECT_FALSE(w.any_arrival());
}

TEST(clients_leave, numbers_are_never_reused) {
  real_world w;
  w.serve_by_hand();
  std::uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    auto c = connect_to(w.port());
    c.send(request("GET", "/"));
    auto d = w.arrival();
    EXPECT_GT(d.from->number(), last);
    last = d.from->number();
    w.release(std::move(d));
    EXPECT_EQ(c.read().status(), 500) << "nobody answered";
  }
}

TEST(slow_reader, is_cut_off_at_the_bound) {
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port(), 4096);
  c.send(request("GET", "/"));
  auto d = w.arrival();
  // Far more than the queue and whatever the kernel keeps together.
  constexpr std::size_t endless = 64 * limits::client_queue_bytes;
  std::size_t sent = 0;
  w.with(d, [&sent](exchange& e) {
    const std::string event = "data: " + std::string(60 * 1024, 'x') + "\n\n";
    e.open_stream("");
    while (sent < endless && e.send(event)) sent += event.size();
    EXPECT_FALSE(e.alive());
    EXPECT_FALSE(e.send("data: more\n\n"));
  });
  EXPECT_LT(sent, endless);
  EXPECT_GT(sent, limits::client_queue_bytes / 2);
  EXPECT_EQ(w.gone(), d.from->number());
  w.release(std::move(d));
}

TEST(slow_reader, below_the_bound_gets_everything) {
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port(), 4096);
  c.send(request("GET", "/"));
  auto d = w.arrival();
  const std::string event = "data: " + std::string(100 * 1024, 'x') + "\n\n";
  w.with(d, [&event](exchange& e) {
    e.open_stream("");
    for (int i = 0; i < 30; ++i) EXPECT_TRUE(e.send(event));
    e.end_stream();
  });
  EXPECT_EQ(c.read().body.size(), 30 * event.size());
  w.release(std::move(d));
  c.send(request("GET", "/again"));
  w.release(w.arrival());
}

// --- drain
// ------------------------------------------------------------------------------------------

TEST(drain, without_connections_it_is_over_at_once) {
  real_world w;
  w.serve_by_hand();
  w.drain().get();
  EXPECT_TRUE(refuses(w.port()));
}

TEST(drain, lets_running_requests_finish) {
  real_world w;
  w.serve_by_hand();
  auto idle = connect_to(w.port());
  auto busy = connect_to(w.port());
  busy.send(request("GET", "/1") + request("GET", "/2"));
  auto d = w.arrival();
  auto drained = w.drain();
  EXPECT_TRUE(idle.ended()) << "idle connections are closed";
  EXPECT_TRUE(refuses(w.port())) << "nobody new is let in";
  EXPECT_EQ(drained.wait_for(std::chrono::seconds{0}), std::future_status::timeout);
  w.with(d, [](exchange& e) { e.respond(head(200, "text/plain"), {"last"}); });
  w.release(std::move(d));
  const auto m = busy.read();
  EXPECT_EQ(m.body, "last");
  EXPECT_EQ(m.header("connection"), "close");
  EXPECT_TRUE(busy.ended()) << "what was pipelined is not served";
  busy.close();
  drained.get();
}

TEST(drain, waits_for_streams) {
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  auto d = w.arrival();
  w.with(d, [](exchange& e) { e.open_stream(""); });
  c.read_until("\r\n\r\n");
  auto drained = w.drain();
  w.with(d, [](exchange& e) {
    EXPECT_TRUE(e.send("data: last words\n\n"));
    e.end_stream();
  });
  EXPECT_EQ(c.read_to_end(), chunk("data: last words\n\n") + "0\r\n\r\n");
  c.close();
  drained.get();
  w.release(std::move(d));
}

TEST(drain, cut_ends_what_does_not_finish) {
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port());
  c.send(request("GET", "/"));
  auto d = w.arrival();
  auto drained = w.drain();
  caf::anon_send(w.doors().ingress, cut{});
  drained.get();
  EXPECT_TRUE(c.ended());
  w.release(std::move(d));
}

}  // namespace
}  // namespace gate::testing
