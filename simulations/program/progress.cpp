#include "simulations/program/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "simulations/runs/memory_watch.hpp"
#include "simulations/runs/promises.hpp"

namespace gate::sim_program {
namespace {

/// `12,345`
std::string grouped(double number) {
  auto out = std::to_string(std::llround(number));
  for (auto at = static_cast<std::ptrdiff_t>(out.size()) - 3; at > 0; at -= 3)
    out.insert(static_cast<std::size_t>(at), ",");
  return out;
}

double seconds_of(const runs::run_summary& s) {
  return std::max(0.001, std::chrono::duration<double>(s.elapsed).count());
}

/// `3 s`, `4 min`, `2 h`
std::string time_text(double seconds) {
  if (seconds < 100) return grouped(seconds) + " s";
  if (seconds < 100 * 60) return grouped(seconds / 60) + " min";
  return grouped(seconds / 3600) + " h";
}

std::string speed_text(const runs::run_summary& s, std::uint64_t seeds) {
  const auto each = seconds_of(s);
  const auto rate = static_cast<double>(s.looked_at) / each;
  auto out =
      grouped(rate) + " seeds/s, " + grouped(static_cast<double>(s.calls) / each) + " calls/s";
  if (rate > 0) out += ", " + time_text(static_cast<double>(seeds - s.looked_at) / rate) + " left";
  if (s.failures > 0) out += ", " + grouped(static_cast<double>(s.failures)) + " violations";
  return out;
}

/// As one word for a shell.
std::string quoted(const std::string& word) {
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string progress_bar(const runs::run_summary& s, std::uint64_t seeds, std::size_t columns) {
  const auto speed = speed_text(s, seeds);
  const auto count = grouped(static_cast<double>(s.looked_at)) + "/" +
                     grouped(static_cast<double>(seeds)) + " seeds, " + speed;
  constexpr std::size_t most = 30;
  if (columns < count.size() + 6) return count.substr(0, columns);
  const auto width = std::min(most, columns - count.size() - 3);
  const auto full = static_cast<std::size_t>(
      static_cast<double>(width) * static_cast<double>(s.looked_at) / static_cast<double>(seeds));
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "] " + count;
}

std::string progress_line(const runs::run_summary& s, std::uint64_t seeds) {
  return grouped(static_cast<double>(s.looked_at)) + " of " + grouped(static_cast<double>(seeds)) +
         " seeds, " + speed_text(s, seeds);
}

std::string summary_text(const runs::run_summary& s, const runs::run_plan& p) {
  const auto n = [](std::uint64_t number) { return grouped(static_cast<double>(number)); };
  std::string out;
  if (s.interrupted) out += "Interrupted; so far: ";
  out += n(s.stories) + " stories (seeds " + std::to_string(p.from) + " to " +
         std::to_string(p.from + std::max<std::uint64_t>(s.looked_at, 1) - 1) + "), " +
         n(s.requests) + " requests of clients with " + n(s.calls) + " calls, " + n(s.faults) +
         " faults, " + time_text(std::chrono::duration<double>(s.took).count()) +
         " of virtual time\n";
  out += time_text(seconds_of(s)) + " with " + n(p.jobs) + " process(es); " +
         grouped(s.requests_a_second_and_core()) + " requests and " +
         grouped(s.calls_a_second_and_core()) + " calls a second and core\n";
  if (p.digest) out += "digest " + runs::hex(s.digest.value()) + "\n";
  if (p.planted.empty())
    out += s.failures == 0 ? "Nobody complained.\n" : n(s.failures) + " violation(s).\n";
  else if (s.plant_found)
    out += "The fault " + p.planted + " was found in the story of seed " +
           std::to_string(s.first->seed) + ".\n";
  else
    out += "Nobody found the fault " + p.planted + ".\n";
  return out;
}

std::string command_again(const std::string& scenario, std::uint64_t seed,
                          const std::string& planted, std::uint64_t seeds) {
  return "gate-sim run " + quoted(scenario) + " --from " + std::to_string(seed) + " --seeds " +
         std::to_string(seeds) + (planted.empty() ? "" : " --plant " + quoted(planted));
}

std::string seen_and_expected(std::string_view kind, const std::vector<std::string>& complaints) {
  std::string out;
  for (std::size_t i = 0; i < complaints.size(); ++i) {
    out += "  " + complaints[i] + '\n';
    const auto* broken = runs::find_promise(kind, complaints[i]);
    const auto* next =
        i + 1 < complaints.size() ? runs::find_promise(kind, complaints[i + 1]) : nullptr;
    if (broken != nullptr && broken != next)
      out.append("    expected: ").append(broken->holds).append(".\n");
  }
  return out;
}

std::string violation_text(std::string_view kind, const std::string& scenario,
                           const runs::verdict& v, const std::string& planted, std::uint64_t from) {
  std::string out = "VIOLATION in the story of seed " + std::to_string(v.seed) + " of " + scenario;
  if (v.took.count() > 0) {
    const auto ms = std::to_string(v.took.count());
    out += ", which took " + ms + " ms of virtual time";
  }
  out += ":\n";
  out += seen_and_expected(kind, v.complaints);
  if (runs::is_of_all_stories(v.complaints))
    return out + "Again:   " +
           command_again(scenario, from, planted, v.seed >= from ? v.seed - from + 1 : 1) +
           " --jobs 1\n";
  const auto again = command_again(scenario, v.seed, planted);
  return out + "Again:   " + again + " --trace\nShorter: " + again + " --shrink\n";
}

}  // namespace gate::sim_program
