#include "actors/fleet/session_book.hpp"

#include <charconv>

#include "actors/fleet/scope_names.hpp"
#include "protocol/limits.hpp"

namespace gate::fleet {
namespace {

/// KEYS: the session. ARGV: how long it is kept (ms), whether it may be a new one, the instance,
/// then fields and values in turns. Answer: 1; 0: there is none; -1: it has ended.
constexpr std::string_view keep_session_text = R"(
if redis.call('HMGET', KEYS[1], 'x')[1] then return -1 end
if ARGV[2] == '0' and redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'i:' .. ARGV[3], redis.call('TIME')[1])
for i = 4, #ARGV, 2 do
  if ARGV[i + 1] == '' then
    redis.call('HDEL', KEYS[1], ARGV[i])
  else
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
)";

/// KEYS: the session. ARGV: who looks, and for how long who holds it counts (s).
constexpr std::string_view look_for_session_text = R"(
local all, out = redis.call('HGETALL', KEYS[1]), {}
local now = redis.call('TIME')[1]
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  if field == 'x' then return {field, value} end
  if string.sub(field, 1, 2) == 'i:' and now - (tonumber(value) or 0) > tonumber(ARGV[2]) then
    redis.call('HDEL', KEYS[1], field)
  else
    out[#out + 1] = field
    out[#out + 1] = value
  end
end
if #out > 0 then redis.call('HSET', KEYS[1], 'i:' .. ARGV[1], now) end
return out
)";

/// KEYS: the session. ARGV: for how long who holds it counts (s), the instance, and whether it was
/// missing before. Whoever does not listen is gone, but its client may come back as long as it
/// would have been held. Answer: 0, if somebody else holds it; so many seconds until those are over
/// who are gone (it is kept a minute longer, for who asks then); -1: it is missing, for the first
/// time; else what upstreams have open for it.
constexpr std::string_view release_text = R"(
redis.call('HDEL', KEYS[1], 'i:' .. ARGV[2])
local all, now, out = redis.call('HGETALL', KEYS[1]), redis.call('TIME')[1], {}
local wait = 0
if #all == 0 and ARGV[3] == '0' then return -1 end
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  local mark, name = string.sub(field, 1, 2), string.sub(field, 3)
  if field == 'x' then return {} end
  local left = tonumber(ARGV[1]) - (now - (tonumber(value) or 0))
  if mark == 'i:' and left >= 0 then
    if redis.call('PUBSUB', 'NUMSUB', 'gate:{instance:' .. name .. '}')[2] > 0 then return 0 end
    wait = math.max(wait, left + 1)
  end
  if mark == 'u:' then
    out[#out + 1] = field
    out[#out + 1] = value
  end
end
if wait > 0 then
  redis.call('EXPIRE', KEYS[1], wait + 60)
  return wait
end
redis.call('DEL', KEYS[1])
return out
)";

/// KEYS: the session. ARGV: how long it is known that it has ended (ms).
constexpr std::string_view end_text = R"(
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'x', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
)";

/// KEYS: where it is kept. ARGV: a proposal. A store that has no room refuses even a SET that would
/// do nothing: where there is a key, nothing is written.
constexpr std::string_view agree_text = R"(
local known = redis.call('GET', KEYS[1])
if known then return known end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
)";

constexpr std::string_view bridge_mark = "u:", holder_mark = "i:", subscription_mark = "s:";
constexpr std::string_view end_field = "x";

store_request about(std::uint64_t id, const std::string& key) {
  store_request out;
  out.id = id;
  out.op = store_op::session;
  out.keys = {key};
  return out;
}

/// Fields and values in turns: a map, or the list that RESP2 makes of it.
template <class What>
void for_each_field(const resp::value& answer, What what) {
  const bool pairs = answer.kind() == resp::kind::map || answer.kind() == resp::kind::list;
  if (!pairs || answer.size() < 2) return;
  auto at = answer.first();
  for (std::size_t i = 0; i + 1 < answer.size(); i += 2) {
    const auto field = at.text();
    at = at.next();
    const auto value = at.text();
    if (i + 3 < answer.size()) at = at.next();
    what(field, value);
  }
}

store_request command(std::uint64_t id, std::vector<std::string> words) {
  store_request out;
  out.id = id;
  out.op = store_op::session;
  out.words = std::move(words);
  return out;
}

}  // namespace

std::string session_key(const sha256& digest, std::string_view id) {
  return "gate:{session:" + hex(digest(id)) + "}";
}

std::string instance_channel(std::string_view name) {
  return "gate:{instance:" + std::string(name) + "}";
}

std::string name_of_instance(const std::array<std::uint8_t, 16>& random) {
  return hex(random);
}

bool read_instance(std::string_view name, std::array<std::uint8_t, 16>& to) {
  if (name.size() != 2 * to.size()) return false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto* at = name.data() + 2 * i;
    const auto [end, error] = std::from_chars(at, at + 2, to[i], 16);
    if (error != std::errc() || end != at + 2) return false;
  }
  return true;
}

sha256_digest owner_digest(const sha256& digest, std::string_view issuer,
                           std::string_view subject) {
  if (issuer.empty() && subject.empty()) return {};
  // The two can not run into each other.
  return digest(std::to_string(issuer.size()) + ' ' + std::string(issuer) + std::string(subject));
}

std::string bridge_field(std::string_view upstream) {
  return std::string(bridge_mark) + std::string(upstream);
}

std::string subscription_field(const vault& by, std::string_view key, std::string_view uri) {
  // Half of it is enough that no two of a session's are the same.
  const auto all = by.key_of("subscription " + about_field(key, uri));
  return std::string(subscription_mark) + hex({all.data(), all.size() / 2});
}

std::string holder_field(std::string_view instance) {
  return std::string(holder_mark) + std::string(instance);
}

std::string about_field(std::string_view key, std::string_view field) {
  return std::string(key) + ' ' + std::string(field);
}

std::string about_word(std::string_view from, std::string_view to) {
  return "word " + std::string(from) + ' ' + std::string(to);
}

store_request keep_session(std::uint64_t id, const std::string& key, std::chrono::milliseconds ttl,
                           bool fresh, std::string_view instance, named_fields fields) {
  static const auto script = resp::make_script(keep_session_text);
  auto out = about(id, key);
  out.script = script;
  out.words = {std::to_string(ttl.count()), fresh ? "1" : "0", std::string(instance)};
  for (auto& [name, value] : fields) {
    out.words.push_back(std::move(name));
    out.words.push_back(std::move(value));
  }
  return out;
}

std::optional<kept> read_kept(const store_told& m) {
  if (m.outcome != store_outcome::ok || !m.reply) return {};
  const auto v = m.reply->root();
  if (v.kind() != resp::kind::number) return {};
  return v.number() > 0 ? kept::done : v.number() == 0 ? kept::none : kept::ended;
}

store_request release_session(std::uint64_t id, const std::string& key, std::string_view instance,
                              std::chrono::seconds alive, bool missing) {
  static const auto script = resp::make_script(release_text);
  auto out = about(id, key);
  out.script = script;
  out.words = {std::to_string(alive.count()), std::string(instance), missing ? "1" : "0"};
  return out;
}

released read_released(const store_told& m, std::string_view key, const vault& by) {
  using state = released::state;
  if (m.outcome != store_outcome::ok || !m.reply) return {};
  const auto v = m.reply->root();
  if (v.kind() == resp::kind::number && v.number() == 0) return {state::held};
  if (v.kind() == resp::kind::number && v.number() > 0)
    return {state::waits, std::chrono::seconds(v.number())};
  if (v.kind() == resp::kind::number) return {state::missing, 2 * limits::session_renewal};
  if (v.kind() != resp::kind::map && v.kind() != resp::kind::list) return {};
  return {state::last, {}, read_found(v, key, by).bridges};
}

store_request forget_look(std::uint64_t id, const std::string& key, std::string_view instance) {
  return command(id, {"HDEL", key, holder_field(instance)});
}

store_request look_for_session(std::uint64_t id, const std::string& key, std::string_view instance,
                               std::chrono::seconds alive) {
  static const auto script = resp::make_script(look_for_session_text);
  auto out = about(id, key);
  out.script = script;
  out.words = {std::string(instance), std::to_string(alive.count())};
  return out;
}

store_request end_session(std::uint64_t id, const std::string& key, std::chrono::milliseconds ttl) {
  static const auto script = resp::make_script(end_text);
  auto out = about(id, key);
  out.script = script;
  out.words = {std::to_string(ttl.count())};
  return out;
}

store_request agree_on_key(std::uint64_t id, std::string_view proposal) {
  static const auto script = resp::make_script(agree_text);
  auto out = about(id, "gate:{fleet}:key");
  out.script = script;
  out.words = {std::string(proposal)};
  return out;
}

std::string_view keep_session_script() {
  return keep_session_text;
}
std::string_view look_for_session_script() {
  return look_for_session_text;
}
std::string_view release_session_script() {
  return release_text;
}
std::string_view end_session_script() {
  return end_text;
}
std::string_view agree_on_key_script() {
  return agree_text;
}

namespace {

/// Of all that a session is subscribed to no more is taken than one instance would have let it.
void add_subscription(found_session& to, std::optional<subscription> s, std::size_t& bytes) {
  if (!s || to.subscriptions.size() >= limits::session_subscriptions ||
      bytes + s->uri.size() > limits::session_subscription_bytes)
    return;
  bytes += s->uri.size();
  to.subscriptions.insert_or_assign(std::move(s->uri), std::move(s->upstream));
}

}  // namespace

found_session read_found(const resp::value& answer, std::string_view key, const vault& by) {
  found_session out;
  out.holders = read_holders(answer);
  std::size_t bytes = 0;
  for_each_field(answer, [&](std::string_view field, std::string_view value) {
    if (field == end_field) out.what = found_session::state::ended;
    const bool client = field == client_field, level = field == level_field;
    const bool bridged = field.starts_with(bridge_mark);
    if (!client && !level && !bridged && !field.starts_with(subscription_mark)) return;
    auto text = by.open(value, about_field(key, field));
    if (client) {
      auto record = text ? read_session(*text) : std::nullopt;
      out.what = record ? found_session::state::whole : found_session::state::broken;
      if (record) out.record = std::move(*record);
    } else if (!text) {
      return;
    } else if (level) {
      if (is_log_level(*text)) out.log_level = std::move(*text);
    } else if (!bridged) {
      add_subscription(out, read_subscription(*text), bytes);
    } else if (auto b = read_bridge(*text); b && out.bridges.size() < limits::upstreams) {
      out.bridges.emplace(field.substr(bridge_mark.size()), std::move(*b));
    }
  });
  return out;
}

instances read_holders(const resp::value& answer) {
  std::multimap<std::int64_t, std::string_view> by_time;
  for_each_field(answer, [&](std::string_view field, std::string_view value) {
    if (!field.starts_with(holder_mark)) return;
    std::int64_t said = 0;
    std::from_chars(value.data(), value.data() + value.size(), said);
    by_time.emplace(said, field.substr(holder_mark.size()));
    if (by_time.size() > limits::session_holders) by_time.erase(by_time.begin());
  });
  instances out;
  for (const auto& [said, name] : by_time) out.emplace(name);
  return out;
}

}  // namespace gate::fleet
