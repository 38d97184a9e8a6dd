#include "shim/options.hpp"

#include <array>

#include "config/options/listening.hpp"
#include "protocol/limits.hpp"

namespace gate::shim {
namespace {

using config::as_action;
using config::as_help;
using config::as_number;
using config::as_text;
using config::as_word;
using config::option_failure;
using config::read_by;

option_failure read_names(options& o, std::string_view value) {
  o.env_passthrough.clear();
  for (;;) {
    const auto comma = value.find(',');
    const auto name = value.substr(0, comma);
    if (!config::is_variable_name(name)) return "expected names of variables, separated by commas";
    o.env_passthrough.emplace_back(name);
    if (comma == value.npos) return {};
    value.remove_prefix(comma + 1);
  }
}

option_failure read_bearer_env(options& o, std::string_view value) {
  if (!config::is_variable_name(value)) return "expected the name of a variable";
  o.bearer_env = value;
  return {};
}

using o = options;
constexpr auto act = &options::action;
constexpr auto sessions_most = limits::shim_sessions_most;
constexpr auto body_bytes_most = limits::shim_body_bytes_most;

constexpr std::array<config::option<options>, 12> rows{{
    // clang-format off
    {"--host",            "ADDRESS", "address to listen on",                               as_text<&o::host>()},
    {"--port",            "PORT",    "port to listen on, 0 for any free one",              as_number<&o::port, 0, 65'535>()},
    {"--max-sessions",    "N",       "sessions at a time, each a child process",           as_number<&o::max_sessions, 1, sessions_most>()},
    {"--max-body-bytes",  "N",       "largest body of a request",                          as_number<&o::max_body_bytes, 1, body_bytes_most>()},
    {"--env-passthrough", "A,B",     "variables that the child may see",                   read_by<read_names>(), "none"},
    {"--dir",             "DIR",     "working directory of the child",                     as_text<&o::directory>(), "our own"},
    {"--bearer-env",      "NAME",    "variable with the token that callers must present",  read_by<read_bearer_env>()},
    {"--log-format",      "FORMAT",  "{}",                                                 as_word<&o::log_format, config::log_formats>()},
    {"--log-level",       "LEVEL",   "{}",                                                 as_word<&o::log_level, config::log_levels>()},
    {"--probe",           "",        "start the server once to check that it runs, then exit", as_action<act, action::probe>()},
    {"--version",         "",        "print the version, then exit",                       as_action<act, action::version>()},
    {"--help",            "",        "print this text, then exit",                         as_help<act, action::help>()},
    // clang-format on
}};

/// What is wrong with the options together.
option_failure contradiction(const options& o) {
  if (o.action == action::help || o.action == action::version) return {};
  if (o.command.empty())
    return "no command: the server's command and its arguments follow a literal --; see gate-stdio "
           "--help";
  if (o.command.front().empty()) return "the command behind -- is empty";
  if (o.action == action::run && !config::is_loopback(o.host) && o.bearer_env.empty())
    return "to listen on " + o.host +
           ", which others can reach, callers must present a token: give --bearer-env NAME, or "
           "listen on 127.0.0.1";
  return {};
}

constexpr config::program<options> gate_stdio{
    .name = "gate-stdio",
    .about = "one stdio MCP server, served over streamable HTTP",
    .usage = "gate-stdio [options] -- COMMAND [ARGUMENTS]",
    .exit_codes = "0 ok, 1 failed boot or probe, 2 usage error",
    .options = rows,
    .one_action = false,
    .command = &options::command,
    .stray_hint = "the server's command follows a literal --",
    .contradiction = contradiction};

}  // namespace

std::variant<options, usage_error> parse_options(std::span<const char* const> args) {
  return config::parse(gate_stdio, args);
}

std::vector<std::string> passed_environment(const std::vector<std::string>& names,
                                            const config::environment& env,
                                            std::vector<std::string>& missing) {
  std::vector<std::string> out;
  for (const auto& name : names) {
    if (const auto value = env(name))
      out.push_back(name + '=' + *value);
    else
      missing.push_back(name);
  }
  return out;
}

std::string help() {
  return config::help_of(gate_stdio);
}

config::described_program command_line() {
  return config::described_of(gate_stdio);
}

}  // namespace gate::shim
