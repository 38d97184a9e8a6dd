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
  std::string url{};     ///< of a live gateway; empty: it is played in virtual time
  std::uint64_t speed = 1;
  std::string bearer_env{};
  bool json = false;
  std::uint64_t most = 20;  ///< differences that are shown
};

std::variant<replay_options, config::usage_error> parse_replay_options(
    std::span<const char* const> args);
std::string replay_help();
config::described_program replay_line();

/// against_command.cpp: sends the recording to a live gateway; gives the exit code.
int send_recording(const replay_options& o);

}  // namespace gate::sim_program
