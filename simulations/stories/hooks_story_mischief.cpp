// A story of `gate-hooks`: what happens to the storage and to the process, and what is broken on
// purpose.
#include <algorithm>
#include <array>

#include "protocol/webhook/events.hpp"
#include "simulations/stories/hooks_story.hpp"

namespace gate::hook_churn {

using namespace sim;
using namespace std::chrono_literals;

namespace {

/// What was under way when something happened may be noticed so much later: a lease runs out, and
/// somebody looks for it.
constexpr auto aftermath =
    limits::webhook_answer + limits::webhook_lease_margin + limits::webhook_scan * 2;

void change(kept& store, const char* sql) {
  store.db.run(sql);
}

/// An event becomes one of the next type.
void confound(ledger::request& r) {
  auto* events = std::get_if<ledger::accept_events>(&r);
  if (events == nullptr) return;
  const auto next = static_cast<std::size_t>(events->events.front().type) + 1;
  events->events.front().type =
      static_cast<webhook::event_type>(next % webhook::event_names.size());
}

}  // namespace

void story::disturb(std::chrono::milliseconds from_now) {
  const auto now = world_.now();
  auto& all = evidence_.disturbances;
  const auto until = now + from_now + aftermath;
  // (One that goes on is one.)
  if (storage_ill_ && !all.empty() && all.back().until >= now)
    all.back().until = std::max(all.back().until, until);
  else
    all.push_back({now, until});
}

void story::storage(std::uint32_t how) {
  auto& store = world_.store();
  store.away = how % 3 == 0;
  store.slow = how % 3 == 1 ? std::chrono::milliseconds(200 + how % 5'000) : 0ms;
  if (how % 3 == 2)
    store.stalls = true;
  else
    world_.let_move();
  storage_ill_ = true;
  disturb(0ms);
}

void story::mend() {
  auto& store = world_.store();
  store.away = false;
  store.slow = 0ms;
  world_.let_move();
  if (storage_ill_) disturb(0ms);
  storage_ill_ = false;
}

void story::crash(std::uint32_t role, std::uint32_t which) {
  constexpr std::array roles{"ledger", "dispatch", "trials", "upkeep", "api", "destination"};
  const std::string name = roles[role % roles.size()];
  const auto all = world_.cast(name);
  if (all.empty()) return;
  const auto& victim = all[which % all.size()];
  note("  " + name + '#' + std::to_string(victim->id()) + " crashes");
  if (name == "api") evidence_.api_crashes.push_back(world_.now());
  world_.crash(victim);
  disturb(30s);  // until it is there again
}

/// Nobody will answer them any more.
void story::leave_open() {
  for (const auto i : open_)
    if (!evidence_.requests[i].receipt->done()) evidence_.requests[i].left = true;
}

void story::kill() {
  for (const auto i : open_)
    if (evidence_.requests[i].receipt->endings == 0) evidence_.requests[i].left = true;
  world_.kill_process();
  disturb(0ms);
  world_.start();
}

void story::restart(std::chrono::milliseconds patience) {
  world_.stop();
  disturb(patience);
  pass(patience);
  if (patience > limits::drain + 1s && !storage_ill_ && !world_.stopped())
    ++evidence_.end.unstopped;
  kill();
}

/// Within half an hour.
void story::jump(std::uint32_t where) {
  set_clock(std::chrono::milliseconds(where % 3'600'000) - 30min);
}

void story::set_clock(std::chrono::milliseconds skew) {
  if (skew == skew_) return;
  skew_ = skew;
  most_skew_ = std::max(most_skew_, skew_);
  world_.set_skew(skew_);
  evidence_.jumps.push_back(world_.now());
  disturb(0ms);
}

// --- what is broken on purpose ------------------------------------------------------------------

void story::let_the_canary_in() {
  canary_is_in_ = true;
  if (wants_canary(canary::drops_answer)) {
    auto& r = call(request::kind::health, 0, verb::get, "/health");
    r.receipt = std::make_shared<receipt>();
    r.receipt->dropped = true;
  }
  if (wants_canary(canary::misnotes)) receivers_.lie(0);
  if (wants_canary(canary::unkept_event)) world_.store().pretends = true;
  if (wants_canary(canary::confounds)) world_.store().bends = confound;
  if (wants_canary(canary::trespass))
    change(world_.store(),
           "UPDATE webhooks SET organization = coalesce((SELECT number FROM organizations WHERE "
           "number <> webhooks.organization), organization)");
  if (wants_canary(canary::wrong_secret))
    change(world_.store(), "UPDATE webhooks SET secret = 'nobody knows this one'");
  if (wants_canary(canary::delivers_astray))
    change(world_.store(), "UPDATE webhooks SET events = 31");
  if (wants_canary(canary::keeps_lease))
    world_.store().done = [this, before = world_.store().done](const auto& asked,
                                                               const auto& said) {
      before(asked, said);
      if (!healed_ || !std::holds_alternative<ledger::accept_events>(asked)) return;
      change(
          world_.store(),
          "UPDATE deliveries SET status = 1, due = NULL, lease = 'x', lease_until = 9999999999999 "
          "WHERE number = (SELECT max(number) FROM deliveries)");
      change(world_.store(), "UPDATE counts SET deliveries = deliveries + 1 WHERE status = 1");
    };
}

/// What is done to what is kept, once there is something.
void story::feed_the_canary() {
  if (!canary_is_in_) return;
  auto& store = world_.store();
  if (wants_canary(canary::forgets_event))
    change(store,
           "UPDATE deliveries SET status = 2, due = NULL, finished = created WHERE status = 0");
  if (wants_canary(canary::tells_secret)) change(store, "UPDATE webhooks SET description = secret");
  if (wants_canary(canary::unsaid_reason))
    change(store, "UPDATE deliveries SET error = '', code = 0 WHERE status = 4");
  if (wants_canary(canary::changes_body))
    change(store, "UPDATE events SET body = CAST(replace(CAST(body AS TEXT), ' ', '') AS BLOB)");
  if (wants_canary(canary::repeats))
    change(store,
           "UPDATE deliveries SET status = 3, due = created, finished = NULL WHERE number = "
           "(SELECT max(number) FROM deliveries WHERE status = 2)");
}

}  // namespace gate::hook_churn
