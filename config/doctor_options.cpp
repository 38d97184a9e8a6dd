#include "config/doctor_options.hpp"

#include <array>

#include "protocol/limits/operations.hpp"

namespace gate::config {
namespace {

using d = doctor_options;

option_failure read_document(doctor_options& o, std::string_view value) {
  o.source = {source::kind::file, std::string(value)};
  return std::nullopt;
}

constexpr std::array<option<doctor_options>, 7> doctor_rows{{
    // clang-format off
    {"--config",  "PATH",    "configuration document; wins over GATE_CONFIG", read_by<read_document>()},
    {"--host",    "ADDRESS", "address that the gateway is to listen on",      as_text<&d::host>()},
    {"--port",    "PORT",    "port that it is to listen on",                  as_number<&d::port, 0, 65'535>()},
    {"--threads", "N",       "threads that it is to have, {}",                as_number<&d::threads, 1, limits::threads_most>()},
    {"--timeout", "SECONDS", "for each that is asked; all have three times that, {}", as_number<&d::timeout, 1, limits::doctor_peer_most.count()>()},
    {"--json",    "",        "print JSON",                                    as_flag<&d::json>()},
    {"--help",    "",        "print this text, then exit",                    as_help<&d::action, doctor_options::action_kind::help>()},
    // clang-format on
}};

constexpr program<doctor_options> gate_doctor{
    .name = "gate doctor",
    .about = "looks at all that a document names, and says what is wrong and what to do",
    .usage =
        "gate doctor --config PATH [options]\n"
        "       GATE_CONFIG=<path or JSON document> gate doctor [options]",
    .exit_codes = "0 no error was found, 1 an error was found, 2 usage error",
    .options = doctor_rows};

}  // namespace

std::variant<doctor_options, usage_error> parse_doctor(std::span<const char* const> args,
                                                       const environment& env) {
  auto parsed = parse(gate_doctor, args);
  auto* out = std::get_if<doctor_options>(&parsed);
  if (!out || out->action == doctor_options::action_kind::help) return parsed;
  if (out->source.from == source::kind::none) out->source = source_in(env);
  if (out->source.from == source::kind::none) return usage_error{std::string(no_configuration)};
  return parsed;
}

std::string doctor_help() {
  return help_of(gate_doctor);
}

described_program doctor_command_line() {
  return described_of(gate_doctor);
}

}  // namespace gate::config
