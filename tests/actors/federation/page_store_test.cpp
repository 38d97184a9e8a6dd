#include "actors/federation/page_store.hpp"

#include <gtest/gtest.h>

namespace gate::federation {
namespace {

page of(std::size_t bytes) {
  return {std::make_shared<const std::string>(bytes - limits::page_overhead, 'x'), {}, 1};
}

struct a_page_store : ::testing::Test {
  page_store store{10'000, 4'000};
  std::uint64_t one = store.join(), other = store.join(), third = store.join();
};

TEST_F(a_page_store, keeps_what_fits) {
  store.keep(one, 0, of(1'000));
  store.keep(one, 7, of(2'000));
  EXPECT_EQ(store.bytes(), 3'000U);
  EXPECT_NE(store.find(one, 0), nullptr);
  EXPECT_EQ(store.find(other, 0), nullptr);
  store.drop(one);
  EXPECT_EQ(store.find(one, 7), nullptr);
  EXPECT_EQ(store.bytes(), 0U);
}

TEST_F(a_page_store, gives_no_list_more_than_its_share) {
  for (std::uint64_t i = 0; i < 10; ++i) store.keep(one, i, of(1'000));
  EXPECT_EQ(store.bytes(), 4'000U);
  EXPECT_EQ(store.find(one, 5), nullptr) << "the oldest go";
  EXPECT_NE(store.find(one, 9), nullptr);
  store.keep(one, 99, of(4'001));
  EXPECT_EQ(store.find(one, 99), nullptr) << "too large for any";
  EXPECT_EQ(store.bytes(), 4'000U);
}

TEST_F(a_page_store, takes_the_room_of_whoever_has_most) {
  store.keep(third, 0, of(500));
  for (std::uint64_t i = 0; i < 4; ++i) store.keep(one, i, of(1'000));
  for (std::uint64_t i = 0; i < 100; ++i) store.keep(other, i, of(1'000));
  const auto fourth = store.join();
  for (std::uint64_t i = 0; i < 100; ++i) store.keep(fourth, i, of(500));
  EXPECT_LE(store.bytes(), 10'000U);
  EXPECT_NE(store.find(third, 0), nullptr) << "who has little keeps it";
  EXPECT_NE(store.find(one, 3), nullptr);
  EXPECT_NE(store.find(other, 99), nullptr);
}

TEST(kept_pages, are_given_up_with_their_list) {
  auto store = std::make_shared<page_store>(10'000, 4'000);
  {
    kept_pages a(store);
    a.keep(0, of(1'000));
    kept_pages b(std::move(a));
    EXPECT_NE(b.find(0), nullptr);
    EXPECT_EQ(store->bytes(), 1'000U);
  }
  EXPECT_EQ(store->bytes(), 0U);
}

}  // namespace
}  // namespace gate::federation
