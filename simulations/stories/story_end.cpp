// A story: how it ends. Everything is healed, everybody asks everybody once more, all go, and the
// gateway stops.
#include <algorithm>

#include "protocol/limits/operations.hpp"
#include "simulations/stories/story.hpp"

namespace gate::churn {

using namespace sim;
using namespace std::chrono_literals;

namespace {

constexpr std::array cast_names{"gateway",      "audit",           "health",         "tasks",
                                "rate limiter", "budget",          "loader",         "discovery",
                                "breaker",      "balancer",        "router",         "upstream",
                                "root session", "bridged session", "endpoint check", "sink"};

}  // namespace

void story::heal() {
  auto& w = *world_;
  note("all is healed");
  fleet_.heal();
  for (auto& r : evidence_.requests) {
    r.receipt->reads = true;
    r.receipt->queued = 0;
  }
  auto base = wish(scenario_);
  base.first = wish_.first;
  // Whatever crashed has come back when this is over: pauses between restarts are short here. (And
  // LOADER is there for what follows.)
  pass(10s);
  w.hold(false);
  reload_to(document(base, scenario_), true, false);
  // Breakers, replicas, caches and streams come back within this; rate limits look two minutes
  // back; and a new hour brings new budgets.
  const bool limited = scenario_.has("lim") || scenario_.requests_per_minute;
  w.advance(limited ? std::max<std::chrono::milliseconds>(125s, scenario_.heals_within)
                    : scenario_.heals_within);
  w.set_wall(w.wall() + 1h);
  healed_ = true;
  look_for_answers();
  note_log();
  everybody_once_more();
}

/// A new visitor on each unit, and those who are still there.
void story::everybody_once_more() {
  auto& w = *world_;
  for (auto& v : visitors_) meet(static_cast<std::uint32_t>(index_of(v)));
  for (std::size_t unit = 0; unit < scenario_.units; ++unit) {
    visitors_.emplace_back(client(w, unit));
    come(static_cast<std::uint32_t>(visitors_.size() - 1));
  }
  w.settle();
  auto ids = scenario_.upstreams;
  if (scenario_.discovery) ids.insert(ids.end(), discoverable.begin(), discoverable.end());
  for (std::size_t i = 0; i < visitors_.size(); ++i) {
    auto* v = meet(static_cast<std::uint32_t>(i));
    if (!v) continue;
    if (i >= visitors) {
      // Lists do not wait for who failed when it was last asked, which may be long ago: the first
      // one asks it, the second one has it.
      healed_ = false;
      list(*v, 0);
      w.advance(2s);
      healed_ = true;
      list(*v, 0);
    }
    // Few enough for the limits: those who came late ask all, the others one each.
    for (std::size_t n = 0; n < ids.size(); ++n)
      if (i >= visitors || (n == i % ids.size() && ids[n] != "lim" && ids[n] != "pen"))
        call(*v, ids[n]);
    w.advance(2s);
  }
  client c(w, 0);
  c.path = "/health";
  const auto health = sent(request::kind::health, c.get(), visitors_.size()).receipt;
  w.settle();
  look_for_answers();
  look_at_metrics();
  auto& end = evidence_.end;
  end.healed = true;
  end.health = health->body;
  end.metrics = evidence_.expositions.back();
  end.actors = census();
  end.upstreams = ids.size();
  end.balancers = scenario_.has("trio");
}

void story::go() {
  auto& w = *world_;
  note("all go");
  if (evidence_.end.healed) {
    for (std::size_t i = 0; i < visitors_.size(); ++i) {
      // Half of them just vanish: their sessions end by themselves.
      for (const auto at : visitors_[i].calls) {
        auto& r = evidence_.requests[at];
        r.vanished = r.vanished || !r.receipt->done();
        w.vanish(r.receipt);
      }
      auto* v = meet(static_cast<std::uint32_t>(i));
      if (v && i % 2) leave(*v);
    }
    // Of sessions that their visitors wanted to end, in vain: a stream keeps one alive.
    for (auto& r : evidence_.requests) {
      if (!r.receipt->streaming || r.receipt->done()) continue;
      note("  the stream of number " + std::to_string(r.receipt->number) +
           " outlived the end of its session");
      r.vanished = true;
      w.vanish(r.receipt);
    }
    const bool stays = scenario_.bird == canary::keeps_session;
    w.advance(stays ? 40s : session_idle + 20s);
    look_at_metrics();
    evidence_.end.metrics_after = evidence_.expositions.back();
    evidence_.end.actors_after = census();
    evidence_.end.left_sessions = left_sessions();
  } else {
    for (auto& r : evidence_.requests) {
      if (r.receipt->done()) continue;
      r.under_way = !r.left && !r.cancelled && !r.receipt->unread;
      r.left = true;
    }
    if (scenario_.bird == canary::cuts_drain) cut_the_drain();
  }
  stop();
  note_log();
}

void story::stop() {
  auto& w = *world_;
  auto& end = evidence_.end;
  look_for_answers();
  end.told_to_stop = w.now();
  w.stop();
  for (std::chrono::milliseconds left = limits::drain + 5s; left > 0ms; left -= 500ms) {
    w.advance(500ms);
    look_for_answers();
    if (w.stopped() && end.stopped_at == time_point{}) end.stopped_at = w.now();
  }
  end.stopped = w.stopped();
}

std::map<std::string, std::size_t> story::census() const {
  std::map<std::string, std::size_t> out;
  for (const auto* name : cast_names) out[name] = world_->cast(name).size();
  return out;
}

/// Sessions that were used, were never ended, and whose owner is gone. Servers that were sick, or
/// forgot, may have sessions that nobody could end; so may those whose owner crashed.
std::vector<std::string> story::left_sessions() const {
  std::vector<std::string> out;
  if (evidence_.crashed.contains("upstream") || evidence_.crashed.contains("bridged session") ||
      evidence_.crashed.contains("root session"))
    return out;
  std::set<caf::actor_id> holders;
  for (const auto& who : world_->cast("root session")) holders.insert(who->id());
  for (const auto& name : fleet_.all()) {
    if (fleet_.excused(name)) continue;
    std::map<std::string, caf::actor_id> used;
    std::set<std::string> ended;
    for (const auto& s : fleet_.host(name).seen()) {
      if (s->session.empty()) continue;
      if (s->method == "DELETE") ended.insert(s->session);
      if (s->method != "notifications/initialized") used[s->session] = s->asker.id();
    }
    for (const auto& [session, owner] : used)
      if (!ended.contains(session) && !holders.contains(owner)) out.push_back(session);
  }
  return out;
}

}  // namespace gate::churn
