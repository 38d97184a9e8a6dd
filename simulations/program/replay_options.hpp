#pragma once
/// The command line of `gate-sim replay`. Pure.
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "config/options/options.hpp"

namespace gate::sim_program {

struct replay_options {
  enum class action : std::uint8_t { replay, help } what = action::replay;
  std::vector<std::string> files{};
  std::string config{};  ///< the file of another document; empty: the recorded one
  bool json = false;
  std::uint64_t most = 20;  ///< differences that are shown
};

std::variant<replay_options, config::usage_error> parse_replay_options(
    std::span<const char* const> args);
std::string replay_help();

}  // namespace gate::sim_program
