#include "simulations/replay/audit_trail.hpp"

#include <algorithm>
#include <map>

#include "protocol/json/scan.hpp"
#include "simulations/replay/json_walk.hpp"

namespace gate::replay {
namespace {

std::string lasting(std::string_view line) {
  return rewrite_json(line,
                      [](const std::string& path, std::string_view,
                         std::string_view) -> std::optional<std::string> {
                        const bool of_the_moment = path == "/time" || path == "/latencyMs" ||
                                                   path == "/traceId" || path == "/trace" ||
                                                   path.starts_with("/usage");
                        if (!of_the_moment) return {};
                        return "0";
                      });
}

/// What it is about: such an event of both sides is one that differs.
std::string about(std::string_view line) {
  return std::string(json::member(line, "method")) + std::string(json::member(line, "name")) +
         std::string(json::member(line, "principal"));
}

}  // namespace

std::vector<std::string> recorded_audit(const tape& of) {
  std::vector<std::string> out;
  for (const auto& e : of.events)
    if (e.what == recording::kind::audit) out.push_back(e.line);
  return out;
}

contrasts compare_audits(const std::vector<std::string>& recorded,
                         const std::vector<std::string>& replayed, const renaming& told) {
  std::map<std::string, int> surplus;  // above 0: more of it were recorded
  for (const auto& line : recorded) ++surplus[lasting(line)];
  for (const auto& line : replayed) --surplus[lasting(line)];
  // Few are left to be looked at for names.
  std::map<std::string, int> renamed;
  for (const auto& [line, n] : surplus)
    if (n != 0) renamed[n > 0 ? told(line) : line] += n;
  surplus = std::move(renamed);
  std::map<std::string, std::vector<std::string>> only_replayed;
  for (const auto& [line, n] : surplus)
    for (int i = n; i < 0; ++i) only_replayed[about(line)].push_back(line);
  contrasts out;
  for (const auto& [line, n] : surplus)
    for (int i = 0; i < n; ++i) {
      auto& others = only_replayed[about(line)];
      out.push_back({"audit", line, others.empty() ? std::string{} : others.back()});
      if (!others.empty()) others.pop_back();
    }
  for (const auto& [subject, lines] : only_replayed)
    for (const auto& line : lines) out.push_back({"audit", {}, line});
  return out;
}

}  // namespace gate::replay
