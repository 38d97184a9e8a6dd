#pragma once
/// What a run says while it goes on, and when it is over. Pure.
#include <string>
#include <string_view>
#include <vector>

#include "simulations/runs/run.hpp"

namespace gate::sim_program {

/// A line of `columns` at most, for a terminal: a bar, and how fast it goes.
std::string progress_bar(const runs::run_summary& s, std::uint64_t seeds, std::size_t columns);
/// The same for a log.
std::string progress_line(const runs::run_summary& s, std::uint64_t seeds);
/// What came of it.
std::string summary_text(const runs::run_summary& s, const runs::run_plan& p);

/// How the story is told again, or so many from this one on: `scenario` as it was given.
std::string command_again(const std::string& scenario, std::uint64_t seed,
                          const std::string& planted, std::uint64_t seeds = 1);
/// What was seen in a story of this kind, a line each, and behind the last of each checker what was
/// expected.
std::string seen_and_expected(std::string_view kind, const std::vector<std::string>& complaints);
/// One violation of a run that began with the seed `from`, with the command that repeats it.
std::string violation_text(std::string_view kind, const std::string& scenario,
                           const runs::verdict& v, const std::string& planted, std::uint64_t from);

}  // namespace gate::sim_program
