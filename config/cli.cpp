#include "config/cli.hpp"

#include <array>
#include <limits>

#include "protocol/limits.hpp"

namespace gate::config {
namespace {

option_failure read_config(cli_options& o, std::string_view value) {
  o.source = {source::kind::file, std::string(value)};
  return std::nullopt;
}

/// Names with commas between.
option_failure read_redact(cli_options& o, std::string_view value) {
  o.record_redact.clear();
  for (;;) {
    const auto name = value.substr(0, value.find(','));
    if (name.empty()) return "expected names with commas between, found an empty one";
    o.record_redact.emplace_back(name);
    if (name.size() == value.size()) return std::nullopt;
    value.remove_prefix(name.size() + 1);
  }
}

/// What is wrong with the options together.
option_failure contradiction(const cli_options& o) {
  if (o.record.empty() &&
      (!o.record_redact.empty() || o.record_limit != cli_options{}.record_limit))
    return "--record-limit and --record-redact mean nothing without --record FILE";
  return {};
}

using o = cli_options;
constexpr auto action = &cli_options::action;

constexpr std::array<option<cli_options>, 16> rows{{
    // clang-format off
    {"--config",           "PATH",    "configuration document; wins over GATE_CONFIG",         read_by<read_config>()},
    {"--watch",            "",        "reload when the document's file has changed",           as_flag<&o::watch>()},
    {"--host",             "ADDRESS", "address to listen on",                                  as_text<&o::host>()},
    {"--port",             "PORT",    "port to listen on, 0 for any free one",                 as_number<&o::port, 0, 65'535>()},
    {"--threads",          "N",       "threads that serve requests, {}",                       as_number<&o::threads, 1, limits::threads_most>()},
    {"--log-format",       "FORMAT",  "{}",                                                    as_word<&o::log_format, log_formats>()},
    {"--log-level",        "LEVEL",   "{}",                                                    as_word<&o::log_level, log_levels>()},
    {"--record",           "FILE",    "record what happens, in a file that does not exist",    as_text<&o::record>()},
    {"--record-limit",     "BYTES",   "what the recording may have",                           as_number<&o::record_limit, std::uint64_t{limits::recording_least_bytes}, std::numeric_limits<std::int64_t>::max()>()},
    {"--record-redact",    "NAME,...", "headers and members that are secret as well", read_by<read_redact>()},
    {"--validate",         "",        "check the configuration document, then exit",           as_action<action, cli_action::validate>()},
    {"--schema",           "",        "print the JSON Schema of the document, then exit",      as_action<action, cli_action::schema>()},
    {"--config-reference", "",        "print the tables of docs/configuration.md, then exit",  as_action<action, cli_action::config_reference>(), {}, false},
    {"--healthcheck",      "",        "ask a running gate for its health, then exit",          as_action<action, cli_action::healthcheck>()},
    {"--version",          "",        "print the version, then exit",                          as_action<action, cli_action::version>()},
    {"--help",             "",        "print this text, then exit",                            as_help<action, cli_action::help>()},
    // clang-format on
}};

constexpr program<cli_options> gate{
    .name = "gate",
    .about = "one MCP server in front of many",
    .usage =
        "gate --config PATH [options]\n"
        "       GATE_CONFIG=<path or JSON document> gate [options]\n"
        "       gate doctor --config PATH [options]   looks at all that a document names",
    .exit_codes = "0 ok, 1 invalid configuration or failed boot, 2 usage error",
    .options = rows,
    .contradiction = contradiction};

}  // namespace

const std::string_view no_configuration =
    "no configuration: give --config PATH, set GATE_CONFIG to a path, or set it to the document "
    "itself. If you have the mcp.json of a client, gate-up runs gate for it; see gate --help";

source source_in(const environment& env) {
  auto value = env("GATE_CONFIG").value_or("");
  auto first = value.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  if (value[first] == '{') return {source::kind::inlined, std::move(value)};
  return {source::kind::file, std::move(value)};
}

std::variant<cli_options, usage_error> parse_cli(std::span<const char* const> args,
                                                 const environment& env) {
  auto parsed = parse(gate, args);
  auto* out = std::get_if<cli_options>(&parsed);
  if (!out) return parsed;
  if (out->source.from == source::kind::none) out->source = source_in(env);
  const bool needs_document = out->action == cli_action::run || out->action == cli_action::validate;
  if (needs_document && out->source.from == source::kind::none)
    return usage_error{std::string(no_configuration)};
  return parsed;
}

std::string help() {
  return help_of(gate);
}

described_program command_line() {
  return described_of(gate);
}

}  // namespace gate::config
