#include "actors/fleet/shared_counters.hpp"

#include "actors/fleet/scope_names.hpp"
#include "actors/guards/calendar.hpp"
#include "protocol/fleet/count_names.hpp"

namespace gate::fleet {
namespace {

/// KEYS: the name of the whole, then the records. ARGV, for each record: the end of its period, in
/// seconds, and what is to be added.
constexpr std::string_view add_text = R"(
if not redis.call('SET', KEYS[1], 1, 'NX', 'EX', 3600) then return 0 end
local now = tonumber(redis.call('TIME')[1])
for i = 2, #KEYS do
  local ends, sum = tonumber(ARGV[2 * i - 3]), tonumber(ARGV[2 * i - 2])
  if now < ends + 3600 then
    if redis.call('INCRBY', KEYS[i], sum) < 0 then redis.call('SET', KEYS[i], 0) end
    redis.call('EXPIREAT', KEYS[i], ends + 3600)
  end
end
return 1
)";

/// KEYS, for each record: it, and what is known of its use before. ARGV, for each: the end of its
/// period, in seconds, and what was used before at least. What is more than was known is added, so
/// that what was charged since counts, whoever says first what he knows.
constexpr std::string_view at_least_text = R"(
local now = tonumber(redis.call('TIME')[1])
for i = 1, #KEYS / 2 do
  local used, before = KEYS[2 * i - 1], KEYS[2 * i]
  local ends, said = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local more = said - (tonumber(redis.call('GET', before)) or 0)
  if more > 0 and now < ends + 3600 then
    redis.call('INCRBY', used, more)
    redis.call('SET', before, ARGV[2 * i])
    redis.call('EXPIREAT', used, ends + 3600)
    redis.call('EXPIREAT', before, ends + 3600)
  end
end
return 1
)";

std::string seconds(wall_time t) {
  using std::chrono::floor;
  return std::to_string(floor<std::chrono::seconds>(t.time_since_epoch()).count());
}

std::string_view name_of(config::budget_period p) {
  switch (p) {
    case config::budget_period::hour:
      return "hour";
    case config::budget_period::day:
      return "day";
    case config::budget_period::month:
      break;
  }
  return "month";
}

std::string key_of(const allowance& a, const guards::calendar_period& p) {
  std::string out = std::string(budget_names) + scope_name(a.key);
  return out.append(":").append(name_of(a.period)).append(":").append(seconds(p.begin));
}

}  // namespace

std::string_view add_script() {
  return add_text;
}
std::string_view at_least_script() {
  return at_least_text;
}

budget_record record_of(const allowance& a, wall_time at) {
  const auto period = guards::period_of(a.period, at);
  return {key_of(a, period), seconds(period.begin), seconds(period.end)};
}

debt debt_of(const allowance& a, wall_time at) {
  const auto period = guards::period_of(a.period, at);
  return {key_of(a, period), period.end, 0};
}

store_request ask_for_at_least(std::uint64_t id, std::span<const debt> used) {
  static const auto script = resp::make_script(at_least_text);
  store_request out{.id = id, .op = store_op::add, .script = script};
  for (const auto& d : used) {
    out.keys.push_back(d.key);
    out.keys.push_back(d.key + ":before");
    out.words.push_back(seconds(d.until));
    out.words.push_back(std::to_string(d.sum));
  }
  return out;
}

store_request ask_to_add(std::uint64_t id, const std::string& name, std::span<const debt> debts) {
  static const auto script = resp::make_script(add_text);
  store_request out{.id = id, .op = store_op::add, .script = script};
  out.keys.push_back(std::string(added_names) + name);
  for (const auto& d : debts) {
    out.keys.push_back(d.key);
    out.words.push_back(seconds(d.until));
    out.words.push_back(std::to_string(d.sum));
  }
  return out;
}

}  // namespace gate::fleet
