#pragma once
/// Audit events of a recording beside those of its replay. Times, latencies and traces are of the
/// moment; all else must be there as often. Pure.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/replay/counterparts.hpp"
#include "simulations/replay/tape.hpp"

namespace gate::replay {

/// The lines of the recording, in order.
std::vector<std::string> recorded_audit(const tape& of);
/// Which are only here, or only there. Of those that differ in little, both are in one.
/// `told`: a recorded text with the names that the replay has for what was minted.
using renaming = std::function<std::string(std::string_view)>;
contrasts compare_audits(const std::vector<std::string>& recorded,
                         const std::vector<std::string>& replayed, const renaming& told);

}  // namespace gate::replay
