#include "actors/sessions/named_uris.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::sessions {
namespace {

bool by_name(std::string_view a, std::string_view b) {
  return a < b;
}

TEST(named_uris, know_who_named_what) {
  const auto all = std::make_shared<named_pool>();
  named_uris n(all);
  EXPECT_EQ(n.find("x"), "");
  n.add("x", "b", by_name);
  n.add("y", "a", by_name);
  EXPECT_EQ(n.find("x"), "b");
  EXPECT_EQ(n.find("y"), "a");
  EXPECT_EQ(n.find("X"), "");
  n.add("", "a", by_name);
  n.add(std::string(limits::uri_bytes + 1, 'x'), "a", by_name);
  EXPECT_EQ(n.size(), 2U);
  EXPECT_EQ(all->bytes(), n.bytes());
}

TEST(named_uris, belong_to_the_first_of_several) {
  const auto all = std::make_shared<named_pool>();
  named_uris n(all);
  n.add("x", "bb", by_name);
  n.add("x", "c", by_name);
  EXPECT_EQ(n.find("x"), "bb");
  n.add("x", "a", by_name);
  EXPECT_EQ(n.find("x"), "a");
  n.add("x", "bb", by_name);
  EXPECT_EQ(n.find("x"), "a");
  EXPECT_EQ(all->bytes(), n.bytes());
}

TEST(named_uris, are_bounded_in_number_and_the_longest_unused_goes) {
  const auto all = std::make_shared<named_pool>();
  named_uris n(all);
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

TEST(named_uris, are_bounded_in_bytes) {
  const auto all = std::make_shared<named_pool>();
  named_uris n(all);
  for (int i = 0; i < 1000; ++i)
    n.add(std::string(limits::uri_bytes - 10, 'x') + std::to_string(i), "a", by_name);
  EXPECT_LE(n.bytes(), limits::named_uri_bytes);
  EXPECT_EQ(all->bytes(), n.bytes());
}

TEST(named_uris, are_bounded_all_together_and_whoever_keeps_most_makes_room) {
  constexpr std::size_t most = 100'000;
  const auto all = std::make_shared<named_pool>(most);
  std::vector<std::unique_ptr<named_uris>> of_one;
  for (int i = 0; i < 20; ++i) {
    auto& n = *of_one.emplace_back(std::make_unique<named_uris>(all));
    for (int k = 0; k < 10; ++k) n.add(std::string(1000, 'x') + std::to_string(k), "a", by_name);
  }
  EXPECT_LE(all->bytes(), most);
  EXPECT_GT(all->bytes(), most - 2000);
  named_uris other(all);
  other.add("kept", "a", by_name);
  EXPECT_EQ(other.find("kept"), "a");
  for (int k = 0; k < 10; ++k)
    of_one[0]->add(std::to_string(k) + std::string(8000, 'y'), "a", by_name);
  EXPECT_EQ(other.find("kept"), "a");
  EXPECT_LE(all->bytes(), most);
  std::size_t sum = other.bytes();
  for (const auto& n : of_one) sum += n->bytes();
  EXPECT_EQ(all->bytes(), sum);
  of_one.clear();
  EXPECT_EQ(all->bytes(), other.bytes());
}

TEST(named_uris, give_back_what_they_took) {
  const auto all = std::make_shared<named_pool>();
  {
    named_uris n(all);
    n.add("x", "a", by_name);
    EXPECT_GT(all->bytes(), 0U);
  }
  EXPECT_EQ(all->bytes(), 0U);
}

}  // namespace
}  // namespace gate::sessions
