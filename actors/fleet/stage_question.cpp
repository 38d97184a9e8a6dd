#include "actors/fleet/stage_question.hpp"

#include <algorithm>

namespace gate::fleet {
namespace {

using guards::sliding_window;

/// KEYS: windows, then budgets. ARGV: how many windows there are; how many ask; how many may come
/// in within a minute, for each window; then begin and end of its period, in seconds, and the
/// limit, for each budget. Answer: which one refused some of them (0: none, -1: it is another
/// period), the time in ms, how many fit; then minute, current and previous of each window, and the
/// uses of each budget. Microseconds times counts stay exact in Lua's doubles up to 150 million a
/// minute.
constexpr std::string_view text = R"(
local t = redis.call('TIME')
local now = tonumber(t[1])
local us = now * 1000000 + tonumber(t[2])
local windows, fit = tonumber(ARGV[1]), tonumber(ARGV[2])
local out = {0, math.floor(us / 1000), 0}
local function of_budget(i) return windows + 3 + 3 * (i - windows - 1) end
for i = windows + 1, #KEYS do
  local a = of_budget(i)
  if now < tonumber(ARGV[a]) or now >= tonumber(ARGV[a + 1]) then return {-1, out[2]} end
end
local length = 60000000
local minute = math.floor(us / length)
local seen = {}
for i = 1, windows do
  local v = redis.call('HMGET', KEYS[i], 'm', 'c', 'p')
  local m, c, p = tonumber(v[1]) or minute, tonumber(v[2]) or 0, tonumber(v[3]) or 0
  local into = us - minute * length
  if m > minute then
    into = 0
  elseif m < minute then
    p = (m == minute - 1) and c or 0
    c, m = 0, minute
  end
  local most = tonumber(ARGV[2 + i])
  local n = 0
  while n < fit do
    local room = most - 1 - c - n
    if room < 0 or (p > room and p * (length - into) > room * length) then break end
    n = n + 1
  end
  if n < fit then fit, out[1] = n, i end
  seen[i] = {m, c, p}
end
for i = windows + 1, #KEYS do
  seen[i] = tonumber(redis.call('GET', KEYS[i])) or 0
  local left = math.max(tonumber(ARGV[of_budget(i) + 2]) - seen[i], 0)
  if left < fit then fit, out[1] = left, i end
end
out[3] = fit
for i = 1, windows do
  local s = seen[i]
  if fit > 0 then
    s[2] = s[2] + fit
    redis.call('HSET', KEYS[i], 'm', s[1], 'c', s[2], 'p', s[3])
    redis.call('PEXPIRE', KEYS[i], 120000)
  end
  for n = 1, 3 do out[#out + 1] = s[n] end
end
for i = windows + 1, #KEYS do
  if fit > 0 then
    seen[i] = redis.call('INCRBY', KEYS[i], fit)
    redis.call('EXPIREAT', KEYS[i], tonumber(ARGV[of_budget(i) + 1]) + 3600)
  end
  out[#out + 1] = seen[i]
end
return out
)";

store_request question(std::uint64_t id, store_op op) {
  static const auto script = resp::make_script(text);
  return {.id = id, .op = op, .script = script};
}

/// Nothing: these are no numbers, or there are too few to begin with.
std::optional<std::vector<std::int64_t>> numbers_of(const resp::value& v, std::size_t most) {
  if (v.kind() != resp::kind::list || v.size() < 2 || v.size() > most) return {};
  std::vector<std::int64_t> out;
  for (auto [n, x] = std::pair(v.size(), v.first()); n > 0; --n) {
    if (x.kind() != resp::kind::number) return {};
    out.push_back(x.number());
    if (n > 1) x = x.next();
  }
  return out;
}

}  // namespace

std::string_view stage_script() {
  return text;
}

store_request ask_for_both(std::uint64_t id, std::span<const rate_scope> windows,
                           std::span<const allowance> budgets, wall_time now, std::size_t many) {
  auto out = question(id, budgets.empty() ? store_op::limit : store_op::charge);
  out.words.push_back(std::to_string(windows.size()));
  out.words.push_back(std::to_string(many));
  for (const auto& s : windows) {
    out.keys.push_back(window_key(s.key));
    out.words.push_back(std::to_string(s.per_minute));
  }
  for (const auto& s : budgets) {
    const auto [key, begin, end] = record_of(s, now);
    out.keys.push_back(key);
    out.words.push_back(begin);
    out.words.push_back(end);
    out.words.push_back(std::to_string(s.upstream_calls));
  }
  return out;
}

store_request ask_for_room(std::uint64_t id, std::span<const rate_scope> windows,
                           std::size_t many) {
  return ask_for_both(id, windows, {}, {}, many);
}

store_request ask_to_charge(std::uint64_t id, std::span<const allowance> budgets, wall_time now) {
  return ask_for_both(id, {}, budgets, now, 1);
}

store_request ask_for_token(std::uint64_t id, std::int64_t per_minute) {
  auto out = question(id, store_op::limit);
  out.keys = {token_window()};
  out.words = {"1", "1", std::to_string(per_minute)};
  return out;
}

std::optional<stage_told> read_stage(const resp::value& v, std::size_t windows,
                                     std::size_t budgets) {
  constexpr std::size_t head = 3;
  const auto size = head + 3 * windows + budgets;
  const auto numbers = numbers_of(v, size);
  if (!numbers) return {};
  const auto& n = *numbers;
  stage_told out;
  out.windows.at = sliding_window::time_point(std::chrono::milliseconds(n[1]));
  out.budgets.at = wall_time(std::chrono::milliseconds(n[1]));
  if (n[0] == -1 && budgets > 0) {
    out.budgets.is = charge_told::what::another_period;
    return out;
  }
  if (n.size() != size) return {};
  if (std::ranges::any_of(n, [](std::int64_t x) { return x < 0; })) return {};
  const auto by = static_cast<std::uint64_t>(n[0]);
  if (by > windows + budgets) return {};
  out.fit = static_cast<std::size_t>(n[2]);
  if (by > windows) {
    out.budgets.is = charge_told::what::refused;
    out.budgets.refused_by = by - windows - 1;
  } else if (by > 0) {
    out.windows.refused_by = by - 1;
  }
  for (std::size_t i = head; i < head + 3 * windows; i += 3)
    out.windows.each.push_back(sliding_window::counted(n[i], n[i + 1], n[i + 2]));
  out.budgets.used.assign(n.end() - static_cast<std::ptrdiff_t>(budgets), n.end());
  return out;
}

}  // namespace gate::fleet
