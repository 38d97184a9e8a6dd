#include "transport/http/peer_name.hpp"

#include <gtest/gtest.h>

namespace gate::http {
namespace {

TEST(peer_name, who_owns_a_network_of_64_bits_is_one) {
  const auto name = [](const char* text) { return peer_name(boost::asio::ip::make_address(text)); };
  EXPECT_EQ(name("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(name("::ffff:192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(name("2001:db8:1:2::1"), "2001:db8:1:2::/64");
  EXPECT_EQ(name("2001:db8:1:2:ffff:1:2:3"), name("2001:db8:1:2::1"));
  EXPECT_NE(name("2001:db8:1:3::1"), name("2001:db8:1:2::1"));
  EXPECT_EQ(name("fe80::1%1"), "fe80::/64");
}

}  // namespace
}  // namespace gate::http
