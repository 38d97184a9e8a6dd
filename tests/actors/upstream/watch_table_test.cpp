#include "actors/upstream/watch_table.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gate::upstream {
namespace {

using uris = watch_table::uris;

std::vector<std::uint64_t> told(const watch_table& t, std::uint64_t principal,
                                std::string_view uri) {
  std::vector<std::uint64_t> out;
  t.for_each_client(principal, uri, [&](std::uint64_t client) { out.push_back(client); });
  return out;
}

TEST(watch_table, asks_for_what_anybody_wants_and_once) {
  watch_table t;
  EXPECT_TRUE(t.set(1, 11, 0, {"x://1", "x://2"}));
  EXPECT_FALSE(t.set(2, 22, 0, {"x://1"}));
  EXPECT_TRUE(t.set(3, 33, 0, {"x://3"}));
  EXPECT_FALSE(t.set(3, 33, 0, {"x://3"}));
  EXPECT_EQ(t.wanted(0), (uris{"x://1", "x://2", "x://3"}));
}

TEST(watch_table, stops_asking_when_nobody_wants_it) {
  watch_table t;
  t.set(1, 11, 0, {"x://1", "x://2"});
  t.set(2, 22, 0, {"x://1"});
  EXPECT_FALSE(t.set(2, 22, 0, {}));
  EXPECT_TRUE(t.set(1, 11, 0, {"x://2"}));
  EXPECT_EQ(t.wanted(0), uris{"x://2"});
  EXPECT_EQ(t.end(1), 0U);
  EXPECT_EQ(t.wanted(0), uris{});
  EXPECT_EQ(t.end(1), std::nullopt);
  EXPECT_EQ(t.end(7), std::nullopt);
}

TEST(watch_table, keeps_credentials_apart) {
  watch_table t;
  EXPECT_TRUE(t.set(1, 11, 5, {"x://1"}));
  EXPECT_TRUE(t.set(2, 22, 6, {"x://1"}));
  EXPECT_EQ(t.wanted(0), uris{});
  EXPECT_EQ(told(t, 5, "x://1"), std::vector<std::uint64_t>{11});
  EXPECT_EQ(told(t, 6, "x://1"), std::vector<std::uint64_t>{22});
  EXPECT_EQ(t.end(1), 5U);
}

TEST(watch_table, moves_with_the_credential) {
  watch_table t;
  t.set(1, 11, 5, {"x://1"});
  EXPECT_TRUE(t.set(1, 11, 6, {"x://1"}));
  EXPECT_EQ(t.wanted(5), uris{});
  EXPECT_EQ(t.wanted(6), uris{"x://1"});
}

TEST(watch_table, tells_everybody_once_who_wants_it_or_what_it_is_a_part_of) {
  watch_table t;
  t.set(1, 11, 0, {"x://a", "x://a/b"});
  t.set(2, 22, 0, {"x://a/b"});
  t.set(3, 33, 0, {"x://ab"});
  EXPECT_EQ(told(t, 0, "x://a/b"), (std::vector<std::uint64_t>{11, 22}));
  EXPECT_EQ(told(t, 0, "x://a"), std::vector<std::uint64_t>{11});
  EXPECT_EQ(told(t, 0, "x://a/b?c"), (std::vector<std::uint64_t>{11, 22}));
  EXPECT_EQ(told(t, 0, "x://other"), std::vector<std::uint64_t>{});
}

TEST(watch_table, knows_what_the_server_tells_of) {
  watch_table t;
  t.set(1, 11, 0, {"x://1", "x://2"});
  EXPECT_EQ(t.told(0, "x://1"), std::nullopt) << "it has yet to say so";
  t.acknowledge(0, {"x://1", "x://2"}, {"x://2", "x://9"});
  EXPECT_EQ(t.told(0, "x://1"), false);
  EXPECT_EQ(t.told(0, "x://2"), true);
  EXPECT_EQ(t.told(0, "x://9"), false) << "nobody wants it";
  EXPECT_EQ(t.told(7, "x://2"), false) << "nor this by another credential";
  t.set(2, 22, 0, {"x://2", "x://3"});
  t.refuse(0, {"x://2", "x://3"});
  EXPECT_EQ(t.told(0, "x://2"), true) << "on the stream that there was";
  EXPECT_EQ(t.told(0, "x://3"), false);
  t.set(1, 11, 0, {});
  t.set(2, 22, 0, {});
  t.set(2, 22, 0, {"x://2"});
  EXPECT_EQ(t.told(0, "x://2"), std::nullopt) << "it is asked for anew";
}

TEST(watch_table, is_bounded) {
  watch_table t;
  uris many;
  for (std::size_t i = 0; i <= limits::watched_uris; ++i) many.insert("x://" + std::to_string(i));
  t.set(1, 11, 0, many);
  EXPECT_EQ(t.wanted(0).size(), limits::watched_uris);
  t.set(1, 11, 0, {});
  EXPECT_EQ(t.wanted(0).size(), 0U);
}

TEST(watch_table, is_bounded_in_bytes) {
  watch_table t;
  uris long_ones;
  for (char c = 'a'; c <= 'e'; ++c) long_ones.insert(std::string(limits::watched_uri_bytes / 4, c));
  t.set(1, 11, 0, long_ones);
  EXPECT_EQ(t.wanted(0).size(), 4U);
  t.set(1, 11, 0, {});
  t.set(2, 22, 0, long_ones);
  EXPECT_EQ(t.wanted(0).size(), 4U) << "what is let go of makes room";
}

}  // namespace
}  // namespace gate::upstream
