// The first line of a recording.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "protocol/json/scan.hpp"
#include "protocol/limits/operations.hpp"
#include "protocol/limits/playback.hpp"
#include "protocol/recording/parse.hpp"
#include "protocol/recording/parse_words.hpp"

namespace gate::recording {
namespace {

unsigned digits_at(std::string_view text, std::size_t at, std::size_t count) {
  unsigned out = 0;
  std::from_chars(text.data() + at, text.data() + at + count, out);
  return out;
}

bool is_time(std::string_view text) {
  constexpr std::string_view like = "dddd-dd-ddTdd:dd:dd";
  if (text.size() < like.size() + 1 || text.back() != 'Z') return false;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i < like.size(); ++i)
    if (like[i] == 'd' ? !digit(text[i]) : text[i] != like[i]) return false;
  const std::chrono::year_month_day day(std::chrono::year(static_cast<int>(digits_at(text, 0, 4))),
                                        std::chrono::month(digits_at(text, 5, 2)),
                                        std::chrono::day(digits_at(text, 8, 2)));
  if (!day.ok() || digits_at(text, 11, 2) > 23 || digits_at(text, 14, 2) > 59 ||
      digits_at(text, 17, 2) > 60)
    return false;
  const auto rest = text.substr(like.size(), text.size() - like.size() - 1);
  return rest.empty() || (rest[0] == '.' && rest.size() > 1 && rest.size() < 11 &&
                          std::ranges::all_of(rest.substr(1), digit));
}

constexpr std::array<std::string_view, 6> of_preamble{"gate_recording", "version", "started",
                                                      "units",          "clock",   "config"};

problem no_recording(std::string_view line) {
  return wrong(R"(is not the first line of a recording, {"gate_recording":1,…}; is this a file of )"
               "`gate --record`? It begins with " +
               quote_of(line));
}

result<std::array<std::string_view, 6>> scan_preamble(std::string_view line) {
  std::array<std::string_view, 6> found{};
  std::optional<problem> trouble;
  json::cursor c(line, {json::deepest, true});
  if (c.peek() != '{') return no_recording(line);
  json::members(c, [&](std::string_view key, json::cursor& at) {
    const auto value = at.value(1);
    if (!at.ok() || trouble) return;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!json::same_key(key, of_preamble[i])) continue;
      if (!found[i].empty()) trouble = wrong("has `" + quote_of(key) + "` twice");
      found[i] = value;
      return;
    }
    if (!found[0].empty())
      trouble = wrong("has a member `" + quote_of(key) + "`, which the first line of format " +
                      std::to_string(format) + " does not have");
  });
  c.finish();
  // What is no recording is not told about its members; what is one of another format may have any.
  if (!c.ok())
    return line.find(of_preamble[0]) == std::string_view::npos ? no_recording(line)
                                                               : wrong(sentence_of(c));
  if (found[0].empty()) return no_recording(line);
  if (const auto n = number_of(found[0]); trouble && n == format) return *trouble;
  return found;
}

}  // namespace

std::string quote_of(std::string_view text) {
  auto most = limits::playback_quote_bytes;
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return std::string(text.substr(0, most)) + "…";
}

result<preamble> parse_preamble(std::string_view line) {
  const auto found = scan_preamble(line);
  if (!found) return found.error();
  const auto& [version_of_format, version, started, units, clock, config] = *found;
  preamble p;
  json::unquote(version, p.version);  // for the sentence below, if it can be read
  if (number_of(version_of_format) != format)
    return wrong("is of format " + quote_of(version_of_format) + ", and this version reads " +
                 std::to_string(format) + ": use the gate-sim of the gateway that wrote it" +
                 (p.version.empty() ? "" : " (" + quote_of(p.version) + ")"));
  if (!json::unquote(version, p.version)) return wrong_member("version", no_text);
  if (!json::unquote(started, p.started) || !is_time(p.started))
    return wrong_member("started", "is not a time as RFC 3339 has it, in UTC");
  const auto n = number_of(units);
  if (!n || *n < 1) return wrong_member("units", "is not a whole number from 1");
  if (*n > limits::threads_most)
    return wrong_member("units", "is larger than " + std::to_string(limits::threads_most) +
                                     ", and no gateway has so many");
  p.units = *n;
  const auto within = clock.empty() ? 0 : number_of(clock);
  if (!within || *within >= 60'000'000)
    return wrong_member("clock", "is not a whole number of microseconds within a minute");
  p.clock = *within;
  if (!config.starts_with('{')) return wrong_member("config", "is not an object");
  p.config = config;
  return p;
}

}  // namespace gate::recording
