#pragma once
/// The command line of `gate-up`: a table of options (config/options/options.hpp); what is no
/// option is a file. Pure.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "config/cli.hpp"
#include "config/clients/client_entry.hpp"

namespace gate::up {

enum class action : std::uint8_t { run, version, help };

struct options {
  up::action action = action::run;
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any free port
  bool verbose = false;       ///< all that the programs log
  std::string write;          ///< a folder for documents and units; empty: all is run instead
  std::optional<clients::client> client;  ///< told of the gateway, instead of running it
  std::vector<std::string> files;
};

std::variant<options, config::usage_error> parse_options(std::span<const char* const> args);

/// The text of `--help`.
std::string help();
/// The command line, for other texts.
config::described_program command_line();

}  // namespace gate::up
