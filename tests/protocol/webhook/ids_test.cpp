#include "protocol/webhook/ids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace gate::webhook {
namespace {

using std::chrono::milliseconds;
using bytes = std::array<std::uint8_t, ulid_random_bytes>;

wall_time at_ms(std::int64_t ms) {
  return wall_time{milliseconds{ms}};
}

bytes all_of(std::uint8_t value) {
  bytes out;
  out.fill(value);
  return out;
}

// The first is the example of the ULID specification, whose time is 1469918176385.
TEST(a_ulid, is_time_and_chance) {
  EXPECT_EQ(ulid(at_ms(1469918176385), all_of(0)), "01ARYZ6S410000000000000000");
  EXPECT_EQ(ulid(at_ms(0), all_of(0)), "00000000000000000000000000");
  EXPECT_EQ(ulid(at_ms(0), all_of(0xFF)), "0000000000ZZZZZZZZZZZZZZZZ");
  EXPECT_EQ(ulid(at_ms((std::int64_t{1} << 48) - 1), all_of(0xFF)), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
  EXPECT_EQ(ulid(at_ms(1), {bytes{0, 0, 0, 0, 1, 0, 0, 0, 0, 32}}), "00000000010000000100000010");
  EXPECT_EQ(ulid(at_ms(32), {bytes{0xF8, 0, 0, 0, 0, 0x08, 0, 0, 0, 31}}),
            "0000000010Z00000001000000Z");
}

TEST(a_ulid, of_a_time_it_can_not_tell_is_of_the_nearest) {
  EXPECT_EQ(ulid(at_ms(-1), all_of(0)), ulid(at_ms(0), all_of(0)));
  EXPECT_EQ(ulid(wall_time::max(), all_of(0)), "7ZZZZZZZZZ0000000000000000");
  EXPECT_EQ(ulid(wall_time::min(), all_of(0)), ulid(at_ms(0), all_of(0)));
}

TEST(ids, sort_by_their_time) {
  std::mt19937 dice(7);
  std::string last;
  for (std::int64_t ms = 1; ms < std::int64_t{1} << 47; ms = ms * 3 + 1) {
    bytes random;
    std::ranges::generate(random, [&dice] { return static_cast<std::uint8_t>(dice()); });
    const auto id = ulid(at_ms(ms), random);
    EXPECT_LT(last, id);
    last = id;
  }
}

TEST(ids, of_each_kind_are_known_by_their_prefix) {
  std::mt19937 dice(1);
  id_maker make([&dice](std::span<std::uint8_t> out) {
    std::ranges::generate(out, [&dice] { return static_cast<std::uint8_t>(dice()); });
  });
  constexpr std::array kinds{id_kind::webhook, id_kind::event, id_kind::delivery};
  for (const auto k : kinds) {
    const auto id = make(k, at_ms(1'700'000'000'000));
    EXPECT_TRUE(id.starts_with(prefix_of(k)));
    EXPECT_EQ(id.size(), prefix_of(k).size() + 26);
    for (const auto other : kinds) EXPECT_EQ(is_id(other, id), other == k) << id;
  }
}

TEST(ids, have_one_spelling) {
  EXPECT_TRUE(is_id(id_kind::webhook, "hook_01ARYZ6S41TSV4RRFFQ69G5FAV"));
  EXPECT_TRUE(is_id(id_kind::webhook, "hook_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"));
  for (const std::string_view bad :
       {"", "hook_", "01ARYZ6S41TSV4RRFFQ69G5FAV", "hook_8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "hook_01ARYZ6S41TSV4RRFFQ69G5FA", "hook_01ARYZ6S41TSV4RRFFQ69G5FAVV",
        "hook_01aryz6s41tsv4rrffq69g5fav", "HOOK_01ARYZ6S41TSV4RRFFQ69G5FAV",
        "hook_01ARYZ6S41TSV4RRFFQ69G5FAI", "hook_01ARYZ6S41TSV4RRFFQ69G5FAL",
        "hook_01ARYZ6S41TSV4RRFFQ69G5FAO", "hook_01ARYZ6S41TSV4RRFFQ69G5FAU",
        "hook_01ARYZ6S41TSV4RRFFQ69G5FA ", "hook_01ARYZ6S41TSV4RRFFQ69G5F/V",
        "hook_:1ARYZ6S41TSV4RRFFQ69G5FAV", "hook-01ARYZ6S41TSV4RRFFQ69G5FAV"})
    EXPECT_FALSE(is_id(id_kind::webhook, bad)) << bad;
}

TEST(ids, are_many_of_one_draw_and_none_twice) {
  std::size_t draws = 0;
  std::mt19937 dice(3);
  id_maker make([&](std::span<std::uint8_t> out) {
    ++draws;
    std::ranges::generate(out, [&dice] { return static_cast<std::uint8_t>(dice()); });
  });
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(make(id_kind::delivery, at_ms(5)));
  EXPECT_EQ(seen.size(), 1000U);
  EXPECT_EQ(draws, 10U);
}

}  // namespace
}  // namespace gate::webhook
