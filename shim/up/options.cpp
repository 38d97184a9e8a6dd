#include "shim/up/options.hpp"

#include <array>

#include "config/options/options.hpp"

namespace gate::up {
namespace {

using config::as_action;
using config::as_flag;
using config::as_help;
using config::as_number;
using config::as_text;

using o = options;
constexpr auto act = &options::action;

constexpr std::array<config::option<options>, 5> rows{{
    // clang-format off
    {"--host",    "ADDRESS", "address the gateway listens on",                as_text<&o::host>()},
    {"--port",    "PORT",    "port it listens on, 0 for any free one",        as_number<&o::port, 0, 65'535>()},
    {"--verbose", "",        "print all that the programs log",               as_flag<&o::verbose>()},
    {"--version", "",        "print the version, then exit",                  as_action<act, action::version>()},
    {"--help",    "",        "print this text, then exit",                    as_help<act, action::help>()},
    // clang-format on
}};

constexpr config::program<options> gate_up{
    .name = "gate-up",
    .about = "the MCP servers of your clients' files, behind one endpoint",
    .usage = "gate-up [options] [FILE...]",
    .exit_codes = "0 ok, 1 nothing to serve or failed boot, 2 usage error",
    .options = rows,
    .one_action = false,
    .operands = &options::files};

}  // namespace

std::variant<options, config::usage_error> parse_options(std::span<const char* const> args) {
  return config::parse(gate_up, args);
}

std::string help() {
  return config::help_of(gate_up);
}

}  // namespace gate::up
