#include "config/clients/units.hpp"

#include "config/clients/hardening.hpp"
#include "config/clients/serving_words.hpp"
#include "config/options/listening.hpp"
#include "protocol/limits/client_files.hpp"

namespace gate::clients {
namespace {

std::string name_of(const planned_server& s) {
  return "gate-stdio-" + s.id;
}

std::string unit(std::string_view about, std::string_view wants, const words& command,
                 const std::string& environment_file, bool of_server) {
  std::string out = "[Unit]\nDescription=" + std::string(about) + "\nAfter=network-online.target" +
                    std::string(wants) + "\n\n[Service]\nType=exec\nExecStart=";
  for (const auto& word : command) out += (&word == &command.front() ? "" : " ") + unit_word(word);
  out += "\nEnvironmentFile=" + environment_file + "\nRestart=always\nRestartSec=5\n";
  for (const auto& s : hardening)
    if (s.of_servers || !of_server) out.append(s.line).append("\n");
  return out + "\n[Install]\nWantedBy=default.target\n";
}

std::string lines_of(const named_values& values) {
  std::string out;
  for (const auto& [name, value] : values) out += environment_line(name, value);
  return out;
}

/// A path in a setting: `%` begins a specifier.
std::string setting(std::string_view path) {
  std::string out;
  for (const char c : path) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

/// Means itself, without quotes.
bool is_plain(std::string_view word) {
  constexpr std::string_view good =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@+";
  return !word.empty() && word.find_first_not_of(good) == word.npos;
}

}  // namespace

std::string unit_word(std::string_view word) {
  if (is_plain(word)) return std::string(word);
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '%' || c == '$') out += c;  // twice is itself
    if (static_cast<unsigned char>(c) < ' ') {
      constexpr std::string_view digits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      out += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string environment_line(std::string_view name, std::string_view value) {
  std::string out(name);
  out += "=\"";
  for (const char c : value) {
    if (c == '"' || c == '\\' || c == '$' || c == '`') out += '\\';
    out += c;
  }
  return out + "\"\n";
}

written_units units_of(const std::vector<planned_server>& servers, std::string_view base,
                       const unit_place& at) {
  written_units all;
  auto& out = all.files;
  std::vector<reachable_server> reachable;
  std::string before;
  auto port = static_cast<std::uint16_t>(limits::written_port);
  for (const auto& s : servers) {
    if (!s.started()) {
      reachable.push_back({&s, s.entry.url});
      continue;
    }
    if (port == at.port) ++port;
    const auto environment = environment_of(s.entry, at.path, at.home);
    // Not where systemd starts it, but where it would have run.
    const auto folder = s.entry.directory.starts_with('/') ? s.entry.directory
                        : s.entry.directory.empty()        ? at.workspace
                                                           : at.workspace + '/' + s.entry.directory;
    const auto command = stdio_words(s, environment, at.programs, port, folder);
    const auto file = name_of(s) + ".env";
    out.push_back({name_of(s) + ".service", unit("MCP server " + s.id + " over HTTP", "", command,
                                                 setting(at.folder + '/' + file), true)});
    out.push_back({file, lines_of(environment.all)});
    before += ' ' + name_of(s) + ".service";
    reachable.push_back({&s, config::url_of("127.0.0.1", port) + "/mcp"});
    ++port;
  }
  auto plan = plan_gate(reachable, base);
  out.push_back({"gate.json", std::move(plan.document)});
  out.push_back({"gate.env", lines_of(plan.secrets)});
  out.push_back(
      {"gate.service",
       unit("MCP gateway", before.empty() ? "" : before + "\nWants=" + before.substr(1),
            gate_words(at.programs, at.folder + "/gate.json", at.host, at.port, {"--watch"}),
            setting(at.folder + "/gate.env"), false)});
  all.notes = std::move(plan.notes);
  all.problem = std::move(plan.problem);
  return all;
}

}  // namespace gate::clients
