#pragma once
/// Leaves out of a story what its complaint does not need: operations, then conditions.
#include <functional>
#include <string>
#include <vector>

#include "simulations/runs/plot.hpp"

namespace gate::runs {

/// The checker that complained first, as `answers:`; empty: none did.
std::string subject_of(const std::vector<std::string>& complaints);

/// How a story is told that may end its process; gives the complaints.
using teller = std::function<std::vector<std::string>(const plot&)>;

/// The shortest story that the search finds in which the same checker complains first: it can spare
/// none of its operations alone, and none of its conditions could be simpler. The story itself must
/// be one with complaints.
plot_ptr shorten(plot_ptr from, const teller& tell);

}  // namespace gate::runs
