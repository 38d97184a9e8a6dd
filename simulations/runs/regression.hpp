#pragma once
/// Stories that failed once: {"scenario": NAME, "settings": {…}, "seed": N, "meets": "…", "about":
/// "what was wrong"} in simulations/regressions. They are told again by tests. `settings` are those
/// of a scenario file, and go before those of the scenario: what was drawn otherwise when the story
/// failed. `meets` is a regular expression that a line of the story's trace fits: what was wrong
/// happens in this story still. Pure.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "simulations/runs/scenario_file.hpp"

namespace gate::runs {

struct regression {
  std::string scenario;
  std::uint64_t seed = 0;
  std::string about, meets;
  scenario_file file;  ///< the scenario with its settings
};
std::variant<regression, file_problem> read_regression(std::string_view text);

}  // namespace gate::runs
