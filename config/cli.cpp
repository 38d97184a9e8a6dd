#include "config/cli.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "config/option_values.hpp"
#include "config/text.hpp"

namespace gate::config {
namespace {

using failure = option_failure;

failure set_config(cli_options& o, std::string_view value) {
  o.source = {source::kind::file, std::string(value)};
  return std::nullopt;
}

failure set_watch(cli_options& o, std::string_view) {
  o.watch = true;
  return std::nullopt;
}

failure set_host(cli_options& o, std::string_view value) {
  o.host = value;
  return std::nullopt;
}

failure set_port(cli_options& o, std::string_view value) {
  return read_number<std::uint16_t>(value, 0, 65'535, o.port);
}

failure set_threads(cli_options& o, std::string_view value) {
  return read_number(value, 1U, 64U, o.threads);
}

failure set_log_format(cli_options& o, std::string_view value) {
  return read_word(value, log_formats, o.log_format);
}

failure set_log_level(cli_options& o, std::string_view value) {
  return read_word(value, log_levels, o.log_level);
}

enum class shown { yes, no };

/// One option. Those with a `placeholder` take a value; of the others, those without `set` choose
/// an action.
struct option {
  std::string_view name;
  std::string_view placeholder;
  std::string_view doc;
  failure (*set)(cli_options&, std::string_view) = nullptr;
  cli_action action = cli_action::run;
  shown help = shown::yes;
};

constexpr std::array<option, 13> options{{
    {"--config", "PATH", "configuration document; wins over GATE_CONFIG", set_config},
    {"--watch", "", "reload when the document's file has changed", set_watch},
    {"--host", "ADDRESS", "address to listen on (127.0.0.1)", set_host},
    {"--port", "PORT", "port to listen on, 0 for any free one (8080)", set_port},
    {"--threads", "N", "threads that serve requests, 1 to 64 (1)", set_threads},
    {"--log-format", "FORMAT", "text or json (text)", set_log_format},
    {"--log-level", "LEVEL", "debug, info, warn or error (info)", set_log_level},
    {"--validate", "", "check the configuration document, then exit", nullptr,
     cli_action::validate},
    {"--schema", "", "print the JSON Schema of the document, then exit", nullptr,
     cli_action::schema},
    {"--config-reference", "", "print the tables of docs/configuration.md, then exit", nullptr,
     cli_action::config_reference, shown::no},
    {"--healthcheck", "", "ask a running gate for its health, then exit", nullptr,
     cli_action::healthcheck},
    {"--version", "", "print the version, then exit", nullptr, cli_action::version},
    {"--help", "", "print this text, then exit", nullptr, cli_action::help},
}};

const option* find(std::string_view name) {
  auto at = std::ranges::find(options, name, &option::name);
  return at == options.end() ? nullptr : &*at;
}

cli_error unknown(std::string_view name) {
  if (!name.starts_with('-')) {
    return {"unexpected argument \"" + std::string(name) + "\"; see gate --help"};
  }
  std::vector<std::string_view> names;
  for (const auto& o : options) {
    if (o.help == shown::yes) names.push_back(o.name);
  }
  auto near = nearest(name, names);
  return {"unknown option " + std::string(name) +
          (near.empty() ? "" : "; did you mean " + std::string(near) + "?") + "; see gate --help"};
}

/// The environment may carry the document itself: containers have no file at hand.
source from_environment(const environment& env) {
  auto value = env("GATE_CONFIG").value_or("");
  auto first = value.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  if (value[first] == '{') return {source::kind::inlined, std::move(value)};
  return {source::kind::file, std::move(value)};
}

std::optional<cli_error> choose(cli_options& out, const option& o, std::string_view& chosen) {
  // Asking for help beside anything else is asking for help.
  if (out.action == cli_action::help || o.action == cli_action::help) {
    out.action = cli_action::help;
  } else if (!chosen.empty() && chosen != o.name) {
    return cli_error{std::string(chosen) + " and " + std::string(o.name) +
                     " exclude each other: give one of them"};
  } else {
    out.action = o.action;
    chosen = o.name;
  }
  return std::nullopt;
}

}  // namespace

std::variant<cli_options, cli_error> parse_cli(std::span<const char* const> args,
                                               const environment& env) {
  cli_options out;
  std::string_view chosen;
  for (std::size_t i = 0; i < args.size(); ++i) {
    std::string_view arg = args[i];
    auto equals = arg.starts_with("--") ? arg.find('=') : std::string_view::npos;
    auto name = arg.substr(0, equals);
    const auto* o = find(name);
    if (!o) return unknown(name);
    if (o->placeholder.empty()) {
      if (equals != std::string_view::npos) {
        return cli_error{std::string(name) + " takes no value"};
      }
      if (o->set)
        o->set(out, {});
      else if (auto error = choose(out, *o, chosen))
        return *error;
      continue;
    }
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = arg.substr(equals + 1);
    } else if (i + 1 < args.size() && !std::string_view(args[i + 1]).starts_with("--")) {
      value = args[++i];
    }
    auto needed = std::string(name) + " " + std::string(o->placeholder);
    if (value.empty()) return cli_error{std::string(name) + " needs a value: " + needed};
    if (auto wrong = o->set(out, value)) {
      return cli_error{std::string(name) + ": " + *wrong + ", found \"" + std::string(value) + '"'};
    }
  }
  if (out.source.from == source::kind::none) out.source = from_environment(env);
  bool needs_document = out.action == cli_action::run || out.action == cli_action::validate;
  if (needs_document && out.source.from == source::kind::none) {
    return cli_error{
        "no configuration: give --config PATH, or set GATE_CONFIG to a path or to the "
        "document itself; see gate --help"};
  }
  return out;
}

std::string help() {
  std::string out =
      "gate - one MCP server in front of many\n"
      "\n"
      "usage: gate --config PATH [options]\n"
      "       GATE_CONFIG=<path or JSON document> gate [options]\n"
      "\n"
      "options:\n";
  std::size_t width = 0;
  auto left = [](const option& o) {
    return std::string(o.name) + (o.placeholder.empty() ? "" : " ") + std::string(o.placeholder);
  };
  for (const auto& o : options) {
    if (o.help == shown::yes) width = std::max(width, left(o).size());
  }
  for (const auto& o : options) {
    if (o.help == shown::no) continue;
    auto name = left(o);
    out += "  " + name + std::string(width + 2 - name.size(), ' ') + std::string(o.doc) + "\n";
  }
  out +=
      "\n"
      "exit codes: 0 ok, 1 invalid configuration or failed boot, 2 usage error\n";
  return out;
}

}  // namespace gate::config
