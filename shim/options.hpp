#pragma once
/// The command line of `gate-stdio`: a table of options (config/options/options.hpp). What runs as
/// the child stands behind a literal `--`, and comes from nowhere else. Pure: the environment is a
/// parameter.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/cli.hpp"

namespace gate::shim {

enum class action : std::uint8_t { run, probe, version, help };

struct options {
  gate::shim::action action = action::run;
  std::string host = "127.0.0.1";
  std::uint16_t port = 8091;  ///< 0: any free port
  std::size_t max_sessions = 64;
  std::size_t max_body_bytes = 1024 * 1024;
  std::vector<std::string> env_passthrough;  ///< names
  std::string directory;                     ///< empty: our own
  std::string bearer_env;                    ///< a name; empty: no token is asked for
  config::log_format log_format = config::log_format::text;
  config::log_level log_level = config::log_level::info;
  std::vector<std::string> command;  ///< the program and its arguments
};

using config::usage_error;

/// `args` without the program's name. To run or to probe needs a command; to listen beyond loopback
/// needs a token.
std::variant<options, usage_error> parse_options(std::span<const char* const> args);

/// `NAME=value` for each name that `env` knows; the others are told in `missing`.
std::vector<std::string> passed_environment(const std::vector<std::string>& names,
                                            const config::environment& env,
                                            std::vector<std::string>& missing);

/// The text of `--help`.
std::string help();
/// The command line, for other texts.
config::described_program command_line();

}  // namespace gate::shim
