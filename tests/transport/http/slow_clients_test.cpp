// Clients that take their answers slowly, for as long as the deadline allows.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "protocol/limits.hpp"
#include "tests/transport/support/real_world.hpp"

namespace gate::testing {
namespace {

/// Without waiting; the number of bytes.
std::size_t take(const peer& p, std::size_t n) {
  std::string into(n, 0);
  const auto got = ::recv(p.fd(), into.data(), n, MSG_DONTWAIT);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

TEST(slow_client, a_byte_now_and_then_is_not_enough) {
  // Far more than the kernels take, so that the rest waits in our memory.
  const std::string large(16 * 1024 * 1024, 'x');
  real_world w;
  w.serve([&large](const exchange_ptr& e) { e->respond(head(200, "text/plain"), {large}); });
  auto dribbler = connect_to(w.port(), 4096);
  auto slow = connect_to(w.port(), 4096);
  for (auto* c : {&dribbler, &slow}) c->send(request("GET", "/", {}, "Connection: close\r\n"));
  using clock = std::chrono::steady_clock;
  // Deadlines are coarse: up to three seconds late.
  const auto until = clock::now() + limits::write_stall + std::chrono::seconds{4};
  std::size_t dribbled = 0, taken = 0;
  while (clock::now() < until) {
    dribbled += take(dribbler, 10);  // 100 bytes a second
    taken += take(slow, 1024);       // 10 KiB a second
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  // What the kernel has already taken over still comes.
  EXPECT_LT(dribbled + dribbler.read_to_end().size(), large.size());
  EXPECT_GT(taken + slow.read_to_end().size(), large.size());
}

}  // namespace
}  // namespace gate::testing
