#pragma once
/// Supervision is a table: one row an actor that GATEWAY supervises says which sentence the log
/// gets when it crashes, who is told of its successor, and what its death means. (What it is called
/// is in the cast.) `children` knows who runs and how long each is to rest after a crash. Pure;
/// part of GATEWAY.
///
/// A further actor is a row in actors/cast.hpp and here, its messages in interfaces.hpp, its handle
/// in staff.hpp, its spawn in spawner.cpp.
#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "actors/cast.hpp"
#include "protocol/base/backoff.hpp"

namespace gate::supervisor {

/// Those that have a row: the cast begins with them, and goes on with GATEWAY itself.
inline constexpr std::size_t roles = static_cast<std::size_t>(role::gateway);

/// Who takes `replaced` of a role.
struct hearers {
  bool routers = false;        ///< all
  bool its_router = false;     ///< of its unit
  bool upstreams = false;      ///< all
  bool its_upstreams = false;  ///< those that it stands before, on all units
  bool mint = false;
  bool audit = false;
  bool health = false;  ///< of those on the first unit
};
/// Are they told of the death as well? Whoever waits for it goes on then. (The others ask somebody
/// who is not there, and find out by that.)
enum class told_of : std::uint8_t { successor, death_too };
/// When it is started again.
enum class restarts : std::uint8_t { while_running, to_the_end };
/// Of whom the log says it, by what.
enum class subject : std::uint8_t { none, sink, issuer, upstream, unit };
/// What the log says beside that: why it died, how long its successor rests.
enum class detail : std::uint8_t { reason, pause, both };

struct row {
  role who;
  std::string_view sentence;  ///< of the log
  subject of;
  detail says;
  hearers hear;
  told_of what;
  restarts when;
  /// What its death means for calls; docs/architecture.md has the same.
  std::string_view means;
};

// clang-format off
inline constexpr std::array<row, roles> table{{
    {role::audit, "AUDIT crashed and is restarted.",
     subject::none, detail::reason, {.routers = true}, told_of::successor, restarts::to_the_end,
     "events meanwhile are lost"},
    {role::sink, "SINK crashed and is restarted; what it was handed is lost, and what comes meanwhile is kept.",
     subject::sink, detail::reason, {.audit = true}, told_of::death_too, restarts::to_the_end,
     "what it was handed and had not written is lost; what comes meanwhile is kept for it"},
    {role::traces, "TRACES crashed and is restarted; the spans that it held are lost.",
     subject::none, detail::reason, {.routers = true}, told_of::death_too, restarts::while_running,
     "spans that it held, and those that end meanwhile, are lost and counted"},
    {role::activity, "ACTIVITY crashed and is restarted; the events that it kept for viewers are lost to them.",
     subject::none, detail::reason, {.routers = true}, told_of::death_too, restarts::while_running,
     "none; streams of `/api/activity` end, and what they could be told is forgotten"},
    {role::health, "HEALTH crashed and is restarted.",
     subject::none, detail::reason, {.routers = true}, told_of::successor, restarts::while_running,
     "a waiting `/health`, `/metrics` or `/api/federation` is answered 503"},
    {role::tasks, "TASKS crashed and is restarted; tasks that run have to be looked for.",
     subject::none, detail::reason, {.routers = true}, told_of::successor, restarts::while_running,
     "requests about tasks are answered 503 meanwhile; later their tasks are looked for"},
    {role::once, "ONCE LEDGER crashed and is restarted; only a shared store knows now which assertions were used.",
     subject::none, detail::reason, {.mint = true}, told_of::successor, restarts::while_running,
     "requests to the token endpoint are answered 503 meanwhile; without a shared store, assertions used before could be used again"},
    {role::mint, "MINT crashed and is restarted.",
     subject::none, detail::reason, {.routers = true}, told_of::death_too, restarts::while_running,
     "requests to the token endpoint are answered 503 meanwhile"},
    {role::limiter, "RATE LIMITER crashed and is restarted; it has forgotten what was counted, and nothing is limited meanwhile.",
     subject::none, detail::reason, {.routers = true}, told_of::death_too, restarts::while_running,
     "calls that wait for it go on; nothing is limited meanwhile, but for what upstreams may be asked"},
    {role::budget, "BUDGET crashed and is restarted; it has forgotten what was used, and nothing is charged or limited at upstreams meanwhile.",
     subject::none, detail::reason, {.routers = true, .upstreams = true}, told_of::death_too, restarts::while_running,
     "calls that wait for it go on; nothing is charged or limited at upstreams meanwhile"},
    {role::loader, "LOADER crashed and is restarted.",
     subject::none, detail::reason, {}, told_of::successor, restarts::while_running,
     "a reload that it worked on is answered as refused"},
    {role::discovery, "DISCOVERY crashed and is restarted; what is discovered goes on to hold.",
     subject::none, detail::reason, {}, told_of::successor, restarts::while_running,
     "none; what was discovered goes on to hold"},
    {role::keys, "KEY SET crashed and is restarted; what was known of its keys holds meanwhile.",
     subject::issuer, detail::reason, {.routers = true, .mint = true}, told_of::death_too, restarts::while_running,
     "calls that wait for keys are judged by what is known, which goes on to hold"},
    {role::router, "ROUTER crashed and is restarted; the sessions of its clients are lost.",
     subject::unit, detail::pause, {}, told_of::successor, restarts::while_running,
     "waiting calls are answered as internal errors and audited; INGRESS answers 503 meanwhile; the unit's client sessions are gone (404, clients initialize again)"},
    {role::upstream, "UPSTREAM crashed and is restarted.",
     subject::upstream, detail::both, {.its_router = true, .health = true}, told_of::death_too, restarts::while_running,
     "all its calls are refused; calls meanwhile are refused with `-32041` (connect failed)"},
    {role::breaker, "BREAKER crashed and is restarted; the circuit is closed.",
     subject::upstream, detail::reason, {.its_upstreams = true}, told_of::death_too, restarts::while_running,
     "calls that wait for a probe's lease go on"},
    {role::balancer, "BALANCER crashed and is restarted; its first endpoint is used meanwhile.",
     subject::upstream, detail::reason, {.its_upstreams = true}, told_of::death_too, restarts::while_running,
     "new sessions take the first endpoint that they have not tried"},
}};
// clang-format on
static_assert([] {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].who != static_cast<role>(i)) return false;
  return true;
}());

constexpr const row& row_of(role r) {
  return table[static_cast<std::size_t>(r)];
}

/// One child, by its place: what it is, and which of those.
struct child {
  role what = role::audit;
  std::size_t unit = 0;   ///< of a ROUTER or an UPSTREAM
  std::size_t index = 0;  ///< of a SINK or a KEY SET, or of the upstream that it has to do with
  auto operator<=>(const child&) const = default;
};

class children {
 public:
  using time_point = backoff::time_point;
  using actor_id = std::uint64_t;

  struct fallen {
    child who;
    std::chrono::milliseconds pause;  ///< before its successor is started
  };

  /// It runs, at this place.
  void born(actor_id id, const child& who, time_point now) {
    running_.insert_or_assign(id, who);
    pauses_[who].born(now);
  }
  /// It has ended. Nothing if it is none of ours, or not any more.
  std::optional<fallen> down(actor_id id, time_point now) {
    const auto node = running_.extract(id);
    if (!node) return {};
    return fallen{node.mapped(), pauses_[node.mapped()].next(now)};
  }
  /// Its end is nobody's concern.
  void give_up(actor_id id) { running_.erase(id); }
  /// This upstream's places are another's from now on: what befell the last one does not count.
  void vacate(std::size_t upstream) {
    std::erase_if(pauses_, [&](const auto& p) {
      return row_of(p.first.what).of == subject::upstream && p.first.index == upstream;
    });
  }
  std::size_t size() const { return running_.size(); }
  /// How many places have a pause of their own.
  std::size_t places() const { return pauses_.size(); }

 private:
  std::unordered_map<actor_id, child> running_;
  std::map<child, backoff> pauses_;
};

}  // namespace gate::supervisor
