#include "transport/process/port_owner.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/transport/support/sockets.hpp"

namespace gate::process {
namespace {

TEST(port_owners, are_who_listens) {
  testing::listener socket;
  const auto owner = find_port_owner(socket.port());
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->pid, ::getpid());
  EXPECT_EQ(owner->name, "transport_tests");
  const auto port = socket.port();
  socket.close();
  EXPECT_FALSE(find_port_owner(port));
}

}  // namespace
}  // namespace gate::process
