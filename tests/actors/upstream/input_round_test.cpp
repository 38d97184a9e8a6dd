#include "actors/upstream/input_round.hpp"

#include <gtest/gtest.h>

namespace gate::upstream {
namespace {

TEST(input_round, is_complete_when_nothing_is_open) {
  input_round r;
  EXPECT_TRUE(r.complete());
  r.requests.push_back({"a", "1", {}, true});
  r.requests.push_back({"b", "2", {}, true});
  EXPECT_FALSE(r.complete());
  r.requests[0].open = false;
  EXPECT_FALSE(r.complete());
  r.requests[1].open = false;
  EXPECT_TRUE(r.complete());
}

TEST(input_round, writes_its_answers_under_the_keys_that_they_were_asked_by) {
  input_round r;
  EXPECT_EQ(r.answers(), "");
  r.requests.push_back({R"(a\u0062)", "1", R"({"n":1.0})", false});
  EXPECT_EQ(r.answers(), R"("a\u0062":{"n":1.0})");
  r.requests.push_back({"b", "2", "{}", false});
  EXPECT_EQ(r.answers(), R"("a\u0062":{"n":1.0},"b":{})");
}

}  // namespace
}  // namespace gate::upstream
