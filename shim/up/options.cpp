#include "shim/up/options.hpp"

#include <array>

#include "config/options/options.hpp"

namespace gate::up {
namespace {

using config::as_action;
using config::as_flag;
using config::as_help;
using config::as_number;
using config::as_optional_word;
using config::as_text;
using config::option_failure;

/// What is wrong with the options together.
option_failure contradiction(const options& o) {
  if (o.action != action::run) return {};
  if (o.client && !o.write.empty()) return "--client and --write exclude each other";
  if (o.client && !o.files.empty()) return "--client takes no files: it tells where the gateway is";
  if (o.port == 0 && (o.client || !o.write.empty()))
    return "what is written has to name a port: give --port another value than 0";
  return {};
}

using o = options;
constexpr auto act = &options::action;

constexpr std::array<config::option<options>, 7> rows{{
    // clang-format off
    {"--host",    "ADDRESS", "address the gateway listens on",                                 as_text<&o::host>()},
    {"--port",    "PORT",    "port it listens on, 0 for any free one",                         as_number<&o::port, 0, 65'535>()},
    {"--write",   "DIR",     "write document, units and secrets there instead of running them", as_text<&o::write>(), "none"},
    {"--client",  "NAME",    "tell {} of the gateway, then exit",                               as_optional_word<&o::client, clients::client_names>()},
    {"--verbose", "",        "print all that the programs log",                                as_flag<&o::verbose>()},
    {"--version", "",        "print the version, then exit",                                   as_action<act, action::version>()},
    {"--help",    "",        "print this text, then exit",                                     as_help<act, action::help>()},
    // clang-format on
}};

constexpr config::program<options> gate_up{
    .name = "gate-up",
    .about = "the MCP servers of your clients' files, behind one endpoint",
    .usage = "gate-up [options] [FILE...]",
    .exit_codes = "0 ok, 1 nothing to serve or failed boot, 2 usage error",
    .options = rows,
    .one_action = false,
    .operands = &options::files,
    .contradiction = contradiction};

}  // namespace

std::variant<options, config::usage_error> parse_options(std::span<const char* const> args) {
  return config::parse(gate_up, args);
}

std::string help() {
  return config::help_of(gate_up);
}

config::described_program command_line() {
  return config::described_of(gate_up);
}

}  // namespace gate::up
