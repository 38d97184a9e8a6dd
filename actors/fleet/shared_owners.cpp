#include "actors/fleet/shared_owners.hpp"

#include <algorithm>
#include <charconv>

#include "actors/fleet/scope_names.hpp"
#include "protocol/limits.hpp"

namespace gate::fleet {
namespace {

constexpr std::size_t owner_digits = 16;

/// KEYS: the task. ARGV: upstream, owner, session, how long ago it was minted, how long it is kept.
/// Answer: 1, it is that owner's; or who has it. What is too old is nobody's.
constexpr std::string_view own_text = R"(
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local life = tonumber(ARGV[5])
local minted = now - tonumber(ARGV[4])
local was = redis.call('HMGET', KEYS[1], ARGV[1])[1]
if was then
  local owner, at = string.match(was, '^(%x+) (%d+) ')
  if owner and owner ~= ARGV[2] and now - tonumber(at) < life then return owner end
end
local text = ARGV[2] .. ' ' .. string.format('%.0f', minted) .. ' ' .. ARGV[3]
redis.call('HSET', KEYS[1], ARGV[1], text)
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', minted + life - now))
return 1
)";

/// KEYS: the task. ARGV: how long it is kept. Answer: upstream and text of each that is not too
/// old.
constexpr std::string_view owners_text = R"(
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local out, all = {}, redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local at = string.match(all[i + 1], '^%x+ (%d+) ')
  if at and now - tonumber(at) < tonumber(ARGV[1]) then
    out[#out + 1] = all[i]
    out[#out + 1] = all[i + 1]
  end
end
return out
)";

std::string in_ms(std::chrono::milliseconds ms) {
  return std::to_string(ms.count());
}

std::optional<std::uint64_t> read_digits(std::string_view text) {
  std::uint64_t out = 0;
  if (text.size() != owner_digits) return {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, 16);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return out;
}

}  // namespace

std::string_view own_script() {
  return own_text;
}
std::string_view owners_script() {
  return owners_text;
}

std::string task_key(const sha256& digest, std::string_view id) {
  return "gate:{task:" + hex(digest(id)) + "}";
}

store_request ask_to_own(std::uint64_t id, const std::string& key, const task_owner& what,
                         std::chrono::milliseconds ago) {
  static const auto script = resp::make_script(own_text);
  return {.id = id,
          .op = store_op::pin,
          .script = script,
          .keys = {key},
          .words = {what.upstream, hex(what.owner), what.session, in_ms(ago),
                    in_ms(limits::store_task)}};
}

std::optional<owner_told> read_owned(const resp::value& v) {
  if (v.kind() == resp::kind::number && v.number() == 1) return owner_told{};
  if (v.kind() != resp::kind::text) return {};
  const auto other = read_digits(v.text());
  if (!other) return {};
  return owner_told{other};
}

store_request ask_for_owners(std::uint64_t id, const std::string& key) {
  static const auto script = resp::make_script(owners_text);
  return {.id = id,
          .op = store_op::find,
          .script = script,
          .keys = {key},
          .words = {in_ms(limits::store_task)}};
}

std::optional<std::vector<task_owner>> read_owners(const resp::value& v) {
  std::vector<task_owner> out;
  if (v.kind() != resp::kind::list || v.size() % 2 != 0) return {};
  if (v.size() == 0) return out;
  auto x = v.first();
  for (auto n = v.size() / 2; n > 0; --n) {
    const auto text = x.next();
    if (x.kind() != resp::kind::text || text.kind() != resp::kind::text) return {};
    auto read = read_owner(x.text(), text.text());
    if (!read) return {};
    out.push_back(std::move(*read));
    if (n > 1) x = text.next();
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, &task_owner::minted);
  return out;
}

std::string written(const task_owner& what) {
  return hex(what.owner) + ' ' + std::to_string(what.minted) + ' ' + what.session;
}

std::optional<task_owner> read_owner(std::string_view upstream, std::string_view text) {
  if (text.size() <= owner_digits || text[owner_digits] != ' ') return {};
  const auto owner = read_digits(text.substr(0, owner_digits));
  text.remove_prefix(owner_digits + 1);
  task_owner out;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.minted);
  if (!owner || error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with(' ')) return {};
  out.upstream = upstream;
  out.owner = *owner;
  out.session = text.substr(1);
  return out;
}

}  // namespace gate::fleet
