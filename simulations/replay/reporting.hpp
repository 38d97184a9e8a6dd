#pragma once
/// Where the gateway of a recording reports to: webhook sinks and the collector of traces. What it
/// sends there is made of times, and batched by them. Pure.
#include <set>
#include <string>
#include <string_view>

#include "simulations/replay/tape.hpp"

namespace gate::replay {

/// A URL with its port.
std::string canonical_url(std::string_view url);

/// All that any document of the recording names.
std::set<std::string, std::less<>> reports_of(const tape& of);

}  // namespace gate::replay
