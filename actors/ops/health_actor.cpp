#include "actors/ops/health_actor.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "protocol/limits.hpp"

namespace gate::ops {
namespace {

/// A probe takes its unit some 50 µs. So it spends a part of its time on them, and a round of any
/// number of upstreams sets out within a quarter of a second.
constexpr std::size_t probes_at_once = 16, parts_at_most = 64;
constexpr std::chrono::milliseconds probe_pause{4};

}  // namespace

health_actor::health_actor(caf::actor_config& cfg, health_parts parts)
    : health_base::base(cfg),
      parts_(std::move(parts)),
      clients_(parts_.metrics->get(metric::sessions, {to_string(session_kind::client)})),
      bridged_(parts_.metrics->get(metric::sessions, {to_string(session_kind::bridged)})) {}

health_actor::behavior_type health_actor::make_behavior() {
  if (parts_.store) send(parts_.store, watch_store{caf::actor_cast<store_watcher>(this)});
  return {
      [this](ask_health) -> caf::result<health_report> {
        if (fresh()) return last_;
        auto promise = make_response_promise<health_report>();
        waiting_.push_back(promise);
        if (!running_) begin();
        return promise;
      },
      [this](ask_metrics) -> metrics_text { return {parts_.metrics->exposed(clock().now())}; },
      [this](ask_federation& m) -> caf::result<federation_text> {
        auto promise = make_response_promise<federation_text>();
        awaiting_.emplace_back(promise, std::move(m));
        if (fresh())
          serve_viewers();
        else if (!running_)
          begin();
        return promise;
      },
      [this](discovery_state& m) { discovery_ = std::move(m); },
      [this](probed& m) {
        if (!running_ || m.round != round_ || m.upstream >= found_.size()) return;
        auto& found = found_[m.upstream];
        found = {true, false, std::move(m), true};
        if (complete()) finish();
      },
      [this](const breaker_told& m) { signs_of(m.upstream).breaker = m.state; },
      [this](endpoints_told& m) { signs_of(m.upstream).endpoints = std::move(m.healthy); },
      [this](federation_update& m) { update(m); },
      [this](replaced<upstream_handle>& m) { replace(m); },
      [this](const store_turned& m) {
        store_here_ = m.here;
        good_until_ = {};
      },
      [this](const round_over& m) {
        if (running_ && m.round == round_) finish();
      },
      [this](next_probes) {
        asks_on_ = false;
        if (running_) ask_some();
      },
      [this](next_viewer) {
        if (viewers_.empty()) return;
        auto [promise, question] = std::move(viewers_.front());
        viewers_.pop_front();
        answer(promise, question);
        if (!viewers_.empty()) send(this, next_viewer{});
      },
  };
}

void health_actor::on_exit() {
  for (auto& p : waiting_) p.deliver(caf::make_error(caf::sec::request_receiver_down));
  waiting_.clear();
  for (auto& [p, q] : awaiting_) p.deliver(caf::make_error(caf::sec::request_receiver_down));
  awaiting_.clear();
  for (auto& [p, q] : viewers_) p.deliver(caf::make_error(caf::sec::request_receiver_down));
  viewers_.clear();
  upstreams_.clear();
  parts_.store = nullptr;
}

void health_actor::update(federation_update& m) {
  const auto before = std::exchange(snapshot_, std::move(m.snapshot));
  upstreams_ = std::move(m.upstreams);
  upstreams_.resize(std::max(upstreams_.size(), snapshot_->slots));
  signs_.resize(std::max(signs_.size(), snapshot_->slots));
  // A number that is given away again says nothing about its former owner.
  if (before)
    for (const auto& u : before->upstreams)
      if (!snapshot_->at(u.index)) signs_[u.index] = {};
  // What is known is about other upstreams now; the former ones are kept for nobody.
  good_until_ = {};
  if (viewers_.empty()) texts_.renew({});
  if (!running_) return;
  // The round goes on, and its time: configurations may change more often than a round lasts.
  found_.resize(std::max(found_.size(), snapshot_->slots));
  for (const auto& u : snapshot_->upstreams)
    if (!before->at(u.index)) found_[u.index] = {};
  next_ = 0;
  if (!asks_on_) ask_some();
  if (complete()) finish();
}

void health_actor::replace(replaced<upstream_handle>& m) {
  if (m.index >= upstreams_.size()) return;
  upstreams_[m.index] = std::move(m.now);
  // It takes with it what it was asked.
  const auto* u = snapshot_ ? snapshot_->at(m.index) : nullptr;
  if (!running_ || upstreams_[m.index] || !u) return;
  if (!found_[m.index].asked || found_[m.index].answered) return;
  ask(*u);
  if (complete()) finish();
}

/// To be written: what was found out is old then, unless it says nothing about this upstream.
vital_signs& health_actor::signs_of(std::size_t upstream) {
  if (snapshot_ && snapshot_->at(upstream)) good_until_ = {};
  if (upstream >= signs_.size()) signs_.resize(upstream + 1);
  return signs_[upstream];
}

void health_actor::ask(const config::compiled_upstream& u) {
  auto& f = found_[u.index];
  f = {};
  f.asked = true;
  if (u.per_caller) {
    f.answered = f.unprobed = true;
  } else if (upstreams_[u.index]) {
    send(upstreams_[u.index], probe{round_, caf::actor_cast<probes_handle>(this)});
  } else {
    f.answered = true;
    f.result.error = "restarting";
  }
}

void health_actor::begin() {
  running_ = true;
  ++round_;
  found_.assign(snapshot_->slots, {});
  next_ = 0;
  if (!asks_on_) ask_some();
  if (complete()) return finish();
  delayed_send(this, limits::health_budget, round_over{round_});
}

void health_actor::ask_some() {
  const auto& all = snapshot_->upstreams;
  auto room = std::max(probes_at_once, all.size() / parts_at_most);
  for (; next_ < all.size() && room > 0; ++next_) {
    if (found_[all[next_].index].asked) continue;
    ask(all[next_]);
    --room;
  }
  if (next_ == all.size()) return;
  asks_on_ = true;
  delayed_send(this, probe_pause, next_probes{});
}

bool health_actor::complete() const {
  return std::ranges::all_of(snapshot_->upstreams,
                             [&](const auto& u) { return found_[u.index].answered; });
}

/// What viewers are told from now on is of this round: it is kept apart from what the next one is
/// about to find out, and from what changes meanwhile.
void health_actor::finish() {
  running_ = false;
  count_sessions();
  texts_.renew({snapshot_, std::move(found_), signs_});
  const auto& found = texts_.of();
  const bool details = snapshot_->doc.auth.mode == config::auth_mode::disabled;
  last_.serving = is_serving(*snapshot_, found.found);
  last_.body = std::make_shared<const std::string>(health_body(found, shared_state(), details));
  good_until_ = clock().now() + limits::health_reuse;
  for (auto& p : std::exchange(waiting_, {})) p.deliver(last_);
  serve_viewers();
}

/// Those of all units: HEALTH asks the upstreams of the first one only.
void health_actor::count_sessions() {
  const auto now = [&](const config::compiled_upstream& u, upstream_session kind) {
    return static_cast<std::int64_t>(
        parts_.metrics->now(metric::upstream_sessions, {u.id, to_string(kind)}));
  };
  for (const auto& u : snapshot_->upstreams) {
    auto& v = signs_[u.index];
    v.root_sessions = now(u, upstream_session::root);
    v.bridged_sessions = now(u, upstream_session::bridged);
  }
}

bool health_actor::fresh() {
  return last_.body && clock().now() < good_until_;
}

std::optional<bool> health_actor::shared_state() const {
  return parts_.store ? std::optional(store_here_) : std::nullopt;
}

void health_actor::serve_viewers() {
  if (awaiting_.empty()) return;
  if (viewers_.empty()) send(this, next_viewer{});
  std::ranges::move(awaiting_, std::back_inserter(viewers_));
  awaiting_.clear();
}

void health_actor::answer(caf::typed_response_promise<federation_text>& to,
                          const ask_federation& q) {
  const process_facts about{shared_state(), discovery_, static_cast<std::int64_t>(clients_.now()),
                            static_cast<std::int64_t>(bridged_.now()), parts_.wall()};
  to.deliver(federation_text{std::make_shared<const std::string>(texts_.text(about, q))});
}

}  // namespace gate::ops
