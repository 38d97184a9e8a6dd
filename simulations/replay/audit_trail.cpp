#include "simulations/replay/audit_trail.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "protocol/json/scan.hpp"
#include "simulations/replay/json_walk.hpp"

namespace gate::replay {
namespace {

/// `…; retry in 55s`: how many seconds are left depends on when one asks.
std::string without_wait(std::string_view error) {
  const auto at = error.find(wait_words);
  if (at == error.npos) return std::string(error);
  const auto end = error.find_first_not_of("0123456789", at + wait_words.size());
  return std::string(error.substr(0, at + wait_words.size())) +
         std::string(end == error.npos ? "" : error.substr(end));
}

std::string lasting(std::string_view line) {
  constexpr std::array<std::string_view, 4> of_the_moment{"time", "latencyMs", "traceId", "trace"};
  std::string out;
  out.reserve(line.size());
  const char* copied = line.data();
  const auto put = [&](std::string_view value, std::string_view by) {
    out.append(copied, value.data()).append(by);
    copied = value.data() + value.size();
  };
  json::cursor c(line, {json::deepest, false});
  json::members(c, [&](std::string_view key, json::cursor& at) {
    const auto value = at.value(1);
    if (key.starts_with("usage"))
      put(value, rewrite_json(value, [](const auto&, auto, auto) { return "0"; }));
    else if (key == "error")
      put(value, without_wait(value));
    else if (is_leaf(value) && std::ranges::find(of_the_moment, key) != of_the_moment.end())
      put(value, "0");
  });
  if (!c.ok()) return std::string(line);
  return out.append(copied, line.data() + line.size());
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
  std::unordered_map<std::string, int> surplus;  // above 0: more of it were recorded
  for (const auto& line : recorded) ++surplus[lasting(line)];
  for (const auto& line : replayed) --surplus[lasting(line)];
  // Few are left to be looked at for names.
  std::map<std::string, int> renamed;
  for (const auto& [line, n] : surplus)
    if (n != 0) renamed[n > 0 ? told(line) : line] += n;
  std::map<std::string, std::vector<std::string>> only_replayed;
  for (const auto& [line, n] : renamed)
    for (int i = n; i < 0; ++i) only_replayed[about(line)].push_back(line);
  contrasts out;
  for (const auto& [line, n] : renamed)
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
