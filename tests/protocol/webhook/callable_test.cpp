#include "protocol/webhook/callable.hpp"

#include <gtest/gtest.h>

#include "protocol/limits/webhooks.hpp"

namespace gate::webhook {
namespace {

const calling usual_calling;
const calling development_calling{true, {}};

std::string url_refusal(const std::string& text, const calling& rules = usual_calling) {
  const auto url = read_callable(text, rules);
  return url ? "" : url.error().what;
}

TEST(a_callable_url, is_of_the_public_internet) {
  for (const auto* good :
       {"https://a.example.com", "https://a.example.com/hooks?x=1", "https://a.example.com:8443/",
        "HTTPS://A.Example.COM/", "https://a.example.com:65535/", "https://8.8.8.8/",
        "https://[2606:4700:4700::1111]/", "https://xn--bcher-kva.example.com/",
        "https://my_host.example.com/", "https://localhost.example.com/",
        "https://notlocalhost.com/", "https://internal.example.com/", "https://mylocal.net/",
        "https://a.example.com/@b", "https://a.example.com/?u=http://127.0.0.1/"}) {
    EXPECT_EQ(url_refusal(good), "") << good;
    EXPECT_EQ(url_refusal(good, development_calling), "") << good;
  }
  EXPECT_EQ(read_callable("https://A.example.com/x", usual_calling)->origin(),
            "https://a.example.com:443");
}

TEST(a_callable_url, is_no_trick) {
  const std::pair<const char*, const char*> table[] = {
      {"http://a.example.com/", "the URL must begin with https://"},
      {"ftp://a.example.com/", "a URL begins with http:// or https://"},
      {"//a.example.com/", "a URL begins with http:// or https://"},
      {"", "a URL begins with http:// or https://"},
      {"https://user@a.example.com/", "user information is not allowed in a URL"},
      {"https://user:pw@a.example.com/", "user information is not allowed in a URL"},
      {"https://a.example.com@127.0.0.1/", "user information is not allowed in a URL"},
      {"https://a.example.com/#x", "a URL has no fragment here"},
      {"https://a.example.com#@b", "a URL has no fragment here"},
      {"https://a.example.com:0/", "the port is not a number from 1 to 65535"},
      {"https://a.example.com:65536/", "the port is not a number from 1 to 65535"},
      {"https://a.example.com:x/", "the port is not a number from 1 to 65535"},
      {"https://a.example.com:/", "the port is not a number from 1 to 65535"},
      {"https://b\xC3\xBC"
       "cher.example.com/",
       "a URL contains printable ASCII only"},
      {"https://a.example.com/\r\nX: y", "a URL contains printable ASCII only"},
      {"https://\xE2\x91\xA0\xE2\x91\xA1\xE2\x91\xA6.0.0.1/",
       "a URL contains printable ASCII only"},
      {"https://a%2eexample.com/", "the host contains a character that host names do not have"},
      {"https://a.example.com\\.b/", "the host contains a character that host names do not have"},
      {"https:///x", "the host is empty"},
      {"https://a..example.com/", "the host has an empty label"},
      {"https://a.example.com./", "the host must not end with a dot"},
      {"https://localhost/", "the host is a name that is not of the public internet"},
      {"https://LOCALHOST:8443/", "the host is a name that is not of the public internet"},
      {"https://localhost./", "the host must not end with a dot"},
      {"https://a.localhost/", "the host is a name that is not of the public internet"},
      {"https://printer.local/", "the host is a name that is not of the public internet"},
      {"https://metadata.google.internal/",
       "the host is a name that is not of the public internet"},
      {"https://localhost.localdomain/", "the host is a name that is not of the public internet"},
      {"https://a.home.arpa/", "the host is a name that is not of the public internet"},
      {"https://abc.onion/", "the host is a name that is not of the public internet"},
      {"https://metadata/", "the host is not a full name"},
      {"https://127.0.0.1/", "the host is a loopback address"},
      {"https://127.0.0.1./", "the host is not a valid IPv4 address"},
      {"https://0.0.0.0/", "the host is an unspecified address"},
      {"https://10.1.2.3/", "the host is a private address"},
      {"https://169.254.169.254/latest/", "the host is a link-local address"},
      {"https://100.100.100.200/", "the host is an address of a carrier's network (CGNAT)"},
      {"https://255.255.255.255/", "the host is a reserved address"},
      {"https://2130706433/", "the host is not a valid IPv4 address"},
      {"https://0x7f000001/", "the host is not a valid IPv4 address"},
      {"https://0x7f.0.0.1/", "the host is not a valid IPv4 address"},
      {"https://0177.0.0.1/", "the host is not a valid IPv4 address"},
      {"https://017700000001/", "the host is not a valid IPv4 address"},
      {"https://127.1/", "the host is not a valid IPv4 address"},
      {"https://127.0x1/", "the host is not a valid IPv4 address"},
      {"https://256.1.1.1/", "the host is not a valid IPv4 address"},
      {"https://[::1]/", "the host is a loopback address"},
      {"https://[::]/", "the host is an unspecified address"},
      {"https://[::ffff:127.0.0.1]/", "the host is an IPv4 address within IPv6"},
      {"https://[::ffff:8.8.8.8]/", "the host is an IPv4 address within IPv6"},
      {"https://[64:ff9b::7f00:1]/", "the host is a NAT64 address"},
      {"https://[2002:7f00:1::]/", "the host is a 6to4 address"},
      {"https://[2001::1]/", "the host is a Teredo address"},
      {"https://[fd00:ec2::254]/", "the host is a unique local address"},
      {"https://[fe80::1]/", "the host is a link-local address"},
      {"https://[fe80::1%25eth0]/", "the host is not a valid IPv6 address"},
      {"https://[fe80::1%eth0]/", "the host is not a valid IPv6 address"},
      {"https://[ff02::1]/", "the host is a multicast address"},
      {"https://[::1/", "the host is not a valid IPv6 address"},
  };
  for (const auto& [text, why] : table) EXPECT_EQ(url_refusal(text), why) << text;
}

TEST(a_callable_url, has_a_bound) {
  std::string text = "https://a.example.com/";
  text.append(limits::webhook_url_bytes - text.size(), 'x');
  EXPECT_EQ(url_refusal(text), "");
  EXPECT_EQ(url_refusal(text + 'x'), "the URL is longer than 2048 bytes");
}

/// The switch opens this machine alone, not the networks that it is in.
TEST(a_callable_url, of_development_may_be_of_this_machine) {
  for (const auto* good : {"http://localhost:8080/x", "http://127.0.0.1:8080/", "http://[::1]/",
                           "https://localhost/", "http://a.localhost/", "http://a.example.com/"})
    EXPECT_EQ(url_refusal(good, development_calling), "") << good;
  for (const auto* bad : {"http://10.0.0.1/", "http://0.0.0.0/", "http://[::ffff:127.0.0.1]/",
                          "http://169.254.169.254/", "http://printer.local/", "http://metadata/",
                          "http://2130706433/", "http://[fe80::1]/", "http://localhost./"})
    EXPECT_NE(url_refusal(bad, development_calling), "") << bad;
}

TEST(a_callable_url, is_of_the_hosts_that_are_named) {
  const calling named{false, {"hooks.example.com", "*.example.net", "8.8.8.8", "localhost"}};
  for (const auto* good :
       {"https://hooks.example.com/", "https://HOOKS.example.com:444/", "https://a.example.net/",
        "https://a.b.example.net/", "https://8.8.8.8/"})
    EXPECT_EQ(url_refusal(good, named), "") << good;
  for (const auto* bad :
       {"https://example.com/", "https://a.hooks.example.com/", "https://example.net/",
        "https://aexample.net/", "https://8.8.4.4/", "https://example.net.evil.com/"})
    EXPECT_EQ(url_refusal(bad, named), "the host is not among those that the operator allows")
        << bad;
  EXPECT_EQ(url_refusal("https://localhost/", named),
            "the host is a name that is not of the public internet")
      << "to be named does not make a host public";
}

TEST(a_callable_address, may_be_connected_to_if_it_is_public) {
  for (int i = 0; i <= static_cast<int>(http::reach::orchid); ++i) {
    const auto who = static_cast<http::reach>(i);
    EXPECT_EQ(http::admits(callable_peers({}), who), who == http::reach::anybody);
    EXPECT_EQ(http::admits(callable_peers({.loopback = true, .hosts = {}}), who),
              who == http::reach::anybody || who == http::reach::loopback);
    EXPECT_TRUE(http::admits(http::peers::all, who));
  }
}

}  // namespace
}  // namespace gate::webhook
