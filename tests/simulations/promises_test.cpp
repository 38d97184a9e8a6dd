#include "simulations/runs/promises.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "simulations/runs/kind.hpp"
#include "tests/support/generated.hpp"

namespace gate::runs {
namespace {

/// A checker without a plant is an exception; one that is not in the table would be found here.
TEST(promises, each_checker_whose_fault_can_be_planted_has_one) {
  for (const auto* k : kinds())
    for (const auto& p : k->plants())
      EXPECT_NE(find_promise(k->name(), p.complaint), nullptr) << k->name() << ' ' << p.name;
}

TEST(promises, are_of_kinds_that_there_are_and_of_each_checker_once) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const auto& p : promises()) {
    EXPECT_TRUE(p.kind.empty() || find_kind(p.kind) != nullptr) << p.kind;
    EXPECT_TRUE(seen.emplace(p.kind, p.checker).second) << p.kind << ' ' << p.checker;
    EXPECT_FALSE(p.holds.empty() || p.holds.ends_with('.')) << p.checker;
  }
}

TEST(promises, are_found_by_the_checker_and_the_kind) {
  ASSERT_NE(find_promise("fleet", "budget: life 2 asked pen"), nullptr);
  EXPECT_EQ(find_promise("shim", "budget: life 2 asked pen"), nullptr);
  EXPECT_EQ(find_promise("fleet", "no checker at all"), nullptr);
  EXPECT_NE(find_promise("gateway", "answers: x")->holds,
            find_promise("hooks", "answers: x")->holds);
  EXPECT_EQ(find_promise("shim", "process: x"), find_promise("fleet", "process: y"));
}

TEST(promises, the_documentation_has_all) {
  std::string table = "| stories of | checker | what must hold |\n|---|---|---|\n";
  for (const auto& p : promises()) {
    table += "| " + (p.kind.empty() ? "all" : '`' + std::string(p.kind) + '`') + " | `";
    table.append(p.checker).append("` | ").append(p.holds).append(" |\n");
  }
  testing::expect_fresh("docs/simulations.md", "promises", table);
}

}  // namespace
}  // namespace gate::runs
