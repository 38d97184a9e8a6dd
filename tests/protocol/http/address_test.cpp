#include "protocol/http/address.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gate::http {
namespace {

std::optional<reach> reach_at(std::string_view text) {
  if (const auto v4 = read_ipv4(text)) return reach_of(*v4);
  if (const auto v6 = read_ipv6(text)) return reach_of(*v6);
  return {};
}

struct row {
  const char* text;
  reach who;
};

// The first and the last of each network, and their neighbours outside.
constexpr row of_ipv4[] = {
    {"0.0.0.0", reach::unspecified},
    {"0.0.0.1", reach::unspecified},
    {"0.255.255.255", reach::unspecified},
    {"1.0.0.0", reach::anybody},
    {"1.1.1.1", reach::anybody},
    {"8.8.8.8", reach::anybody},
    {"9.255.255.255", reach::anybody},
    {"10.0.0.0", reach::private_use},
    {"10.255.255.255", reach::private_use},
    {"11.0.0.0", reach::anybody},
    {"100.63.255.255", reach::anybody},
    {"100.64.0.0", reach::carrier_nat},
    {"100.100.100.200", reach::carrier_nat},
    {"100.127.255.255", reach::carrier_nat},
    {"100.128.0.0", reach::anybody},
    {"126.255.255.255", reach::anybody},
    {"127.0.0.0", reach::loopback},
    {"127.0.0.1", reach::loopback},
    {"127.1.2.3", reach::loopback},
    {"127.255.255.255", reach::loopback},
    {"128.0.0.0", reach::anybody},
    {"169.253.255.255", reach::anybody},
    {"169.254.0.0", reach::link_local},
    {"169.254.169.254", reach::link_local},
    {"169.254.255.255", reach::link_local},
    {"169.255.0.0", reach::anybody},
    {"172.15.255.255", reach::anybody},
    {"172.16.0.0", reach::private_use},
    {"172.31.255.255", reach::private_use},
    {"172.32.0.0", reach::anybody},
    {"191.255.255.255", reach::anybody},
    {"192.0.0.0", reach::reserved},
    {"192.0.0.192", reach::reserved},
    {"192.0.0.255", reach::reserved},
    {"192.0.1.0", reach::anybody},
    {"192.0.2.0", reach::documentation},
    {"192.0.2.255", reach::documentation},
    {"192.0.3.0", reach::anybody},
    {"192.31.196.1", reach::reserved},
    {"192.52.193.1", reach::reserved},
    {"192.88.98.255", reach::anybody},
    {"192.88.99.0", reach::six_to_four},
    {"192.88.99.255", reach::six_to_four},
    {"192.88.100.0", reach::anybody},
    {"192.167.255.255", reach::anybody},
    {"192.168.0.0", reach::private_use},
    {"192.168.255.255", reach::private_use},
    {"192.169.0.0", reach::anybody},
    {"192.175.48.1", reach::reserved},
    {"198.17.255.255", reach::anybody},
    {"198.18.0.0", reach::benchmarking},
    {"198.19.255.255", reach::benchmarking},
    {"198.20.0.0", reach::anybody},
    {"198.51.99.255", reach::anybody},
    {"198.51.100.0", reach::documentation},
    {"198.51.100.255", reach::documentation},
    {"198.51.101.0", reach::anybody},
    {"203.0.112.255", reach::anybody},
    {"203.0.113.0", reach::documentation},
    {"203.0.113.255", reach::documentation},
    {"203.0.114.0", reach::anybody},
    {"223.255.255.255", reach::anybody},
    {"224.0.0.0", reach::multicast},
    {"239.255.255.255", reach::multicast},
    {"240.0.0.0", reach::reserved},
    {"255.255.255.254", reach::reserved},
    {"255.255.255.255", reach::reserved},
};

constexpr row of_ipv6[] = {
    {"::", reach::unspecified},
    {"0:0:0:0:0:0:0:0", reach::unspecified},
    {"::1", reach::loopback},
    {"::2", reach::embedded_ipv4},
    {"::127.0.0.1", reach::embedded_ipv4},
    {"::8.8.8.8", reach::embedded_ipv4},
    {"::ffff:127.0.0.1", reach::embedded_ipv4},
    {"::ffff:7f00:1", reach::embedded_ipv4},
    {"::ffff:8.8.8.8", reach::embedded_ipv4},
    {"::ffff:0:127.0.0.1", reach::embedded_ipv4},
    {"::fffe:127.0.0.1", reach::reserved},
    {"::1:0:0:0", reach::reserved},
    {"64:ff9b::", reach::nat64},
    {"64:ff9b::7f00:1", reach::nat64},
    {"64:ff9b::8.8.8.8", reach::nat64},
    {"64:ff9b::1:0:0", reach::reserved},
    {"64:ff9b:1::", reach::nat64},
    {"64:ff9b:1:ffff:ffff:ffff:ffff:ffff", reach::nat64},
    {"64:ff9b:2::", reach::reserved},
    {"100::", reach::discard},
    {"100::ffff:ffff:ffff:ffff", reach::discard},
    {"100:0:0:1::5", reach::discard},
    {"100:0:0:2::", reach::reserved},
    {"1fff:ffff::", reach::reserved},
    {"2000::", reach::anybody},
    {"2001::", reach::teredo},
    {"2001:0:ffff:ffff:ffff:ffff:ffff:ffff", reach::teredo},
    {"2001:1::1", reach::reserved},
    {"2001:2::", reach::benchmarking},
    {"2001:2:0:ffff::", reach::benchmarking},
    {"2001:2:1::", reach::reserved},
    {"2001:10::", reach::orchid},
    {"2001:1f:ffff::", reach::orchid},
    {"2001:20::", reach::orchid},
    {"2001:2f:ffff::", reach::orchid},
    {"2001:30::", reach::reserved},
    {"2001:1ff:ffff::", reach::reserved},
    {"2001:200::", reach::anybody},
    {"2001:4860:4860::8888", reach::anybody},
    {"2001:db7:ffff::", reach::anybody},
    {"2001:db8::", reach::documentation},
    {"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", reach::documentation},
    {"2001:db9::", reach::anybody},
    {"2002::", reach::six_to_four},
    {"2002:7f00:1::", reach::six_to_four},
    {"2002:ffff::", reach::six_to_four},
    {"2003::", reach::anybody},
    {"2606:4700:4700::1111", reach::anybody},
    {"2620:4f:8000::42", reach::reserved},
    {"2620:4f:8001::", reach::anybody},
    {"2a00:1450:4001:81b::200e", reach::anybody},
    {"3ffe::1", reach::reserved},
    {"3fff::", reach::documentation},
    {"3fff:fff:ffff::", reach::documentation},
    {"3fff:1000::", reach::anybody},
    {"4000::", reach::reserved},
    {"5f00::1", reach::reserved},
    {"fbff:ffff::", reach::reserved},
    {"fc00::", reach::unique_local},
    {"fd00:ec2::254", reach::unique_local},
    {"fdff:ffff::", reach::unique_local},
    {"fe00::", reach::reserved},
    {"fe7f:ffff::", reach::reserved},
    {"fe80::", reach::link_local},
    {"fe80::1", reach::link_local},
    {"febf:ffff::", reach::link_local},
    {"fec0::", reach::site_local},
    {"feff:ffff::", reach::site_local},
    {"ff00::", reach::multicast},
    {"ff02::1", reach::multicast},
    {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", reach::multicast},
};

TEST(an_address, is_judged_by_the_registries) {
  for (const auto& r : of_ipv4) EXPECT_EQ(reach_at(r.text), r.who) << r.text;
  for (const auto& r : of_ipv6) EXPECT_EQ(reach_at(r.text), r.who) << r.text;
}

/// However an IPv4 address is put into IPv6: what carries it is refused, that of anybody as well.
TEST(an_address, within_another_is_never_public) {
  for (const auto& r : of_ipv4)
    for (const std::string before : {"::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"}) {
      const auto who = reach_at(before + r.text);
      ASSERT_TRUE(who) << before << r.text;
      EXPECT_NE(who, reach::anybody) << before << r.text;
    }
}

TEST(an_address, says_which_rule_it_is) {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(reach::orchid); ++i) {
    const auto said = describe(static_cast<reach>(i));
    EXPECT_TRUE(said.starts_with("a ") || said.starts_with("an ")) << said;
    words.insert(said);
  }
  EXPECT_EQ(words.size(), 18U);
  EXPECT_EQ(describe(reach::anybody), "a public address");
  EXPECT_EQ(describe(reach::carrier_nat), "an address of a carrier's network (CGNAT)");
  EXPECT_EQ(describe(reach::nat64), "a NAT64 address");
  EXPECT_EQ(describe(reach::orchid), "an ORCHID");
}

TEST(an_address, has_one_form_in_ipv4) {
  EXPECT_EQ(read_ipv4("1.2.3.255"), (ipv4{1, 2, 3, 255}));
  EXPECT_EQ(read_ipv4("0.0.0.0"), ipv4{});
  for (const auto* bad :
       {"",         "1",          "127.1",      "1.2.3",      "1.2.3.",     ".1.2.3",
        "1.2.3.4.", "1.2.3.4.5",  "1..2.3",     "1.2.3.256",  "1.2.3.1000", "01.2.3.4",
        "1.2.3.00", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "0x7f000001", "+1.2.3.4",
        "-1.2.3.4", " 1.2.3.4",   "1.2.3.4 ",   "1.2.3.a",    "1,2,3,4",    "::1"})
    EXPECT_FALSE(read_ipv4(bad)) << bad;
}

TEST(an_address, is_read_in_all_forms_of_ipv6) {
  const ipv6 full{0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0A};
  for (const auto* good :
       {"2001:db8::a", "2001:DB8::A", "2001:0db8:0:0:0:0:0:000a", "2001:db8:0:0:0:0:0:a",
        "2001:db8:0::0:a", "2001:db8::0.0.0.10", "2001:db8:0:0:0:0:0.0.0.10"})
    EXPECT_EQ(read_ipv6(good), full) << good;
  EXPECT_EQ(read_ipv6("1::")->front(), 0);
  EXPECT_EQ((*read_ipv6("1::"))[1], 1);
  EXPECT_EQ(read_ipv6("::1:2:3:4:5:6:7")->back(), 7);
  for (const auto* bad : {"",
                          "1",
                          ":",
                          ":::",
                          "1:",
                          ":1",
                          "1::2::3",
                          "1:2:3:4:5:6:7",
                          "1:2:3:4:5:6:7:8:9",
                          "1:2:3:4::5:6:7:8",
                          "12345::",
                          "g::",
                          "::1%eth0",
                          "fe80::1%25lo",
                          "[::1]",
                          "::1 ",
                          " ::1",
                          "::1.2.3",
                          "::1.2.3.4:5",
                          "::1.2.3.04",
                          "1:2:3:4:5:6:7:1.2.3.4",
                          "::+1",
                          "::-1",
                          "127.0.0.1"})
    EXPECT_FALSE(read_ipv6(bad)) << bad;
}

}  // namespace
}  // namespace gate::http
