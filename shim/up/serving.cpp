#include "shim/up/serving.hpp"

namespace gate::up {
namespace {

std::vector<std::string> lines_of(const clients::named_values& values) {
  std::vector<std::string> out;
  for (const auto& [name, value] : values) out.push_back(name + '=' + value);
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& w : words) out += (out.empty() ? "" : ",") + w;
  return out;
}

}  // namespace

program_spec stdio_of(const clients::planned_server& s, const programs& p, std::uint16_t port) {
  const auto environment = clients::environment_of(s.entry, p.path, p.home);
  program_spec out;
  out.command = {p.folder + "/gate-stdio", "--log-format", "json", "--port", std::to_string(port)};
  const auto add = [&out](const char* option, std::string value) {
    out.command.emplace_back(option);
    out.command.push_back(std::move(value));
  };
  if (!environment.passed.empty()) add("--env-passthrough", joined(environment.passed));
  if (!s.entry.directory.empty()) add("--dir", s.entry.directory);
  out.command.emplace_back("--");
  out.command.insert(out.command.end(), s.entry.command.begin(), s.entry.command.end());
  out.environment = lines_of(environment.all);
  return out;
}

program_spec gate_of(const std::string& document, const clients::named_values& secrets,
                     const programs& p, const std::string& host, std::uint16_t port) {
  program_spec out;
  out.command = {p.folder + "/gate", "--config", document, "--log-format",      "json",
                 "--host",           host,       "--port", std::to_string(port)};
  out.environment = lines_of(secrets);
  return out;
}

}  // namespace gate::up
