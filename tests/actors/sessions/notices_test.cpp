#include "actors/sessions/notices.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gate::sessions {
namespace {

std::vector<std::string> all_of(notices& n) {
  std::vector<std::string> out;
  while (!n.empty()) out.push_back(n.take());
  return out;
}

TEST(notices, are_told_once_and_the_latest_counts) {
  notices n;
  EXPECT_TRUE(n.empty());
  n.add_list("notifications/tools/list_changed");
  n.add_list("notifications/tools/list_changed");
  n.add_updated("\"x\"", "1");
  n.add_updated("\"y\"", "2");
  n.add_updated("\"x\"", "3");
  EXPECT_EQ(all_of(n),
            (std::vector<std::string>{
                R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})", "3", "2"}));
  EXPECT_TRUE(n.empty());
  EXPECT_TRUE(all_of(n).empty());
}

TEST(notices, are_bounded) {
  notices n;
  for (std::size_t i = 0; i < limits::session_subscriptions + 7; ++i)
    n.add_updated(std::to_string(i), "old");
  n.add_updated("0", "new");
  const auto all = all_of(n);
  EXPECT_EQ(all.size(), limits::session_subscriptions);
  EXPECT_EQ(all.front(), "new");
}

TEST(notices, keep_of_a_long_one_what_matters) {
  notices n;
  n.add_updated("\"x\"", std::string(limits::notice_bytes + 100, ' '));
  n.add_updated('"' + std::string(limits::uri_bytes, 'x') + '"', "{}");
  EXPECT_EQ(all_of(n), std::vector<std::string>{
                           R"({"jsonrpc":"2.0","method":"notifications/resources/updated",)"
                           R"("params":{"uri":"x"}})"});
}

}  // namespace
}  // namespace gate::sessions
