// Clients that take their answers slowly, for as long as the deadline allows.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>

#include "protocol/limits.hpp"
#include "tests/transport/support/held.hpp"
#include "tests/transport/support/real_world.hpp"
#include "transport/http/send_buffer.hpp"

namespace gate::testing {
namespace {

/// Without waiting; the number of bytes.
std::size_t take(const peer& p, std::size_t n) {
  std::string into(n, 0);
  const auto got = ::recv(p.fd(), into.data(), n, MSG_DONTWAIT);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

/// The time of the server under test, ahead of the real one by what the test lets pass.
std::atomic<std::chrono::steady_clock::duration> ahead{};
std::chrono::steady_clock::time_point time_of_server() {
  return std::chrono::steady_clock::now() + ahead.load();
}

/// Lets time pass for whoever is connected, and returns when all deadlines were looked at: of those
/// who are too slow to say what they want, one falls to this look at the latest, the other to the
/// next.
void pass(real_world& w, std::chrono::seconds time) {
  for (const auto step :
       {time, std::chrono::seconds{limits::header_read} + std::chrono::seconds{2}}) {
    auto witness = connect_to(w.port());
    witness.send("GET / HT");
    w.on_unit(0, [] {});  // it has been read
    ahead = ahead.load() + step;
    witness.read_to_end();
  }
}

TEST(slow_client, a_byte_now_and_then_is_not_enough) {
  // Far more than the kernels take, so that the rest waits in our memory.
  std::string large(16 * 1024 * 1024, 'x');
  large[large.size() / 2] = '|';
  real_world w(1, 1024 * 1024, [](runtime::options& o) { o.now = &time_of_server; });
  w.serve([&large](const exchange_ptr& e) { e->respond(head(200, "text/plain"), {large}); });
  auto dribbler = connect_to(w.port(), 4096);
  auto slow = connect_to(w.port(), 4096);
  for (auto* c : {&dribbler, &slow}) c->send(request("GET", "/", {}, "Connection: close\r\n"));
  for (auto* c : {&dribbler, &slow}) c->read_until("\r\n\r\n");
  // Of what waits, an eighth is asked for. Half of all is more than that also if nothing is written
  // behind what the kernel had taken over until this end has it.
  const auto taken = slow.read_until("|").size();
  pass(w, limits::write_stall + std::chrono::seconds{2});
  // What the kernel has already taken over still comes.
  EXPECT_LT(dribbler.read_to_end().size(), large.size());
  EXPECT_EQ(taken + slow.read_to_end().size(), large.size());
}

TEST(slow_client, must_take_some_of_what_waits_for_it) {
  EXPECT_EQ(http::least_taken(0), 30U * 1024);
  EXPECT_EQ(http::least_taken(8 * 1024 * 1024), 1024U * 1024);
}

TEST(slow_client, goes_if_too_much_waits_in_all) {
  const std::string large(8 * 1024 * 1024, 'x');
  real_world w(1, 1024 * 1024, [](runtime::options& o) { o.waiting_bytes = 32 * 1024 * 1024; });
  w.serve([&large](const exchange_ptr& e) { e->respond(head(200, "text/plain"), {large}); });
  std::vector<peer> clients;
  const auto before = held();
  for (int i = 0; i < 24; ++i) {
    clients.push_back(connect_to(w.port(), 4096));
    clients.back().send(request("GET", "/", {}, "Connection: close\r\n"));
    clients.back().read_until("\r\n\r\n");
  }
  // Who comes now is served: others went.
  auto quick = connect_to(w.port());
  quick.send(request("GET", "/"));
  EXPECT_EQ(quick.read().body.size(), large.size());
  EXPECT_LT(held(), before + 96 * 1024 * 1024);
  std::size_t whole = 0;
  for (auto& c : clients) whole += c.read_to_end().size() >= large.size();
  EXPECT_GE(whole, 1U);
  EXPECT_LE(whole, 6U);
}

TEST(slow_client, that_always_stays_behind_costs_what_it_has_not_taken) {
  const std::string event(64 * 1024, 'x');
  real_world w;
  w.serve_by_hand();
  auto c = connect_to(w.port(), 64 * 1024);
  c.send(request("GET", "/"));
  auto stream = w.arrival();
  w.with(stream, [](exchange& e) { e.open_stream({}); });
  const auto fill = [&] {
    w.with(stream, [&](exchange& e) {
      while (e.queued() < 56 * event.size()) ASSERT_TRUE(e.send(event));
    });
  };
  fill();
  const auto before = held();
  for (std::size_t taken = 0; taken < 96 * 1024 * 1024;) {
    taken += take(c, event.size());
    fill();  // in time: the kernel asks for more in large steps, and must never get all
  }
  EXPECT_LT(held(), before + 16 * 1024 * 1024);
  w.release(std::move(stream));
}

}  // namespace
}  // namespace gate::testing
