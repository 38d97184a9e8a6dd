#include "actors/sessions/named_uris.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::sessions {
namespace {

bool by_name(std::string_view a, std::string_view b) {
  return a < b;
}

TEST(named_uris, know_who_named_what) {
  const auto total = std::make_shared<named_total>(0);
  named_uris n(total);
  EXPECT_EQ(n.find("x"), "");
  n.add("x", "b", by_name);
  n.add("y", "a", by_name);
  EXPECT_EQ(n.find("x"), "b");
  EXPECT_EQ(n.find("y"), "a");
  EXPECT_EQ(n.find("X"), "");
  n.add("", "a", by_name);
  n.add(std::string(limits::uri_bytes + 1, 'x'), "a", by_name);
  EXPECT_EQ(n.size(), 2U);
  EXPECT_EQ(*total, n.bytes());
}

TEST(named_uris, belong_to_the_first_of_several) {
  const auto total = std::make_shared<named_total>(0);
  named_uris n(total);
  n.add("x", "bb", by_name);
  n.add("x", "c", by_name);
  EXPECT_EQ(n.find("x"), "bb");
  n.add("x", "a", by_name);
  EXPECT_EQ(n.find("x"), "a");
  n.add("x", "bb", by_name);
  EXPECT_EQ(n.find("x"), "a");
  EXPECT_EQ(*total, n.bytes());
}

TEST(named_uris, are_bounded_in_number_and_the_longest_unused_goes) {
  const auto total = std::make_shared<named_total>(0);
  named_uris n(total);
  n.add("kept", "a", by_name);
  n.add("lost", "a", by_name);
  for (std::size_t i = 0; i < limits::named_uris; ++i) {
    n.add(std::to_string(i), "a", by_name);
    n.find("kept");
  }
  EXPECT_LE(n.size(), limits::named_uris);
  EXPECT_EQ(n.find("kept"), "a");
  EXPECT_EQ(n.find("lost"), "");
  EXPECT_EQ(n.find(std::to_string(limits::named_uris - 1)), "a");
}

TEST(named_uris, are_bounded_in_bytes_and_all_together) {
  const auto total = std::make_shared<named_total>(0);
  named_uris n(total), other(total);
  for (int i = 0; i < 1000; ++i)
    n.add(std::string(limits::uri_bytes - 10, 'x') + std::to_string(i), "a", by_name);
  EXPECT_LE(n.bytes(), limits::named_uri_bytes);
  EXPECT_EQ(*total, n.bytes());
  *total += limits::named_uri_total;  // others have taken it
  other.add("x", "a", by_name);
  EXPECT_EQ(other.size(), 0U);
  *total -= limits::named_uri_total;
  other.add("x", "a", by_name);
  EXPECT_EQ(other.size(), 1U);
}

TEST(named_uris, give_back_what_they_took) {
  const auto total = std::make_shared<named_total>(0);
  {
    named_uris n(total);
    n.add("x", "a", by_name);
    EXPECT_GT(*total, 0U);
  }
  EXPECT_EQ(*total, 0U);
}

}  // namespace
}  // namespace gate::sessions
