/// A program with a gateway inside: it starts one with a document, reloads it with a second, shows
/// what becomes of a third that is wrong, and stops it.
#include <gate/gateway.hpp>
#include <iostream>
#include <string>
#include <variant>

/// Counts to `n`, a millisecond at a time: ticker.cpp, whatever else a program does with Asio.
int ticks(int n);

namespace {

constexpr auto first = R"({"upstreams": [
  {"id": "notes", "url": "http://127.0.0.1:3001/mcp", "namespace": "notes"}]})";
constexpr auto second = R"({"upstreams": [
  {"id": "notes", "url": "http://127.0.0.1:3001/mcp", "namespace": "notes"},
  {"id": "search", "url": "http://127.0.0.1:3002/mcp", "namespace": "find"}]})";
constexpr auto third = R"({"upstreams": [
  {"id": "notes", "url": "not a URL", "namespace": "notes"}]})";

void print(const char* what, const gate::gateway::problems& problems) {
  std::cout << what << ": " << (problems.empty() ? "taken over" : "refused") << '\n';
  for (const auto& p : problems) std::cout << "  " << p.pointer << ": " << p.what << '\n';
}

}  // namespace

int main() {
  gate::gateway::options options;
  options.port = 0;  // any free one
  options.log = {gate::gateway::log::level::warn, gate::gateway::log::format::text};
  auto started = gate::gateway::start(first, options);
  if (const auto* problems = std::get_if<gate::gateway::problems>(&started)) {
    print("first document", *problems);
    return 1;
  }
  auto& gateway = std::get<gate::gateway>(started);
  std::cout << "gate " << gate::gateway::version() << " at http://127.0.0.1:" << gateway.port()
            << "/mcp" << std::endl;
  print("second document", gateway.reload(second));
  print("third document", gateway.reload(third));
  std::cout << "ticks: " << ticks(3) << '\n';  // what it does besides
  gateway.stop();
  gateway.wait();
  std::cout << "stopped\n";
}
