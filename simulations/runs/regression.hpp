#pragma once
/// Stories that failed once: {"scenario": NAME, "seed": N, "about": "what was wrong"} in
/// simulations/regressions. They are told again by tests. Pure.
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
  std::string about;
};
std::variant<regression, file_problem> read_regression(std::string_view text);

}  // namespace gate::runs
