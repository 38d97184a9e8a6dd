#include "shim/options.hpp"

#include <algorithm>
#include <array>

#include "config/option_values.hpp"
#include "config/text.hpp"
#include "protocol/http/url.hpp"
#include "protocol/limits.hpp"

namespace gate::shim {
namespace {

using failure = config::option_failure;

/// A body is held in memory while it is read.
constexpr std::size_t body_bytes_most = std::size_t{1} << 30;

bool is_variable_name(std::string_view name) {
  return !name.empty() && name.find_first_of(std::string_view("=\0", 2)) == name.npos;
}

failure set_host(options& o, std::string_view value) {
  o.host = value;
  return {};
}

failure set_port(options& o, std::string_view value) {
  return config::read_number<std::uint16_t>(value, 0, 65'535, o.port);
}

failure set_max_sessions(options& o, std::string_view value) {
  return config::read_number(value, std::size_t{1}, limits::shim_sessions_most, o.max_sessions);
}

failure set_max_body(options& o, std::string_view value) {
  return config::read_number(value, std::size_t{1}, body_bytes_most, o.max_body_bytes);
}

failure set_passthrough(options& o, std::string_view value) {
  o.env_passthrough.clear();
  for (;;) {
    const auto comma = value.find(',');
    const auto name = value.substr(0, comma);
    if (!is_variable_name(name)) return "expected names of variables, separated by commas";
    o.env_passthrough.emplace_back(name);
    if (comma == value.npos) return {};
    value.remove_prefix(comma + 1);
  }
}

failure set_directory(options& o, std::string_view value) {
  o.directory = value;
  return {};
}

failure set_bearer(options& o, std::string_view value) {
  if (!is_variable_name(value)) return "expected the name of a variable";
  o.bearer_env = value;
  return {};
}

failure set_log_format(options& o, std::string_view value) {
  return config::read_word(value, config::log_formats, o.log_format);
}

failure set_log_level(options& o, std::string_view value) {
  return config::read_word(value, config::log_levels, o.log_level);
}

/// One option. Those with a `placeholder` take a value; the others choose what is done.
struct option {
  std::string_view name;
  std::string_view placeholder;
  std::string_view doc;
  failure (*set)(options&, std::string_view) = nullptr;
  shim::action action = action::run;
};

constexpr std::array<option, 12> table{{
    {"--host", "ADDRESS", "address to listen on (127.0.0.1)", set_host},
    {"--port", "PORT", "port to listen on, 0 for any free one (8091)", set_port},
    {"--max-sessions", "N", "sessions at a time, each a child process (64)", set_max_sessions},
    {"--max-body-bytes", "N", "largest body of a request (1048576)", set_max_body},
    {"--env-passthrough", "A,B", "variables that the child may see (none)", set_passthrough},
    {"--dir", "PATH", "working directory of the child (our own)", set_directory},
    {"--bearer-env", "NAME", "variable with the token that callers must present", set_bearer},
    {"--log-format", "FORMAT", "text or json (text)", set_log_format},
    {"--log-level", "LEVEL", "debug, info, warn or error (info)", set_log_level},
    {"--probe", "", "start the server once to check that it runs, then exit", nullptr,
     action::probe},
    {"--version", "", "print the version, then exit", nullptr, action::version},
    {"--help", "", "print this text, then exit", nullptr, action::help},
}};

usage_error unknown(std::string_view name) {
  if (!name.starts_with('-'))
    return {"unexpected argument \"" + std::string(name) +
            "\"; the server's command follows a literal --; see gate-stdio --help"};
  std::vector<std::string_view> names;
  for (const auto& o : table) names.push_back(o.name);
  const auto near = config::nearest(name, names);
  return {"unknown option " + std::string(name) +
          (near.empty() ? "" : "; did you mean " + std::string(near) + "?") +
          "; see gate-stdio --help"};
}

/// What is wrong with the options together.
failure contradiction(const options& o) {
  if (o.action == action::help || o.action == action::version) return {};
  if (o.command.empty())
    return "no command: the server's command and its arguments follow a literal --; see gate-stdio "
           "--help";
  if (o.command.front().empty()) return "the command behind -- is empty";
  if (o.action == action::run && !is_loopback(o.host) && o.bearer_env.empty())
    return "to listen on " + o.host +
           ", which others can reach, callers must present a token: give --bearer-env NAME, or "
           "listen on 127.0.0.1";
  return {};
}

}  // namespace

std::variant<options, usage_error> parse_options(std::span<const char* const> args) {
  options out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view arg = args[i];
    if (arg == "--") {
      out.command.assign(args.begin() + static_cast<std::ptrdiff_t>(i) + 1, args.end());
      break;
    }
    const auto equals = arg.starts_with("--") ? arg.find('=') : std::string_view::npos;
    const auto name = arg.substr(0, equals);
    const auto* o = std::ranges::find(table, name, &option::name);
    if (o == table.end()) return unknown(name);
    if (o->placeholder.empty()) {
      if (equals != std::string_view::npos)
        return usage_error{std::string(name) + " takes no value"};
      // Asking for help beside anything else is asking for help.
      if (out.action != action::help) out.action = o->action;
      continue;
    }
    std::string_view value;
    if (equals != std::string_view::npos)
      value = arg.substr(equals + 1);
    else if (i + 1 < args.size() && !std::string_view(args[i + 1]).starts_with("--"))
      value = args[++i];
    if (value.empty())
      return usage_error{std::string(name) + " needs a value: " + std::string(name) + ' ' +
                         std::string(o->placeholder)};
    if (const auto wrong = o->set(out, value))
      return usage_error{std::string(name) + ": " + *wrong + ", found \"" + std::string(value) +
                         '"'};
  }
  if (auto wrong = contradiction(out)) return usage_error{std::move(*wrong)};
  return out;
}

bool is_loopback(std::string_view host) {
  // A name below localhost is looked up like any other.
  if (host.ends_with(".localhost")) return false;
  http::url u;
  u.host = host;
  return u.loopback();
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
  std::string out =
      "gate-stdio - one stdio MCP server, served over streamable HTTP\n"
      "\n"
      "usage: gate-stdio [options] -- COMMAND [ARGUMENTS]\n"
      "\n"
      "options:\n";
  const auto left = [](const option& o) {
    return std::string(o.name) + (o.placeholder.empty() ? "" : " ") + std::string(o.placeholder);
  };
  std::size_t width = 0;
  for (const auto& o : table) width = std::max(width, left(o).size());
  for (const auto& o : table) {
    const auto name = left(o);
    out += "  " + name + std::string(width + 2 - name.size(), ' ') + std::string(o.doc) + "\n";
  }
  out += "\nexit codes: 0 ok, 1 failed boot or probe, 2 usage error\n";
  return out;
}

}  // namespace gate::shim
