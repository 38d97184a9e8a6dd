#include "actors/fleet/shared_windows.hpp"

#include "actors/fleet/scope_names.hpp"

namespace gate::fleet {
namespace {

using guards::sliding_window;

/// KEYS: the windows. ARGV: how many may come in within a minute, for each.
/// Answer: which one refused (0: none), the time in ms, then minute, current and previous of each.
/// Microseconds times counts stay exact in Lua's doubles up to 150 million a minute.
constexpr std::string_view windows_text = R"(
local t = redis.call('TIME')
local us = tonumber(t[1]) * 1000000 + tonumber(t[2])
local length = 60000000
local minute = math.floor(us / length)
local refused, seen = 0, {}
for i, key in ipairs(KEYS) do
  local v = redis.call('HMGET', key, 'm', 'c', 'p')
  local m, c, p = tonumber(v[1]) or minute, tonumber(v[2]) or 0, tonumber(v[3]) or 0
  local into = us - minute * length
  if m > minute then
    into = 0
  elseif m < minute then
    p = (m == minute - 1) and c or 0
    c, m = 0, minute
  end
  local room = tonumber(ARGV[i]) - 1 - c
  if refused == 0 and (room < 0 or (p > room and p * (length - into) > room * length)) then
    refused = i
  end
  seen[i] = {m, c, p}
end
local out = {refused, math.floor(us / 1000)}
for i, key in ipairs(KEYS) do
  local s = seen[i]
  if refused == 0 then
    s[2] = s[2] + 1
    redis.call('HSET', key, 'm', s[1], 'c', s[2], 'p', s[3])
    redis.call('PEXPIRE', key, 120000)
  end
  for n = 1, 3 do out[#out + 1] = s[n] end
end
return out
)";

/// KEYS: the window. ARGV: the minute that one was counted in.
constexpr std::string_view give_back_text = R"(
local v = redis.call('HMGET', KEYS[1], 'm', 'c', 'p')
local m, c, p = tonumber(v[1]), tonumber(v[2]) or 0, tonumber(v[3]) or 0
local minute = tonumber(ARGV[1])
if m == minute and c > 0 then
  redis.call('HSET', KEYS[1], 'c', c - 1)
elseif m == minute + 1 and p > 0 then
  redis.call('HSET', KEYS[1], 'p', p - 1)
end
return 1
)";

/// KEYS: the windows. ARGV, for each: a minute, what was counted in it at least, and in the one
/// before.
constexpr std::string_view window_at_least_text = R"(
local minute = math.floor(tonumber(redis.call('TIME')[1]) / 60)
for i, key in ipairs(KEYS) do
  local m, c, p = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  local v = redis.call('HMGET', key, 'm', 'c', 'p')
  local known, current, previous = tonumber(v[1]) or m, tonumber(v[2]) or 0, tonumber(v[3]) or 0
  if known > m then
    p = (known == m + 1) and c or 0
    c, m = 0, known
  elseif known < m then
    previous = (known == m - 1) and current or 0
    current = 0
  end
  if minute - m < 2 then
    redis.call('HSET', key, 'm', m, 'c', math.max(c, current), 'p', math.max(p, previous))
    redis.call('PEXPIRE', key, 120000)
  end
end
return 1
)";

const std::string& token_window() {
  static const std::string key = "gate:{rl}:token";
  return key;
}

}  // namespace

std::string_view windows_script() {
  return windows_text;
}
std::string_view give_back_script() {
  return give_back_text;
}
std::string_view window_at_least_script() {
  return window_at_least_text;
}

known_window window_of(const scope_key& scope, const sliding_window& window) {
  return {"gate:{rl}:" + scope_name(scope), window};
}

known_window window_of_tokens(const sliding_window& window) {
  return {token_window(), window};
}

store_request ask_for_at_least(std::uint64_t id, std::span<const known_window> all) {
  static const auto script = resp::make_script(window_at_least_text);
  store_request out{.id = id, .op = store_op::limit, .script = script};
  for (const auto& w : all) {
    out.keys.push_back(w.key);
    const auto [minute, current, previous] = w.window.as_counted();
    for (const auto n : {minute, current, previous}) out.words.push_back(std::to_string(n));
  }
  return out;
}

store_request ask_for_token(std::uint64_t id, std::int64_t per_minute) {
  static const auto script = resp::make_script(windows_text);
  return {.id = id,
          .op = store_op::limit,
          .script = script,
          .keys = {token_window()},
          .words = {std::to_string(per_minute)}};
}

store_request ask_to_give_back(std::uint64_t id, sliding_window::time_point counted_at) {
  static const auto script = resp::make_script(give_back_text);
  const auto minute = std::chrono::floor<std::chrono::minutes>(counted_at.time_since_epoch());
  return {.id = id,
          .op = store_op::give_back,
          .script = script,
          .keys = {token_window()},
          .words = {std::to_string(minute.count())}};
}

store_request ask_for_room(std::uint64_t id, std::span<const rate_scope> scopes) {
  static const auto script = resp::make_script(windows_text);
  store_request out{.id = id, .op = store_op::limit, .script = script};
  for (const auto& s : scopes) {
    out.keys.push_back("gate:{rl}:" + scope_name(s.key));
    out.words.push_back(std::to_string(s.per_minute));
  }
  return out;
}

std::optional<windows_told> read_windows(const resp::value& v, std::size_t scopes) {
  if (v.kind() != resp::kind::list || v.size() != 2 + 3 * scopes) return {};
  std::vector<std::int64_t> numbers;
  for (auto [n, x] = std::pair(v.size(), v.first()); n > 0; --n) {
    if (x.kind() != resp::kind::number || x.number() < 0) return {};
    numbers.push_back(x.number());
    if (n > 1) x = x.next();
  }
  if (numbers[0] > static_cast<std::int64_t>(scopes)) return {};
  windows_told out;
  if (numbers[0] > 0) out.refused_by = static_cast<std::size_t>(numbers[0] - 1);
  out.at = sliding_window::time_point(std::chrono::milliseconds(numbers[1]));
  for (std::size_t i = 2; i < numbers.size(); i += 3)
    out.each.push_back(sliding_window::counted(numbers[i], numbers[i + 1], numbers[i + 2]));
  return out;
}

}  // namespace gate::fleet
