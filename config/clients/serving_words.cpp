#include "config/clients/serving_words.hpp"

namespace gate::clients {

words stdio_words(const planned_server& s, const child_environment& environment,
                  const std::string& programs, std::uint16_t port, const std::string& folder,
                  const words& options) {
  words out{programs + "/gate-stdio"};
  out.insert(out.end(), options.begin(), options.end());
  out.insert(out.end(), {"--port", std::to_string(port)});
  std::string passed;
  for (const auto& name : environment.passed) passed += (passed.empty() ? "" : ",") + name;
  if (!passed.empty()) out.insert(out.end(), {"--env-passthrough", passed});
  if (!folder.empty()) out.insert(out.end(), {"--dir", folder});
  out.emplace_back("--");
  out.insert(out.end(), s.entry.command.begin(), s.entry.command.end());
  return out;
}

words gate_words(const std::string& programs, const std::string& document, const std::string& host,
                 std::uint16_t port, const words& options) {
  words out{programs + "/gate", "--config", document};
  out.insert(out.end(), options.begin(), options.end());
  out.insert(out.end(), {"--host", host, "--port", std::to_string(port)});
  return out;
}

}  // namespace gate::clients
