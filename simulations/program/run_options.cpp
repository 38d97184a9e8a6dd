#include "simulations/program/run_options.hpp"

#include <array>
#include <limits>

namespace gate::sim_program {
namespace {

using config::as_flag;
using config::as_help;
using config::as_number;
using config::as_text;
using o = run_options;

constexpr std::uint64_t most_seeds = 1'000'000'000;
constexpr std::uint64_t last_seed = 1'000'000'000'000;

constexpr std::array<config::option<o>, 10> run_rows{{
    {"--seeds", "N", "so many stories: {}", as_number<&o::seeds, 1, most_seeds>()},
    {"--from", "SEED", "the first of them: {}", as_number<&o::from, 0, last_seed>()},
    {"--jobs", "N", "so many processes: {}", as_number<&o::jobs, 0, 256>(), "0: one a core"},
    {"--failures", "N", "stop behind so many violations: {}",
     as_number<&o::failures, 1, most_seeds>()},
    {"--digest", "", "print a hash of everything that happened", as_flag<&o::digest>()},
    {"--shrink", "", "leave out of the first violation's story what it does not need",
     as_flag<&o::shrink>()},
    {"--trace", "", "print what happened in that story, line by line", as_flag<&o::trace>()},
    {"--plant", "NAME", "plant a fault, which must be found (gate-sim plants)",
     as_text<&o::plant>()},
    {"--report", "FILE.html", "write that story as a page: time line, who spoke with whom, charts",
     as_text<&o::report>()},
    {"--help", "", "this text", as_help<&o::what, o::action::help>()},
}};

config::option_failure contradiction(const o& given) {
  if (given.scenarios.size() > 1)
    return "one scenario at a time: \"" + given.scenarios[1] + "\" is one too many";
  return {};
}

constexpr config::program<o> table{
    "gate-sim run",
    "tell stories, each made by its seed, and look for what is wrong",
    "gate-sim run [SCENARIO|FILE.json] [OPTION…]",
    "0 nothing is wrong (with --plant: the fault was found), 1 a violation (or the fault was not "
    "found), 2 the command line or the scenario can not be used, 130 Ctrl-C",
    run_rows,
    true,
    nullptr,
    &o::scenarios,
    {},
    contradiction};

}  // namespace

std::variant<run_options, config::usage_error> parse_run_options(
    std::span<const char* const> args) {
  return config::parse(table, args);
}

std::string run_help() {
  return config::help_of(table);
}

config::described_program run_line() {
  return config::described_of(table);
}

}  // namespace gate::sim_program
