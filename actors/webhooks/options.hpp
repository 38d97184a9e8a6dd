#pragma once
/// The command line of `gate-hooks`: a table of options (config/options/options.hpp). Pure: what
/// stands in files and variables is read by main.
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "config/cli.hpp"
#include "protocol/limits/webhooks.hpp"
#include "protocol/webhook/callable.hpp"
#include "protocol/webhook/schedule.hpp"
#include "transport/ledger_interface.hpp"

namespace gate::hooks {

enum class action : std::uint8_t { run, version, help };

struct options {
  hooks::action action = action::run;
  ledger_place store;
  std::string host = "127.0.0.1";
  std::uint16_t port = 8092;  ///< 0: any free port
  std::string bearer_env;     ///< a name; empty: no token is asked for, unless `config` has some
  std::string config;         ///< a file with organizations and their tokens; empty: none
  webhook::schedule schedule;
  std::uint32_t timeout = limits::webhook_answer.count();  ///< seconds
  webhook::calling calling;
  std::chrono::seconds succeeded_kept = limits::webhook_succeeded_kept;
  std::chrono::seconds dead_kept = limits::webhook_dead_kept;
  config::log_format log_format = config::log_format::text;
  config::log_level log_level = config::log_level::info;
};

using config::usage_error;

/// `args` without the program's name. To listen beyond loopback needs a token.
std::variant<options, usage_error> parse_options(std::span<const char* const> args);

/// The text of `--help`.
std::string help();
/// The command line, for other texts.
config::described_program command_line();

}  // namespace gate::hooks
