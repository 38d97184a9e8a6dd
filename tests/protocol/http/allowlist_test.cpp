#include "protocol/http/allowlist.hpp"

#include <gtest/gtest.h>

namespace gate::http {
namespace {

TEST(allowlist, the_default_is_this_machine) {
  allowlist list;
  for (auto value : {"localhost", "LocalHost", "localhost:8080", "localhost:1", "localhost:65535",
                     "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:8080"})
    EXPECT_TRUE(list.host(value)) << value;
  for (auto value : {"",
                     " ",
                     "evil.example",
                     "localhost.evil.example",
                     "evil.localhost",
                     "localhost.",
                     "localhos",
                     "localhost:",
                     "localhost:x",
                     "localhost:80x",
                     "localhost:+80",
                     "localhost:-1",
                     "localhost:65536",
                     "localhost:99999999999",
                     "localhost:80:80",
                     "localhost: 80",
                     " localhost",
                     "localhost ",
                     "localhost/",
                     "localhost/x",
                     "x@localhost",
                     "localhost@evil",
                     "localhost,evil",
                     "localhost#",
                     "127.0.0.2",
                     "127.1",
                     "0.0.0.0",
                     "::1",
                     "::1:80",
                     "[::1",
                     "::1]",
                     "[::1]x",
                     "[::1]:",
                     "[::1]:x",
                     "[::1]80",
                     "[]",
                     "[]:80",
                     ":80",
                     ":",
                     "[[::1]]",
                     "[::2]",
                     "*",
                     "http://localhost",
                     "[localhost]x",
                     "local\xC5\xBFhost",
                     "127.0.0.1\t"})
    EXPECT_FALSE(list.host(value)) << value;
  EXPECT_FALSE(list.host(std::string_view("localhost\0", 10)));
}

TEST(allowlist, origins) {
  allowlist list;
  for (auto value :
       {"http://localhost", "https://localhost", "http://localhost:6274", "https://LOCALHOST:1",
        "HTTP://localhost", "http://127.0.0.1:80", "http://[::1]", "https://[::1]:8080"})
    EXPECT_TRUE(list.origin(value)) << value;
  for (auto value : {"",
                     "null",
                     "localhost",
                     "http:",
                     "http:/",
                     "http://",
                     "https://",
                     "http:localhost",
                     "http:/localhost",
                     "http:///localhost",
                     "ftp://localhost",
                     "file://localhost",
                     "ws://localhost",
                     "httpss://localhost",
                     "http://evil.example",
                     "http://localhost.evil.example",
                     "http://localhost/",
                     "http://localhost/x",
                     "http://localhost?x",
                     "http://localhost#x",
                     "http://localhost:80/",
                     "http://x@localhost",
                     "http://localhost@evil",
                     "http://localhost:",
                     "http://localhost:x",
                     "http://localhost http://evil",
                     "http://localhost, http://localhost",
                     " http://localhost",
                     "http://localhost ",
                     "http://::1",
                     "http://*",
                     "*",
                     "chrome-extension://x"})
    EXPECT_FALSE(list.origin(value)) << value;
}

TEST(allowlist, a_set_value_replaces_the_default) {
  allowlist list({"Gate.Example", "[FD00::1]", "10.0.0.1", "2001:db8::2"});
  for (auto value : {"gate.example", "GATE.example:443", "[fd00::1]", "[FD00::1]:80", "10.0.0.1:1",
                     "[2001:DB8::2]"})
    EXPECT_TRUE(list.host(value)) << value;
  for (auto value :
       {"localhost", "127.0.0.1", "[::1]", "x.gate.example", "gate.example.evil", "gate.exampl"})
    EXPECT_FALSE(list.host(value)) << value;
  EXPECT_TRUE(list.origin("https://gate.example"));
  EXPECT_FALSE(list.origin("http://localhost"));
}

TEST(allowlist, the_wildcard_counts_only_alone) {
  allowlist any({"*"});
  for (auto value : {"evil.example", "localhost", "*", "[::1]:80"})
    EXPECT_TRUE(any.host(value)) << value;
  for (auto value : {"https://evil.example", "null"}) EXPECT_TRUE(any.origin(value)) << value;
  allowlist mixed({"*", "gate.example"});
  EXPECT_TRUE(mixed.host("gate.example"));
  for (auto value : {"evil.example", "localhost", "*", "*:80"})
    EXPECT_FALSE(mixed.host(value)) << value;
  EXPECT_FALSE(mixed.origin("https://evil.example"));
  EXPECT_FALSE(mixed.origin("http://*"));
  allowlist twice({"*", "*"});
  EXPECT_FALSE(twice.host("localhost"));
  allowlist suffix({"*.example"});
  EXPECT_FALSE(suffix.host("a.example")) << "patterns are not part of this list";
}

TEST(allowlist, what_was_listed_before_lets_nothing_else_in) {
  const allowlist list({"gate.example", "other.example"});
  for (int round = 0; round < 2; ++round) {
    for (const auto* good : {"gate.example:8080", "other.example", "GATE.example"}) {
      EXPECT_TRUE(list.host(good));
      EXPECT_TRUE(list.host(good)) << "once more";
      EXPECT_TRUE(list.origin(std::string("http://") + good));
      for (const auto* bad : {"", "gate.example:8080x", "gate.example:808:0", "evil.example",
                              "gate.exampl", "other.example.evil"})
        EXPECT_FALSE(list.host(bad)) << bad;
    }
    const std::string long_name(5000, 'a');
    EXPECT_FALSE(list.host(long_name));
    EXPECT_FALSE(list.host(long_name));
  }
}

TEST(allowlist, empty_names_match_nothing) {
  allowlist list({""});
  EXPECT_FALSE(list.host(""));
  EXPECT_FALSE(list.host(":80"));
  EXPECT_FALSE(list.host("[]"));
  EXPECT_FALSE(list.origin("http://"));
  allowlist brackets({"[]"});
  EXPECT_FALSE(brackets.host("[]"));
}

}  // namespace
}  // namespace gate::http
