#include "simulations/program/replay_options.hpp"

#include <array>

namespace gate::sim_program {
namespace {

using config::as_flag;
using config::as_help;
using config::as_number;
using config::as_text;

constexpr std::array<config::option<replay_options>, 4> replay_rows{{
    {"--config", "FILE", "what if: replay it against this document",
     as_text<&replay_options::config>()},
    {"--json", "", "print everything that differs, as one JSON value",
     as_flag<&replay_options::json>()},
    {"--most", "N", "show so many differences: {}",
     as_number<&replay_options::most, 0, 1'000'000>()},
    {"--help", "", "this text", as_help<&replay_options::what, replay_options::action::help>()},
}};

config::option_failure replay_contradiction(const replay_options& given) {
  if (given.what != replay_options::action::replay) return {};
  if (given.files.empty()) return "needs the recording: gate-sim replay FILE";
  if (given.files.size() > 1)
    return "one recording at a time: \"" + given.files[1] + "\" is one too many";
  return {};
}

constexpr config::program<replay_options> replay_table{
    "gate-sim replay",
    "play a recording to a gateway in virtual time, and compare what comes of it",
    "gate-sim replay FILE [OPTION…]",
    "0 all is equal, 1 something differs (with --config: some requests end otherwise), 2 the "
    "recording, the document or the command line can not be used",
    replay_rows,
    true,
    nullptr,
    &replay_options::files,
    {},
    replay_contradiction};

}  // namespace

std::variant<replay_options, config::usage_error> parse_replay_options(
    std::span<const char* const> args) {
  return config::parse(replay_table, args);
}

std::string replay_help() {
  return config::help_of(replay_table);
}

}  // namespace gate::sim_program
