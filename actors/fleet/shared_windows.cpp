#include "actors/fleet/shared_windows.hpp"

#include "actors/fleet/scope_names.hpp"
#include "protocol/fleet/count_names.hpp"

namespace gate::fleet {
namespace {

using guards::sliding_window;

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

}  // namespace

std::string window_key(const scope_key& scope) {
  const bool of_upstream = scope.what == scope::upstream;
  return std::string(of_upstream ? upstream_window_names : window_names) + scope_name(scope);
}

std::string token_window() {
  return std::string(window_names) + "token";
}

std::string_view give_back_script() {
  return give_back_text;
}
std::string_view window_at_least_script() {
  return window_at_least_text;
}

known_window window_of(const scope_key& scope, const sliding_window& window) {
  return {window_key(scope), window};
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

store_request ask_to_give_back(std::uint64_t id, sliding_window::time_point counted_at) {
  static const auto script = resp::make_script(give_back_text);
  const auto minute = std::chrono::floor<std::chrono::minutes>(counted_at.time_since_epoch());
  return {.id = id,
          .op = store_op::give_back,
          .script = script,
          .keys = {token_window()},
          .words = {std::to_string(minute.count())}};
}

}  // namespace gate::fleet
