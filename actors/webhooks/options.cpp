#include "actors/webhooks/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "config/options/listening.hpp"
#include "config/options/options.hpp"
#include "protocol/http/ascii.hpp"

namespace gate::hooks {
namespace {

using config::as_action;
using config::as_flag;
using config::as_help;
using config::as_number;
using config::as_text;
using config::as_word;
using config::option_failure;
using config::read_by;

option_failure read_store(options& o, std::string_view value) {
  using kind = ledger_place::kind;
  constexpr std::string_view sqlite = "sqlite:";
  if (value.starts_with("postgres://") || value.starts_with("postgresql://")) {
    o.store = {kind::postgres, std::string(value)};
    return {};
  }
  if (!value.starts_with(sqlite) || value.size() == sqlite.size())
    return "expected sqlite:PATH or postgres://…";
  o.store = {kind::sqlite, std::string(value.substr(sqlite.size()))};
  return {};
}

option_failure read_bearer_env(options& o, std::string_view value) {
  if (!config::is_variable_name(value)) return "expected the name of a variable";
  o.bearer_env = value;
  return {};
}

option_failure read_schedule(options& o, std::string_view value) {
  auto read = webhook::schedule::read(value);
  if (!read) return read.error().what;
  o.schedule = std::move(*read);
  return {};
}

bool is_host(std::string_view text) {
  if (text.starts_with("*.")) text.remove_prefix(2);
  constexpr auto good = "abcdefghijklmnopqrstuvwxyz0123456789-.:[]";
  return !text.empty() && text.find_first_not_of(good) == text.npos;
}

option_failure read_hosts(options& o, std::string_view value) {
  o.calling.hosts.clear();
  for (;;) {
    const auto comma = value.find(',');
    const auto host = value.substr(0, comma);
    if (!is_host(host))
      return "expected hosts in small letters, separated by commas; *.example.com is every name "
             "below example.com";
    o.calling.hosts.emplace_back(host);
    if (comma == value.npos) return {};
    value.remove_prefix(comma + 1);
  }
}

/// `90`, `90s`, `15m`, `12h`, `7d`.
option_failure read_time(std::string_view text, std::chrono::seconds& to) {
  constexpr std::array<std::pair<char, std::int64_t>, 4> units{
      {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 24 * 3600}}};
  std::int64_t each = 1;
  for (const auto& [letter, seconds] : units)
    if (!text.empty() && text.back() == letter) {
      each = seconds;
      text.remove_suffix(1);
      break;
    }
  std::int64_t n = 0;
  const auto most = limits::webhook_kept_most.count() / each;
  const bool read = http::all_digits(text) &&
                    std::from_chars(text.data(), text.data() + text.size(), n).ec == std::errc{};
  if (!read || n < 1 || n > most)
    return "expected a time of 1s to " +
           config::number_text(limits::webhook_kept_most.count() / (24 * 3600)) + "d, as 12h or 7d";
  to = std::chrono::seconds{n * each};
  return {};
}

option_failure read_succeeded_kept(options& o, std::string_view value) {
  return read_time(value, o.succeeded_kept);
}
option_failure read_dead_kept(options& o, std::string_view value) {
  return read_time(value, o.dead_kept);
}

using o = options;
constexpr auto act = &options::action;
constexpr auto longest = limits::webhook_answer_most.count();

/// A flag that sets something within a member.
constexpr config::option_kind<options> loopback{
    config::option_form::flag, [](options& to, std::string_view) -> option_failure {
      to.calling.loopback = true;
      return {};
    }};

constexpr std::array<config::option<options>, 15> rows{{
    // clang-format off
    {"--store",              "STORE",   "where everything is kept: sqlite:PATH or postgres://…",  read_by<read_store>(), "sqlite:gate-hooks.db"},
    {"--host",               "ADDRESS", "address to listen on",                                   as_text<&o::host>()},
    {"--port",               "PORT",    "port to listen on, 0 for any free one",                  as_number<&o::port, 0, 65'535>()},
    {"--bearer-env",         "NAME",    "variable with the token that callers must present",      read_by<read_bearer_env>()},
    {"--config",             "FILE",    "organizations, each with a token of its own",            as_text<&o::config>(), "none"},
    {"--schedule",           "S,S,…",   "seconds before each attempt",                            read_by<read_schedule>(), "0,5,300,1800,7200,18000,36000"},
    {"--timeout",            "SECONDS", "an attempt has so long to be answered",                  as_number<&o::timeout, 1, longest>()},
    {"--allow-hosts",        "A,B",     "hosts that webhooks may have; *.NAME is all below NAME", read_by<read_hosts>(), "all"},
    {"--retain-succeeded",   "TIME",    "how long deliveries are kept that succeeded",            read_by<read_succeeded_kept>(), "7d"},
    {"--retain-dead",        "TIME",    "how long dead letters are kept",                         read_by<read_dead_kept>(), "30d"},
    {"--dev-allow-loopback", "",        "webhooks may be http, and on this machine: never in production", loopback},
    {"--log-format",         "FORMAT",  "{}",                                                     as_word<&o::log_format, config::log_formats>()},
    {"--log-level",          "LEVEL",   "{}",                                                     as_word<&o::log_level, config::log_levels>()},
    {"--version",            "",        "print the version, then exit",                           as_action<act, action::version>()},
    {"--help",               "",        "print this text, then exit",                             as_help<act, action::help>()},
    // clang-format on
}};

/// What is wrong with the options together.
option_failure contradiction(const options& o) {
  if (o.action != action::run) return {};
  if (!o.bearer_env.empty() && !o.config.empty())
    return "--bearer-env and --config: the tokens come from one of them";
  if (!config::is_loopback(o.host) && o.bearer_env.empty() && o.config.empty())
    return "to listen on " + o.host +
           ", which others can reach, callers must present a token: give --bearer-env NAME or "
           "--config FILE, or listen on 127.0.0.1";
  return {};
}

constexpr config::program<options> gate_hooks{
    .name = "gate-hooks",
    .about = "webhook deliveries that lose nothing, with a dead-letter queue",
    .usage = "gate-hooks [options]",
    .exit_codes = "0 ok, 1 failed boot, 2 usage error",
    .options = rows,
    .one_action = false,
    .stray_hint = "every option begins with --",
    .contradiction = contradiction};

}  // namespace

std::variant<options, usage_error> parse_options(std::span<const char* const> args) {
  return config::parse(gate_hooks, args);
}

std::string help() {
  return config::help_of(gate_hooks);
}

config::described_program command_line() {
  return config::described_of(gate_hooks);
}

}  // namespace gate::hooks
