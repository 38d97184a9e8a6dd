#include "protocol/resp/store_url.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gate::resp {
namespace {

using way = store_url::way;

struct good {
  std::string text;
  way how;
  std::string host;
  std::uint16_t port;
  std::string path, user, password;
  std::uint32_t database;
  std::string place;
};

TEST(store_url, says_where_and_as_whom) {
  const std::vector<good> all{
      {"redis://h", way::plain, "h", 6379, "", "", "", 0, "redis://h:6379"},
      {"redis://h/", way::plain, "h", 6379, "", "", "", 0, "redis://h:6379"},
      {"redis://Cache.Example:7000/3", way::plain, "cache.example", 7000, "", "", "", 3,
       "redis://cache.example:7000/3"},
      {"redis://10.0.0.1:1", way::plain, "10.0.0.1", 1, "", "", "", 0, "redis://10.0.0.1:1"},
      {"redis://[::1]", way::plain, "::1", 6379, "", "", "", 0, "redis://[::1]:6379"},
      {"redis://[fe80::2]:77/1", way::plain, "fe80::2", 77, "", "", "", 1,
       "redis://[fe80::2]:77/1"},
      {"redis://u:p@h", way::plain, "h", 6379, "", "u", "p", 0, "redis://h:6379"},
      {"redis://:p@h:1/2", way::plain, "h", 1, "", "", "p", 2, "redis://h:1/2"},
      {"redis://u:@h", way::plain, "h", 6379, "", "u", "", 0, "redis://h:6379"},
      {"redis://a%40b:c%3A%2F%25@h", way::plain, "h", 6379, "", "a@b", "c:/%", 0, "redis://h:6379"},
      {"redis://u:p:q@h", way::plain, "h", 6379, "", "u", "p:q", 0, "redis://h:6379"},
      {"redis://u:p@q@h", way::plain, "h", 6379, "", "u", "p@q", 0, "redis://h:6379"},
      {"rediss://:p@[::1]:6380/0", way::tls, "::1", 6380, "", "", "p", 0, "rediss://[::1]:6380"},
      {"unix:///run/redis.sock", way::local, "", 6379, "/run/redis.sock", "", "", 0,
       "unix:///run/redis.sock"},
      {"unix://u:p@/a%20b", way::local, "", 6379, "/a b", "u", "p", 0, "unix:///a b"},
      {"unix:///a@b", way::local, "", 6379, "/a@b", "", "", 0, "unix:///a@b"},
  };
  for (const auto& g : all) {
    const auto u = parse_store_url(g.text);
    ASSERT_TRUE(u) << g.text << ": " << u.error().what;
    EXPECT_EQ(u->how, g.how) << g.text;
    EXPECT_EQ(u->host, g.host) << g.text;
    EXPECT_EQ(u->port, g.port) << g.text;
    EXPECT_EQ(u->path, g.path) << g.text;
    EXPECT_EQ(u->user, g.user) << g.text;
    EXPECT_EQ(u->password, g.password) << g.text;
    EXPECT_EQ(u->credentials, !g.user.empty() || !g.password.empty()) << g.text;
    EXPECT_EQ(u->database, g.database) << g.text;
    EXPECT_EQ(u->place(), g.place) << g.text;
  }
}

TEST(store_url, what_is_none_is_refused_without_a_word_of_it) {
  struct bad {
    std::string text, part;
  };
  const std::vector<bad> all{
      {"", "redis://, rediss:// or unix://"},
      {"http://s3cret@h", "redis://, rediss:// or unix://"},
      {"REDIS://h", "redis://"},
      {"redis+unix:///x", "redis://"},
      {"redis://", "host is empty"},
      {"redis://:6379", "host is empty"},
      {"redis://s3cret@h", "a user name needs a password"},
      {"redis://:@h", "the password is empty"},
      {"redis://u:s3cret%@h", "percent sign"},
      {"redis://u:s3cret%2@h", "percent sign"},
      {"redis://u:s3cret%zz@h", "percent sign"},
      {"redis://:s3c/ret@h", "host"},
      {"redis://h:0", "port"},
      {"redis://h:65536", "port"},
      {"redis://h:", "port"},
      {"redis://[::1", "IPv6"},
      {"redis://::1", "host is empty"},
      {"redis://h/x", "database number"},
      {"redis://h/-1", "database number"},
      {"redis://h/1/2", "database number"},
      {"redis://h/1?x", "database number"},
      {"redis://h/1234567890", "database number"},
      {"redis://h?s3cret=1", "only host, port and database number"},
      {"redis://h#s3cret", "fragment"},
      {"redis://h h", "printable ASCII"},
      {"unix://run/redis.sock", "absolute path"},
      {"unix://", "absolute path"},
      {"unix:///", "none of a socket"},
      {"unix:///a?db=1", "only the path"},
      {"unix:///a%00b", "none of a socket"},
      {"unix:///" + std::string(107, 'a'), "none of a socket"},
  };
  for (const auto& b : all) {
    const auto u = parse_store_url(b.text);
    ASSERT_FALSE(u) << b.text;
    EXPECT_NE(u.error().what.find(b.part), std::string::npos) << b.text << ": " << u.error().what;
    EXPECT_EQ(u.error().what.find("s3c"), std::string::npos) << u.error().what;
  }
}

}  // namespace
}  // namespace gate::resp
