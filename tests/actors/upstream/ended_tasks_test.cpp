// Results that are kept for clients which will ask for them.
#include "actors/upstream/ended_tasks.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

using namespace std::chrono_literals;

struct of_ended_tasks : ::testing::Test {
  std::size_t total = 0;
  ended_tasks all{total};
  ended_tasks::time_point now{1000h};

  bool add(std::size_t number, std::string result = "{}") {
    return all.add({'"' + std::to_string(number) + '"', "{}", std::move(result),
                    now + limits::ended_task_time},
                   now);
  }
  bool has(std::size_t number) { return all.find('"' + std::to_string(number) + '"', now); }
};

TEST_F(of_ended_tasks, each_is_found_however_its_id_is_written) {
  add(7, "{\"a\":1}");
  ASSERT_TRUE(all.find(R"("\u0037")", now));
  EXPECT_EQ(all.find(R"("\u0037")", now)->result, "{\"a\":1}");
  EXPECT_FALSE(all.find("7", now));
  EXPECT_FALSE(has(8));
}

TEST_F(of_ended_tasks, each_is_kept_for_its_time) {
  add(1);
  now += limits::ended_task_time - 1ms;
  EXPECT_TRUE(has(1));
  now += 1ms;
  EXPECT_FALSE(has(1));
  EXPECT_EQ(all.size(), 0U);
}

TEST_F(of_ended_tasks, the_oldest_goes_for_a_new_one) {
  for (std::size_t i = 0; i <= limits::ended_tasks; ++i) EXPECT_TRUE(add(i));
  EXPECT_EQ(all.size(), limits::ended_tasks);
  EXPECT_FALSE(has(0));
  EXPECT_TRUE(has(1));
}

TEST_F(of_ended_tasks, there_is_room_for_so_many_bytes) {
  add(1, std::string(limits::ended_task_bytes / 2, ' '));
  add(2, std::string(limits::ended_task_bytes / 2, ' '));
  EXPECT_TRUE(has(1));
  add(3, " ");
  EXPECT_FALSE(has(1));
  EXPECT_TRUE(has(2) && has(3));
  EXPECT_FALSE(add(4, std::string(limits::ended_task_bytes + 1, ' ')));
  EXPECT_TRUE(has(2) && has(3)) << "what can not be kept pushes nothing out";
}

TEST_F(of_ended_tasks, all_of_an_upstream_count_together) {
  total = limits::task_bytes - 2;
  EXPECT_TRUE(add(1, "{}"));
  EXPECT_FALSE(add(2, "{}"));
  {
    ended_tasks other(total);
    EXPECT_FALSE(other.add({"3", "{}", " ", now + 1s}, now));
  }
  now += limits::ended_task_time;
  EXPECT_EQ(all.expire(now), ended_tasks::time_point::max());
  EXPECT_EQ(total, limits::task_bytes - 2);
}

}  // namespace
}  // namespace gate::upstream
