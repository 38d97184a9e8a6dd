#include "shim/up/serving.hpp"

#include "config/clients/serving_words.hpp"

namespace gate::up {
namespace {

/// What they log is read.
const clients::words told_as_json{"--log-format", "json"};

std::vector<std::string> lines_of(const clients::named_values& values) {
  std::vector<std::string> out;
  for (const auto& [name, value] : values)
    out.push_back(std::string(name).append("=").append(value));
  return out;
}

}  // namespace

program_spec stdio_of(const clients::planned_server& s, const programs& p, std::uint16_t port) {
  const auto environment = clients::environment_of(s.entry, p.path, p.home);
  return {clients::stdio_words(s, environment, p.folder, port, s.entry.directory, told_as_json),
          lines_of(environment.all)};
}

program_spec gate_of(const std::string& document, const clients::named_values& secrets,
                     const programs& p, const std::string& host, std::uint16_t port) {
  return {clients::gate_words(p.folder, document, host, port, told_as_json), lines_of(secrets)};
}

}  // namespace gate::up
