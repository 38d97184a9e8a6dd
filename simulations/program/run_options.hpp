#pragma once
/// The command line of `gate-sim run`. Pure.
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "config/options/options.hpp"

namespace gate::sim_program {

struct run_options {
  enum class action : std::uint8_t { run, help } what = action::run;
  std::vector<std::string> scenarios{};  ///< one at most; none: `gateway`
  std::uint64_t seeds = 1'000;
  std::uint64_t from = 1;
  std::uint64_t jobs = 0;  ///< 0: one a core
  std::uint64_t failures = 1;
  bool digest = false;
  bool shrink = false;
  bool trace = false;
  std::string plant{};
  std::string report{};

  std::string scenario() const { return scenarios.empty() ? "gateway" : scenarios.front(); }
};

std::variant<run_options, config::usage_error> parse_run_options(std::span<const char* const> args);
std::string run_help();
config::described_program run_line();

}  // namespace gate::sim_program
