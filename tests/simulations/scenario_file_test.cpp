// Scenario files: what is read, what is refused and where, and that schema and reader agree.
#include "simulations/runs/scenario_file.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "simulations/stories/habits.hpp"
#include "tests/support/generated.hpp"

namespace gate::runs {
namespace {

std::string problems_of(std::string_view text) {
  std::string out;
  for (const auto& p : read_scenario(text).problems) out += p.where + ' ' + p.what + '\n';
  return out;
}

std::uint32_t value_of(const scenario_file& f, std::string_view section, std::string_view name) {
  const auto rows = f.of->settings();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].section == section && rows[i].name == name) return f.how[i];
  ADD_FAILURE() << "no setting " << section << '.' << name;
  return 0;
}

TEST(scenario_file, says_what_it_says_and_the_rest_is_as_usual) {
  const auto read =
      read_scenario(R"({"kind":"gateway","about":"x","acts":{"call":7},"percent":{"trio":100}})");
  ASSERT_TRUE(read.problems.empty());
  EXPECT_EQ(read.file.of->name(), "gateway");
  EXPECT_EQ(read.file.about, "x");
  EXPECT_EQ(value_of(read.file, "acts", "call"), 7U);
  EXPECT_EQ(value_of(read.file, "acts", "burst"), 5U);
  EXPECT_EQ(value_of(read.file, "percent", "trio"), 100U);
}

TEST(scenario_file, all_that_is_wrong_is_said_with_a_pointer) {
  EXPECT_EQ(problems_of(R"({"kind":"gateway","acts":{"cal":1,"call":-1,"burst":1001,"list":"x"},
                            "percents":{},"percent":{"trio":101},"about":1})"),
            "/acts/cal is unknown; did you mean \"call\"?\n"
            "/acts/call must be a whole number from 0 to 1000, found -1\n"
            "/acts/burst must be a whole number from 0 to 1000, found 1001\n"
            "/acts/list must be a whole number from 0 to 1000, found \"x\"\n"
            "/percents is unknown; did you mean \"percent\"?\n"
            "/percent/trio must be a whole number from 0 to 100, found 101\n"
            "/about must be a string\n");
  EXPECT_EQ(problems_of("{}"), "/kind must be a string; known are gateway, fleet, hooks, shim\n");
  EXPECT_EQ(problems_of(R"({"kind":"fleets"})"),
            "/kind there is no such kind of stories; did you mean \"fleet\"?\n");
  EXPECT_EQ(problems_of("[]"), " must be an object\n");
  EXPECT_TRUE(problems_of("{").starts_with(" is no JSON text: "));
  EXPECT_EQ(problems_of(R"({"kind":"fleet","acts":1})"), "/acts must be an object\n");
}

TEST(scenario_file, weights_can_not_all_be_nothing) {
  std::string faults;
  for (const auto& s : find_kind("gateway")->settings())
    if (s.section == "faults")
      faults += (faults.empty() ? "\"" : ",\"") + std::string(s.name) + "\":0";
  EXPECT_EQ(problems_of(R"({"kind":"gateway","faults":{)" + faults + "}}"),
            "/faults of these at least one must be above 0\n");
}

TEST(scenario_file, those_that_the_program_brings_along_are_good) {
  EXPECT_GE(scenario_names().size(), 5U);
  for (const auto name : scenario_names()) {
    EXPECT_EQ(problems_of(scenario_text(name)), "") << name;
    EXPECT_FALSE(read_scenario(scenario_text(name)).file.about.empty()) << name;
  }
  EXPECT_TRUE(scenario_text("nobody").empty());
}

/// `gateway` says nothing of its own: its stories are those of tests.
TEST(scenario_file, the_usual_scenarios_are_as_usual) {
  for (const auto* name : {"gateway", "fleet", "hooks", "shim"}) {
    const auto read = read_scenario(scenario_text(name));
    const auto rows = read.file.of->settings();
    for (std::size_t i = 0; i < rows.size(); ++i)
      EXPECT_EQ(read.file.how[i], rows[i].otherwise) << rows[i].section << '.' << rows[i].name;
  }
}

TEST(scenario_file, the_usual_values_are_within_their_bounds) {
  for (const auto* k : kinds())
    for (const auto& s : k->settings()) {
      EXPECT_LE(s.least, s.otherwise) << s.name;
      EXPECT_LE(s.otherwise, s.most) << s.name;
      EXPECT_FALSE(s.about.empty()) << s.name;
    }
}

TEST(scenario_file, weights_say_how_often) {
  const std::vector<std::uint32_t> weights{2, 0, 3};
  std::string rows;
  for (std::uint32_t at = 0; at < 5; ++at) rows += std::to_string(stories::weighed(weights, at));
  EXPECT_EQ(rows, "00222");
}

TEST(scenario_file, the_committed_schema_is_fresh) {
  constexpr std::string_view committed = "simulations/scenario.schema.json";
  if (const char* update = std::getenv("GATE_UPDATE_GOLDEN"); update && *update)
    std::ofstream(source_path(committed), std::ios::binary) << scenario_schema();
  EXPECT_EQ(testing::read_page(committed), scenario_schema())
      << "regenerate with: gate-sim scenarios --schema > " << committed
      << ", or run this test with GATE_UPDATE_GOLDEN=1";
}

TEST(scenario_file, the_documentation_has_all_settings) {
  for (const auto* k : kinds())
    testing::expect_fresh("docs/simulations.md", "settings of " + std::string(k->name()),
                          settings_table(*k));
}

}  // namespace
}  // namespace gate::runs
