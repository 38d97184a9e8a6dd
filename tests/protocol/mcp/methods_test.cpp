#include "protocol/mcp/methods.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gate::mcp {
namespace {

/// All for which it holds, in the order of the rows.
template <class F>
std::string methods_that(F holds) {
  std::string out;
  for (const auto& m : methods)
    if (holds(m)) (out += out.empty() ? "" : " ") += m.name;
  return out;
}

// The names themselves are in protocol/mcp/method_names.
TEST(a_method, has_one_row) {
  std::set<std::string_view> names;
  for (const auto& m : methods) EXPECT_TRUE(names.insert(m.name).second) << m.name;
  EXPECT_EQ(find_method("tools/call")->name, "tools/call");
  EXPECT_EQ(find_method("tools/Call"), nullptr);
}

TEST(a_method, is_known_to_the_generations_of_its_row) {
  EXPECT_EQ(methods_that([](const auto& m) { return m.eras == eras::both; }),
            "tools/list tools/call prompts/list prompts/get resources/list "
            "resources/templates/list resources/read completion/complete tasks/get tasks/cancel "
            "tasks/update");
  EXPECT_EQ(methods_that([](const auto& m) { return m.eras == eras::stateless; }),
            "server/discover subscriptions/listen");
  for (const auto& m : methods) {
    EXPECT_EQ(find_method(m.name, era::session) != nullptr, m.eras != eras::stateless) << m.name;
    EXPECT_EQ(find_method(m.name, era::stateless) != nullptr, m.eras != eras::session) << m.name;
  }
  EXPECT_EQ(find_method("no/such", era::stateless), nullptr);
}

TEST(a_method, is_judged_by_its_own_name_where_grants_may_list_it) {
  EXPECT_EQ(methods_that([](const auto& m) { return m.judging == judging::itself; }),
            "tools/call prompts/get resources/read resources/subscribe");
  EXPECT_EQ(judged_as(*find_method("tools/call"), false), "tools/call");
  EXPECT_EQ(judged_as(*find_method("resources/read"), true), "resources/read");
}

TEST(a_method, is_judged_as_another_where_it_takes_no_more_than_that) {
  EXPECT_EQ(judged_as(*find_method("completion/complete"), false), "prompts/get");
  EXPECT_EQ(judged_as(*find_method("completion/complete"), true), "resources/read");
  EXPECT_EQ(judged_as(*find_method("resources/unsubscribe"), true), "resources/subscribe");
}

TEST(a_method, begins_or_ends_a_subscription) {
  for (const auto& m : methods) EXPECT_EQ(subscribing_of(m.name), m.subscribing) << m.name;
  EXPECT_EQ(subscribing_of("resources/subscribe"), subscribing::begins);
  EXPECT_EQ(subscribing_of("resources/unsubscribe"), subscribing::ends);
  EXPECT_EQ(subscribing_of("resources/other"), subscribing::nothing);
}

TEST(a_method, of_a_task_says_what_it_does_about_it) {
  for (const auto& m : methods) {
    EXPECT_EQ(task_step_of(m.name), m.task) << m.name;
    EXPECT_EQ(m.task != task_step::none, m.routing == routing::task) << m.name;
  }
  EXPECT_EQ(task_step_of("tasks/result"), task_step::awaits);
  EXPECT_EQ(task_step_of("tasks/cancel"), task_step::ends);
}

TEST(a_method, may_be_left_out_of_the_audit_trail) {
  EXPECT_EQ(methods_that([](const auto& m) { return m.unaudited; }),
            "ping notifications/initialized");
}

TEST(a_method, may_name_resources_in_its_result) {
  EXPECT_EQ(methods_that([](const auto& m) { return m.names_resources; }),
            "tools/call prompts/get tasks/get tasks/result");
}

}  // namespace
}  // namespace gate::mcp
