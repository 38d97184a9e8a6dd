#pragma once
/// The scenario that somebody names: one that the program brings along, or a file.
#include <optional>
#include <string>

#include "simulations/runs/scenario_file.hpp"

namespace gate::sim_program {

/// Nothing: it can not be used, and standard error says why.
std::optional<runs::scenario_file> chosen_scenario(const std::string& name);

}  // namespace gate::sim_program
