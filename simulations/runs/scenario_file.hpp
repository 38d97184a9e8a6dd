#pragma once
/// Scenario files: which kind of stories, and how they are drawn. What may stand in them is the
/// kind's table of settings; the reader, the schema and the documentation are made of it. Pure.
#include <string>
#include <string_view>
#include <vector>

#include "simulations/runs/kind.hpp"

namespace gate::runs {

struct scenario_file {
  const kind* of = nullptr;
  std::string about;
  stories::tuning how{{}};
};

/// What is wrong with a file, and where (a JSON pointer; empty: it is the whole file).
struct file_problem {
  std::string where, what;
};

struct scenario_reading {
  scenario_file file;                  ///< if there are no problems
  std::vector<file_problem> problems;  ///< all of them
};
scenario_reading read_scenario(std::string_view text);

/// The JSON Schema of scenario files.
std::string scenario_schema();
/// What a kind's settings are, as tables of docs/simulations.md.
std::string settings_table(const kind& of);

/// Names of the scenarios that the program brings along.
std::vector<std::string_view> scenario_names();
/// The text of one; empty: there is none.
std::string_view scenario_text(std::string_view name);

}  // namespace gate::runs
