#pragma once
/// The command line of `gate doctor`: a table of options (options/options.hpp). Pure: the
/// environment is a parameter.
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "config/cli.hpp"
#include "protocol/limits/doctor.hpp"

namespace gate::config {

/// The word that chooses it, as the first argument of `gate`.
inline constexpr std::string_view doctor_command = "doctor";

struct doctor_options {
  enum class action_kind : std::uint8_t { run, help } action = action_kind::run;
  config::source source;
  std::string host = cli_options{}.host;
  std::uint16_t port = cli_options{}.port;
  unsigned threads = cli_options{}.threads;
  unsigned timeout = static_cast<unsigned>(limits::doctor_peer.count());  ///< seconds
  bool json = false;
};

/// `args` without `gate doctor`. `--config` wins over GATE_CONFIG.
std::variant<doctor_options, usage_error> parse_doctor(std::span<const char* const> args,
                                                       const environment& env);

/// The text of `gate doctor --help`.
std::string doctor_help();

/// The options, for manual pages.
described_program doctor_command_line();

}  // namespace gate::config
