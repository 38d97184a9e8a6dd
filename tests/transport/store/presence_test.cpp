#include "transport/store/presence.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::store {
namespace {

using namespace std::chrono_literals;

std::vector<std::string>& lines() {
  static std::vector<std::string> all;
  return all;
}

struct a_presence : ::testing::Test {
  a_presence() {
    lines().clear();
    log::redirect([](std::string_view line) { lines().emplace_back(line); });
    it.begin();
  }
  ~a_presence() override { log::redirect(nullptr); }
  bool up() { return counted.expose().find("gate_store_up 1") != std::string::npos; }

  metrics counted;
  presence it{"redis://h:1", counted.get(metric::store_up)};
  presence::time_point t{1h};
};

TEST_F(a_presence, of_several_units_is_said_once) {
  EXPECT_TRUE(up());
  it.went("lost", t);
  it.went("lost", t + 1s);
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_NE(lines()[0].find("is away"), std::string::npos);
  EXPECT_NE(lines()[0].find("redis://h:1"), std::string::npos);
  EXPECT_FALSE(up());
  it.came(t + 2s);
  EXPECT_FALSE(up()) << "one has not come back";
  it.came(t + 3s);
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_NE(lines()[1].find("has returned"), std::string::npos);
  EXPECT_NE(lines()[1].find("3000"), std::string::npos);
  EXPECT_TRUE(up());
  it.went("again", t + 4s);
  EXPECT_EQ(lines().size(), 3U);
}

TEST(a_store_that_goes_at_once, is_away_from_the_beginning) {
  log::redirect([](std::string_view) {});
  metrics counted;
  presence it("redis://h:1", counted.get(metric::store_up));
  it.went("lost", presence::time_point{1h});
  it.begin();
  EXPECT_NE(counted.expose().find("gate_store_up 0"), std::string::npos);
  log::redirect(nullptr);
}

TEST_F(a_presence, complains_of_each_kind_of_refusal_once_a_while) {
  for (int i = 0; i < 5; ++i) it.refused(store_op::once, store_outcome::oom, "OOM", t + i * 1s);
  EXPECT_EQ(lines().size(), 1U);
  it.refused(store_op::once, store_outcome::error, "NOPERM", t);
  EXPECT_EQ(lines().size(), 2U);
  it.refused(store_op::once, store_outcome::oom, "OOM", t + limits::store_complaint);
  EXPECT_EQ(lines().size(), 3U);
}

}  // namespace
}  // namespace gate::store
