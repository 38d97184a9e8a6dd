#include "protocol/http/url.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gate::http {
namespace {

TEST(url, parts) {
  struct row {
    const char* text;
    bool tls;
    const char* host;
    int port;
    const char *target, *authority, *origin;
  };
  const row table[] = {
      {"http://a", false, "a", 80, "/", "a", "http://a:80"},
      {"https://a", true, "a", 443, "/", "a", "https://a:443"},
      {"HTTPS://Host.Example/MCP", true, "host.example", 443, "/MCP", "host.example",
       "https://host.example:443"},
      {"http://a:80/x", false, "a", 80, "/x", "a", "http://a:80"},
      {"http://a:443/x", false, "a", 443, "/x", "a:443", "http://a:443"},
      {"https://a:80", true, "a", 80, "/", "a:80", "https://a:80"},
      {"http://a:65535/", false, "a", 65535, "/", "a:65535", "http://a:65535"},
      {"http://a:00080/", false, "a", 80, "/", "a", "http://a:80"},
      {"http://a?x=1", false, "a", 80, "/?x=1", "a", "http://a:80"},
      {"http://a/b/c?d=/e?f:g@h", false, "a", 80, "/b/c?d=/e?f:g@h", "a", "http://a:80"},
      {"http://a?@b", false, "a", 80, "/?@b", "a", "http://a:80"},
      {"http://127.0.0.1:8080/mcp", false, "127.0.0.1", 8080, "/mcp", "127.0.0.1:8080",
       "http://127.0.0.1:8080"},
      {"http://[::1]/", false, "::1", 80, "/", "[::1]", "http://[::1]:80"},
      {"https://[2001:DB8::A]:8443", true, "2001:db8::a", 8443, "/", "[2001:db8::a]:8443",
       "https://[2001:db8::a]:8443"},
      {"http://my_service-1:1", false, "my_service-1", 1, "/", "my_service-1:1",
       "http://my_service-1:1"},
      {"http://a.example./", false, "a.example.", 80, "/", "a.example.", "http://a.example.:80"},
  };
  for (const auto& r : table) {
    auto u = parse_url(r.text);
    ASSERT_TRUE(u.has_value()) << r.text << ": " << u.error().what;
    EXPECT_EQ(u->tls, r.tls) << r.text;
    EXPECT_EQ(u->host, r.host) << r.text;
    EXPECT_EQ(u->port, r.port) << r.text;
    EXPECT_EQ(u->target, r.target) << r.text;
    EXPECT_EQ(u->authority(), r.authority) << r.text;
    EXPECT_EQ(u->origin(), r.origin) << r.text;
  }
}

constexpr std::string_view no_urls[] = {"",
                                        "a",
                                        "/x",
                                        "//a",
                                        "http",
                                        "http:",
                                        "http:/",
                                        "http:/a",
                                        "http:a",
                                        "http://",
                                        "https:///x",
                                        "http://?x",
                                        "http://:80",
                                        "ftp://a",
                                        "ws://a",
                                        "file:///x",
                                        "httpx://a",
                                        "http://a#f",
                                        "http://a/#",
                                        "http://a/x?y#z",
                                        "http://u@a",
                                        "http://u:p@a",
                                        "http://@a",
                                        "http://a@",
                                        "http://good\\@evil",
                                        "http://a:",
                                        "http://a:/",
                                        "http://a:0",
                                        "http://a:65536",
                                        "http://a:99999999999999999999",
                                        "http://a:-1",
                                        "http://a:+1",
                                        "http://a:8o",
                                        "http://a:80:80",
                                        "http://a: 80",
                                        " http://a",
                                        "http://a ",
                                        "http://a/b c",
                                        "http://a/\t",
                                        "http://a/\n",
                                        "http://a/\r\nX: y",
                                        "http://a/\x7f",
                                        "http://\xC3\xA9/",
                                        "http://a/\xC3\xA9",
                                        "http://a%20b",
                                        "http://%61",
                                        "http://a,b",
                                        "http://a*b",
                                        "http://(a)",
                                        "http://a\\b",
                                        "http://.a",
                                        "http://a..b",
                                        "http://.",
                                        "http://[",
                                        "http://[]",
                                        "http://[::1",
                                        "http://::1",
                                        "http://[::1]x",
                                        "http://[::1]:",
                                        "http://[1]",
                                        "http://[:::]",
                                        "http://[1::2::3]",
                                        "http://[1:2:3:4:5:6:7]",
                                        "http://[1:2:3:4::5:6:7:8]",
                                        "http://[1:2:3:4:5:6:7:8:9]",
                                        "http://[1:2:3:4:5:6:7::8]x",
                                        "http://[12345::]",
                                        "http://[g::]",
                                        "http://[::1%25eth0]",
                                        "http://[::1.2.3]",
                                        "http://[::1.2.3.256]",
                                        "http://[1.2.3.4::]",
                                        "http://[::1:]",
                                        "http://[:1::]",
                                        "http://[v1.x]",
                                        "http://127.1",
                                        "http://2130706433",
                                        "http://0x7f.1",
                                        "http://0x7f000001",
                                        "http://127.0.0.1.",
                                        "http://127.0.0.01",
                                        "http://256.0.0.1",
                                        "http://1.2.3.4.5",
                                        "http://1.2.3",
                                        "http://a.1",
                                        "http://127.0.0.0x1"};

TEST(url, refused) {
  for (auto text : no_urls) EXPECT_TRUE(parse_url(text).has_error()) << text;
  EXPECT_TRUE(parse_url(std::string_view("http://a/\0", 10)).has_error());
  EXPECT_TRUE(parse_url("http://" + std::string(253, 'a')).has_value());
  EXPECT_TRUE(parse_url("http://" + std::string(254, 'a')).has_error());
}

TEST(url, ipv6_forms) {
  for (std::string host :
       {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::8",
        "1:2::7:8", "::ffff:127.0.0.1", "64:ff9b::1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "FE80::1"})
    EXPECT_TRUE(parse_url("http://[" + host + "]/").has_value()) << host;
}

TEST(url, loopback) {
  for (std::string host :
       {"localhost", "LOCALHOST", "a.localhost", "a.b.localhost", "127.0.0.1", "127.255.255.254",
        "[::1]", "[0:0:0:0:0:0:0:1]", "[::0:1]", "[0::0001]", "[::0.0.0.1]"})
    EXPECT_TRUE(parse_url("http://" + host)->loopback()) << host;
  for (std::string host :
       {"example.com", "localhost.example.com", "notlocalhost", "localhost.", "128.0.0.1",
        "0.0.0.0", "10.0.0.1", "127.0.0.1.example.com", "127-0-0-1.example", "[::]", "[::2]",
        "[1::1]", "[::ffff:127.0.0.1]", "[fe80::1]"})
    EXPECT_FALSE(parse_url("http://" + host)->loopback()) << host;
}

TEST(url, canonical_hosts_are_equal_for_all_spellings) {
  for (std::string host : {"a.b", "A.B", "a.b.", "A.b."}) EXPECT_EQ(canonical_host(host), "a.b");
  for (std::string host : {"::1", "0:0::1", "0:0:0:0:0:0:0:0001", "::0.0.0.1"})
    EXPECT_EQ(canonical_host(host), "0:0:0:0:0:0:0:1") << host;
  EXPECT_EQ(canonical_host("2001:DB8::A:0"), "2001:db8:0:0:0:0:a:0");
  EXPECT_EQ(canonical_host("127.0.0.1"), "127.0.0.1");
  EXPECT_NE(canonical_host("::ffff:127.0.0.1"), "127.0.0.1");
  // What is no host is nobody's spelling.
  for (std::string host : {"", ".", "1:2", "::1%eth0", "1::2::3"})
    EXPECT_EQ(canonical_host(host), host);
}

}  // namespace
}  // namespace gate::http
