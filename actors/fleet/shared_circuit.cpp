#include "actors/fleet/shared_circuit.hpp"

#include <array>
#include <charconv>
#include <span>

namespace gate::fleet {
namespace {

using std::chrono::milliseconds;

/// KEYS: the circuit. ARGV: event, lease, how long the request may last; threshold, pause and the
/// time of a request; the channel. Answer: state, failures, cause, ms until something happens by
/// itself (-1: never), version, and the lease given (-1: none is needed).
constexpr std::string_view circuit_text = R"(
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local event, lease, longest = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local threshold, pause, request = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local v = redis.call('HMGET', KEYS[1], 's', 'f', 'w', 'u', 'l', 'p', 'n', 'g')
local function at(i, default) return tonumber(v[i]) or default end
local s, f, w = at(1, 0), at(2, 0), at(3, 0)
local u, l, p, n, g = at(4, 0), at(5, 0), at(6, 0), at(7, 1), at(8, now)
local was_state, was_clean, was = s, s == 0 and f == 0, table.concat({s, f, w, u, l, p}, ' ')
local function open(why) s, w, l, p, u = 2, why, 0, 0, now + pause end
local function half_open() s, l, p, u = 1, 0, 0, 0 end
local function close() s, f, l, p, u = 0, 0, 0, 0, 0 end
if u > 0 and now >= u then
  if s == 2 or p == 1 then half_open() else open(2) end
end
local given = 0
if event == 'lease' then
  if s == 0 then
    given = -1
  elseif s == 1 and l == 0 then
    l, n, u = n, n + 1, now + request
    p = longest > request and 1 or 0
    given = l
  end
elseif event == 'reached' then
  if s == 2 then half_open() end
elseif event ~= 'look' and lease == l and (s == 0 or lease ~= 0) then
  if event == 'success' then
    close()
  elseif event == 'neutral' then
    if s == 1 then half_open() end
  elseif s == 1 then
    open(1)
  else
    f = f + 1
    if f >= threshold then open(0) end
  end
end
local ends = u > 0 and math.max(u - now, 0) or -1
if was ~= table.concat({s, f, w, u, l, p}, ' ') then
  g = math.max(g + 1, now)
  redis.call('HSET', KEYS[1], 's', s, 'f', f, 'w', w, 'u', u, 'l', l, 'p', p, 'n', n, 'g', g)
  redis.call('EXPIRE', KEYS[1], 86400)
  if s ~= was_state or was_clean ~= (s == 0 and f == 0) then
    redis.call('PUBLISH', ARGV[7], table.concat({s, f, w, ends, g}, ' '))
  end
end
return {s, f, w, ends, g, given}
)";

constexpr std::array<std::string_view, 6> events{"look",    "success", "failure",
                                                 "neutral", "reached", "lease"};

std::optional<circuit> circuit_of(std::span<const std::int64_t> n) {
  if (n[0] < 0 || n[0] > 2 || n[1] < 0 || n[2] < 0 || n[2] > 2 || n[3] < -1) return {};
  circuit out{.state = static_cast<breaker_state>(n[0]),
              .failures = n[1],
              .why = static_cast<guards::breaker::cause>(n[2]),
              .ends_in = {},
              .version = n[4]};
  if (n[3] >= 0) out.ends_in = milliseconds(n[3]);
  return out;
}

}  // namespace

std::string_view circuit_script() {
  return circuit_text;
}

circuit_place place_of_circuit(const std::string& upstream, std::uint32_t database) {
  auto key = "gate:{cb:" + upstream + "}";
  auto channel = database == 0 ? key : key + '/' + std::to_string(database);
  return {std::move(key), std::move(channel)};
}

store_request ask_circuit(std::uint64_t id, const circuit_place& at, const circuit_question& q,
                          const config::circuit_breaker& settings, milliseconds request) {
  static const auto script = resp::make_script(circuit_text);
  const auto number = [](auto n) { return std::to_string(n); };
  return {.id = id,
          .op = store_op::circuit,
          .script = script,
          .keys = {at.key},
          .words = {std::string(events[static_cast<std::size_t>(q.what)]), number(q.lease),
                    number(q.longest.count()), number(settings.failure_threshold),
                    number(settings.half_open_after.count()), number(request.count()), at.channel}};
}

std::optional<circuit_told> read_circuit(const resp::value& v) {
  std::array<std::int64_t, 6> n{};
  if (v.kind() != resp::kind::list || v.size() != n.size()) return {};
  for (std::size_t i = 0; i < n.size(); ++i) {
    if (v[i].kind() != resp::kind::number) return {};
    n[i] = v[i].number();
  }
  const auto now = circuit_of(n);
  if (!now || n[5] < -1) return {};
  return circuit_told{*now, n[5] < 0 ? lease_told::not_leased : static_cast<std::uint64_t>(n[5])};
}

std::optional<circuit> read_circuit(std::string_view said) {
  std::array<std::int64_t, 5> n{};
  for (std::size_t i = 0; i < n.size(); ++i) {
    if (i > 0) {
      if (said.empty() || said.front() != ' ') return {};
      said.remove_prefix(1);
    }
    const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), n[i]);
    if (error != std::errc()) return {};
    said.remove_prefix(static_cast<std::size_t>(end - said.data()));
  }
  if (!said.empty()) return {};
  return circuit_of(n);
}

std::string published(const circuit& c) {
  const auto number = [](auto n) { return std::to_string(n); };
  return number(static_cast<int>(c.state)) + ' ' + number(c.failures) + ' ' +
         number(static_cast<int>(c.why)) + ' ' + number(c.ends_in ? c.ends_in->count() : -1) + ' ' +
         number(c.version);
}

}  // namespace gate::fleet
