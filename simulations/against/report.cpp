#include "simulations/against/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "protocol/json/scan.hpp"
#include "simulations/recording/printable.hpp"

namespace gate::against {
namespace {

std::string ms_text(std::uint64_t us) {
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%.1f", static_cast<double>(us) / 1000);
  return out.data();
}

constexpr std::array<std::pair<const char*, unsigned>, 4> quantiles{
    {{"p50", 500}, {"p90", 900}, {"p99", 990}, {"max", 1000}}};

/// An answer came, in this many words: how long it took means something.
bool was_answered(std::string_view outcome) {
  return outcome == "ok" || outcome == "accepted" || outcome == "tool error" ||
         outcome.starts_with("error ") || outcome.starts_with("HTTP ");
}

std::string about(const exchange& x) {
  const auto method = x.said.method.empty() ? x.method : x.said.method;
  return method + (x.said.name.empty() ? "" : " " + x.said.name);
}

}  // namespace

std::uint64_t quantile(std::vector<std::uint64_t>& values, unsigned of_thousand) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto rank = (values.size() * of_thousand + 999) / 1000;
  return values[std::max<std::size_t>(rank, 1) - 1];
}

void report::add(const exchange& x, const std::string& outcome, std::uint64_t took) {
  ++sent_;
  if (x.outcome == left || x.outcome == left_open) {
    ++left_;
    return;
  }
  if (x.end && !x.said.id.empty() && was_answered(outcome) && was_answered(x.outcome)) {
    live_.push_back(took);
    recorded_.push_back(*x.end - x.at);
  }
  if (outcome == x.outcome) {
    ++equal_;
    return;
  }
  ++differ_;
  auto& c = changes_[{x.outcome, outcome}];
  if (c.count++ == 0) c.example = about(x);
}

void report::add_unsent(const exchange& x) {
  ++unsent_;
  if (x.outcome == left || x.outcome == left_open) return;
  ++differ_;
  auto& c = changes_[{x.outcome, "not sent: no session"}];
  if (c.count++ == 0) c.example = about(x);
}

std::string report::text(const plan& p, bool interrupted) const {
  const auto n = [](std::uint64_t number) { return std::to_string(number); };
  std::string out = interrupted ? "Interrupted; so far: " : "";
  out += n(sent_) + " requests, " + n(equal_) + " equal, " + n(differ_) + " differ";
  if (left_ > 0) out += ", " + n(left_) + " that nobody had waited for";
  if (unsent_ > 0) out += ", " + n(unsent_) + " not sent (no session)";
  out += '\n';
  const std::array<std::pair<std::uint64_t, const char*>, 3> others{
      {{p.responses, "answers of clients to servers' questions"},
       {p.resumptions, "resumed streams"},
       {p.flawed, "requests that were no valid HTTP"}}};
  for (const auto& [count, what] : others)
    if (count > 0) out += "left out: " + n(count) + " " + what + '\n';
  auto live = live_, recorded = recorded_;
  if (!live.empty()) {
    out += "ms         " + n(live.size()) + " answered requests\n";
    for (const auto& [which, values] :
         {std::pair("live    ", &live), std::pair("recorded", &recorded)}) {
      out += std::string(which) + " ";
      for (const auto& [name, q] : quantiles)
        out += "  " + std::string(name) + " " + ms_text(quantile(*values, q));
      out += '\n';
    }
  }
  if (latest_ > 100'000)
    out += "The latest request was sent " + ms_text(latest_) +
           " ms late: it had to wait for others, or for a connection.\n";
  std::size_t width = 0;
  for (const auto& [change, c] : changes_)
    width = std::max(width, recording::columns_of(change.first + change.second) + 4);
  for (const auto& [change, c] : changes_) {
    auto line = recording::printable(change.first + " -> " + change.second);
    line.resize(line.size() + width - std::min(width, recording::columns_of(line)), ' ');
    out += line + "  " + n(c.count) + "  e.g. " + recording::printable(c.example) + '\n';
  }
  return out;
}

std::string report::json(const plan& p, bool interrupted) const {
  std::string out = "{\"requests\":" + std::to_string(sent_);
  const auto number = [&out](const char* name, std::uint64_t value) {
    out += ",\"" + std::string(name) + "\":" + std::to_string(value);
  };
  number("equal", equal_);
  number("differ", differ_);
  number("left", left_);
  number("unsent", unsent_);
  number("client_responses", p.responses);
  number("resumptions", p.resumptions);
  number("flawed", p.flawed);
  number("latest_us", latest_);
  out += std::string(",\"interrupted\":") + (interrupted ? "true" : "false");
  auto live = live_, recorded = recorded_;
  for (const auto& [which, values] :
       {std::pair("live_us", &live), std::pair("recorded_us", &recorded)}) {
    out += ",\"" + std::string(which) + "\":{\"count\":" + std::to_string(values->size());
    for (const auto& [name, q] : quantiles) number(name, quantile(*values, q));
    out += "}";
  }
  out += ",\"changes\":[";
  bool first = true;
  for (const auto& [change, c] : changes_) {
    out += std::string(first ? "" : ",") + "{\"recorded\":" + json::quoted(change.first) +
           ",\"live\":" + json::quoted(change.second) + ",\"count\":" + std::to_string(c.count) +
           ",\"example\":" + json::quoted(c.example) + "}";
    first = false;
  }
  return out + "]}\n";
}

}  // namespace gate::against
