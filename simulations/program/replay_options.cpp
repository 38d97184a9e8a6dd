#include "simulations/program/replay_options.hpp"

#include <array>

#include "config/options/listening.hpp"

namespace gate::sim_program {
namespace {

using config::as_flag;
using config::as_help;
using config::as_number;
using config::as_text;

constexpr std::array<config::option<replay_options>, 7> replay_rows{{
    {"--config", "FILE", "what if: replay it against this document",
     as_text<&replay_options::config>()},
    {"--against", "URL",
     "send the requests to a live gateway at http(s)://HOST:PORT, at their times",
     as_text<&replay_options::url>()},
    {"--speed", "N", "with --against: so many times as fast as it was recorded: {}",
     as_number<&replay_options::speed, 1, 1000>()},
    {"--bearer-env", "NAME",
     "with --against: send the token in this environment variable; recordings have none",
     as_text<&replay_options::bearer_env>()},
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
  if (!given.url.empty() && !given.config.empty())
    return "--against and --config exclude each other: a live gateway has its own document";
  if (given.url.empty() && (given.speed != 1 || !given.bearer_env.empty()))
    return "--speed and --bearer-env are for --against URL";
  if (!given.bearer_env.empty() && !config::is_variable_name(given.bearer_env))
    return "--bearer-env takes the name of a variable, not the token itself";
  return {};
}

constexpr config::program<replay_options> replay_table{
    "gate-sim replay",
    "play a recording to a gateway in virtual time, or to a live one, and compare",
    "gate-sim replay FILE [OPTION…]",
    "0 all is equal, 1 something differs (with --config: some requests end otherwise), 2 the "
    "recording, the document or the command line can not be used, or nobody is at the URL, 130 "
    "Ctrl-C",
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

config::described_program replay_line() {
  return config::described_of(replay_table);
}

}  // namespace gate::sim_program
