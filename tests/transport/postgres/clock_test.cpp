// How far a clock is from the database's.
#include "transport/postgres/clock.hpp"

#include <gtest/gtest.h>

#include "tests/transport/postgres/server.hpp"

namespace gate::postgres {
namespace {

using std::chrono::milliseconds;

struct clocks : ::testing::Test {
  clocks() { EXPECT_TRUE(db.connect()); }
  static clock of(milliseconds wrong_by, int* asked) {
    return clock([wrong_by, asked] {
      ++*asked;
      return std::chrono::floor<milliseconds>(std::chrono::system_clock::now()) + wrong_by;
    });
  }
  const address to = address::parse(testing::postgres_server::get().url("postgres")).value();
  connection db{to};
  int asked = 0;
};

TEST_F(clocks, one_that_is_right_stays_as_it_is) {
  auto c = of({}, &asked);
  EXPECT_EQ(c.ahead(db), 0);
}

TEST_F(clocks, one_that_is_wrong_is_corrected_and_not_asked_all_the_time) {
  auto fast = of(std::chrono::hours(1), &asked);
  const auto hour = milliseconds(std::chrono::hours(1)).count();
  const auto found = fast.ahead(db);
  EXPECT_NEAR(static_cast<double>(found), static_cast<double>(-hour), 60'000);
  EXPECT_EQ(fast.ahead(db), found);
  EXPECT_EQ(asked, 1);
  auto slow = of(-std::chrono::hours(1), &asked);
  EXPECT_GT(slow.ahead(db), 0);
}

TEST_F(clocks, without_an_answer_it_stays_what_it_was) {
  auto fast = of(std::chrono::hours(1), &asked);
  db.close();
  EXPECT_EQ(fast.ahead(db), 0);
  EXPECT_TRUE(db.failed());
  ASSERT_TRUE(db.connect());
  EXPECT_LT(fast.ahead(db), 0);
}

}  // namespace
}  // namespace gate::postgres
