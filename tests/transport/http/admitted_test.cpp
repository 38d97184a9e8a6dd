#include "transport/http/admitted.hpp"

#include <gtest/gtest.h>

namespace gate::http {
namespace {

endpoints at(std::initializer_list<const char*> addresses) {
  endpoints out;
  for (const auto* a : addresses) out.emplace_back(boost::asio::ip::make_address(a), 443);
  return out;
}

TEST(admitted, all_of_them_unless_somebody_says_otherwise) {
  const auto found = at({"10.0.0.1", "::1", "1.1.1.1"});
  EXPECT_EQ(admitted(found, peers::all).to, found);
  EXPECT_EQ(admitted(found, peers::all).refused, "");
}

TEST(admitted, the_public_ones_in_their_order) {
  const auto a =
      admitted(at({"fe80::1", "2606:4700::1", "10.0.0.1", "1.1.1.1"}), peers::public_ones);
  EXPECT_EQ(a.to, at({"2606:4700::1", "1.1.1.1"}));
  EXPECT_NE(a.refused.find("fe80::1"), std::string::npos) << a.refused;
  EXPECT_NE(a.refused.find("link-local"), std::string::npos) << a.refused;
}

TEST(admitted, loopback_for_development) {
  const auto found = at({"127.0.0.1", "::1", "::ffff:127.0.0.1", "192.168.0.1"});
  EXPECT_EQ(admitted(found, peers::public_or_loopback).to, at({"127.0.0.1", "::1"}));
  EXPECT_TRUE(admitted(found, peers::public_ones).to.empty());
}

TEST(admitted, nothing_of_nothing) {
  EXPECT_TRUE(admitted({}, peers::public_ones).to.empty());
  EXPECT_EQ(admitted({}, peers::public_ones).refused, "");
}

}  // namespace
}  // namespace gate::http
