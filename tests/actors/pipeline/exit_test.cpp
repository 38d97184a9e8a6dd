#include "actors/pipeline/exit.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gate::pipeline {
namespace {

struct book : exit_door {
  void leave(journal&& j, ending&& e) noexcept override {
    names.push_back(std::move(j.name));
    endings.push_back(std::move(e));
  }
  std::shared_ptr<passage> lend(const journal&, ending) override { return nullptr; }
  std::vector<std::string> names;
  std::vector<ending> endings;
};

TEST(exit_ticket, is_spent_once) {
  book door;
  {
    exit_ticket t(door, {});
    t.notes().name = "x";
    EXPECT_FALSE(t.spent());
    t.spend({audit::outcome::denied, "no", {}});
    EXPECT_TRUE(t.spent());
    t.spend({audit::outcome::ok, {}, {}});
  }
  ASSERT_EQ(door.endings.size(), 1U);
  EXPECT_EQ(door.names[0], "x");
  EXPECT_EQ(door.endings[0].outcome, audit::outcome::denied);
}

TEST(exit_ticket, that_is_dropped_tells_of_it) {
  book door;
  { exit_ticket t(door, {}); }
  ASSERT_EQ(door.endings.size(), 1U);
  EXPECT_EQ(door.endings[0].outcome, audit::outcome::error);
  EXPECT_EQ(door.endings[0].error, "the call was dropped");
}

TEST(exit_ticket, of_a_batch_leaves_the_telling_to_its_elements) {
  book door;
  {
    exit_ticket t(door, {});
    t.hand_over();
    t.spend({});
  }
  EXPECT_TRUE(door.endings.empty());
}

}  // namespace
}  // namespace gate::pipeline
