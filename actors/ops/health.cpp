#include "actors/ops/health.hpp"

#include <algorithm>
#include <cstdio>

#include "actors/guards/balancer_actor.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::ops {
namespace {

void append_member(std::string& out, std::string_view key, std::string_view text) {
  out += ",\"";
  out += key;
  out += "\":";
  json::append_quoted(out, text);
}

std::string_view name_of(breaker_state s) {
  switch (s) {
    case breaker_state::half_open:
      return "half-open";
    case breaker_state::open:
      return "open";
    default:
      return "closed";
  }
}

/// Replicas and whether they are in rotation.
void append_endpoints(std::string& out, const config::compiled_upstream& u, const vital_signs& v,
                      bool details) {
  if (u.endpoints.size() < 2) return;
  const auto names = guards::endpoint_names(u);
  out += R"(,"endpoints":[)";
  for (std::size_t i = 0; i < u.endpoints.size(); ++i) {
    const bool healthy = i >= v.endpoints.size() || v.endpoints[i];
    out += i ? ",{\"healthy\":" : "{\"healthy\":";
    out += healthy ? "true" : "false";
    if (details) append_member(out, "url", names[i]);
    out += '}';
  }
  out += ']';
}

void append_details(std::string& out, const config::compiled_upstream& u, const finding& f) {
  append_member(out, "url", u.endpoint.place());
  if (u.owner) {
    std::string owner;
    auto add = [&](std::string_view key, const std::optional<std::string>& text) {
      if (text) append_member(owner, key, *text);
    };
    add("org", u.owner->org);
    add("team", u.owner->team);
    add("contact", u.owner->contact);
    out += ",\"owner\":{" + (owner.empty() ? owner : owner.substr(1)) + "}";
  }
  if (!u.labels.empty()) {
    std::string labels;
    for (const auto& [key, text] : u.labels) {
      labels += labels.empty() ? "" : ",";
      json::append_quoted(labels, key);
      labels += ':';
      json::append_quoted(labels, text);
    }
    out += ",\"labels\":{" + labels + "}";
  }
  if (f.unprobed) return;
  if (!f.answered)
    append_member(out, "error", "no answer within the health budget");
  else if (!f.result.connected)
    append_member(out, "error", f.result.error);
}

}  // namespace

bool is_serving(const config::snapshot& s, const std::vector<finding>& found) {
  const auto of = [&](const config::compiled_upstream& u) -> const finding& {
    return found[u.index];
  };
  // Those that can not be asked without a caller count neither way; with none else, all is well.
  return std::ranges::any_of(s.upstreams, [&](const auto& u) { return of(u).result.connected; }) ||
         (!s.upstreams.empty() &&
          std::ranges::all_of(s.upstreams, [&](const auto& u) { return of(u).unprobed; }));
}

std::string health_body(const config::snapshot& s, const std::vector<finding>& found,
                        const std::vector<vital_signs>& signs, std::optional<bool> store,
                        bool details) {
  const bool all = std::ranges::all_of(s.upstreams, [&](const auto& u) {
    return found[u.index].unprobed || found[u.index].result.connected;
  });
  std::string out = R"({"status":")";
  out += !is_serving(s, found) ? "down" : all ? "ok" : "degraded";
  out += R"(","version":")" GATE_VERSION "\"";
  if (store) append_member(out, "sharedState", *store ? "ok" : "away");
  out += R"(,"upstreams":[)";
  for (const auto& u : s.upstreams) {
    const auto& f = found[u.index];
    const auto& signs_of = signs[u.index];
    if (!out.ends_with('[')) out += ',';
    out += R"({"id":)";
    json::append_quoted(out, u.id);
    if (!u.prefix.empty())
      append_member(out, "namespace", u.prefix.substr(0, u.prefix.size() - s.separator.size()));
    append_member(out, "breaker", name_of(signs_of.breaker));
    out += R"(,"connected":)";
    out += f.result.connected ? "true" : "false";
    if (f.unprobed) out += R"(,"unprobed":true)";
    if (f.result.connected) {
      char text[32];
      std::snprintf(text, sizeof text, "%.3f",
                    static_cast<double>(f.result.latency.count()) / 1000);
      out += R"(,"latencyMs":)";
      out += text;
    }
    append_endpoints(out, u, signs_of, details);
    if (details) append_details(out, u, f);
    out += '}';
  }
  return out + "]}";
}

health::health(caf::actor_config& cfg, caf::execution_unit* unit, store_actor store)
    : pinned(cfg, unit), store_(std::move(store)) {}

health::behavior_type health::make_behavior() {
  if (store_) send(store_, watch_store{caf::actor_cast<store_watcher>(this)});
  return {
      [this](ask_health) -> caf::result<health_report> {
        if (last_.body && clock().now() < good_until_) return last_;
        auto promise = make_response_promise<health_report>();
        waiting_.push_back(promise);
        if (!running_) begin();
        return promise;
      },
      [this](probed& m) {
        if (!running_ || m.round != round_ || m.upstream >= found_.size()) return;
        found_[m.upstream] = {true, false, std::move(m)};
        if (complete()) finish();
      },
      [this](const breaker_told& m) {
        if (m.upstream >= signs_.size()) signs_.resize(m.upstream + 1);
        signs_[m.upstream].breaker = m.state;
        good_until_ = {};
      },
      [this](endpoints_told& m) {
        if (m.upstream >= signs_.size()) signs_.resize(m.upstream + 1);
        signs_[m.upstream].endpoints = std::move(m.healthy);
        good_until_ = {};
      },
      [this](federation_update& m) { update(m); },
      [this](replaced<upstream_actor>& m) { replace(m); },
      [this](const store_turned& m) {
        store_here_ = m.here;
        good_until_ = {};
      },
      [this](const round_over& m) {
        if (running_ && m.round == round_) finish();
      },
  };
}

void health::on_exit() {
  for (auto& p : waiting_) p.deliver(caf::make_error(caf::sec::request_receiver_down));
  waiting_.clear();
  upstreams_.clear();
  store_ = nullptr;
}

void health::update(federation_update& m) {
  const auto before = std::exchange(snapshot_, std::move(m.snapshot));
  upstreams_ = std::move(m.upstreams);
  upstreams_.resize(std::max(upstreams_.size(), snapshot_->slots));
  signs_.resize(std::max(signs_.size(), snapshot_->slots));
  // A number that is given away again says nothing about its former owner.
  if (before)
    for (const auto& u : before->upstreams)
      if (!snapshot_->at(u.index)) signs_[u.index] = {};
  // What is known is about other upstreams now.
  good_until_ = {};
  if (!running_) return;
  // The round goes on, and its time: configurations may change more often than a round lasts.
  found_.resize(std::max(found_.size(), snapshot_->slots));
  for (const auto& u : snapshot_->upstreams)
    if (!before->at(u.index)) ask(u);
  if (complete()) finish();
}

void health::replace(replaced<upstream_actor>& m) {
  if (m.index >= upstreams_.size()) return;
  upstreams_[m.index] = std::move(m.now);
  // It takes with it what it was asked.
  const auto* u = snapshot_ ? snapshot_->at(m.index) : nullptr;
  if (!running_ || upstreams_[m.index] || !u || found_[m.index].answered) return;
  ask(*u);
  if (complete()) finish();
}

void health::ask(const config::compiled_upstream& u) {
  auto& f = found_[u.index];
  f = {};
  if (u.per_caller) {
    f.answered = f.unprobed = true;
  } else if (upstreams_[u.index]) {
    send(upstreams_[u.index], probe{round_, caf::actor_cast<probes_actor>(this)});
  } else {
    f.answered = true;
    f.result.error = "restarting";
  }
}

void health::begin() {
  running_ = true;
  ++round_;
  found_.assign(snapshot_->slots, {});
  for (const auto& u : snapshot_->upstreams) ask(u);
  if (complete()) return finish();
  delayed_send(this, limits::health_budget, round_over{round_});
}

bool health::complete() const {
  return std::ranges::all_of(snapshot_->upstreams,
                             [&](const auto& u) { return found_[u.index].answered; });
}

void health::finish() {
  running_ = false;
  const bool details = snapshot_->doc.auth.mode == config::auth_mode::disabled;
  last_.serving = is_serving(*snapshot_, found_);
  const auto store = store_ ? std::optional(store_here_) : std::nullopt;
  last_.body =
      std::make_shared<const std::string>(health_body(*snapshot_, found_, signs_, store, details));
  good_until_ = clock().now() + limits::health_reuse;
  for (auto& p : std::exchange(waiting_, {})) p.deliver(last_);
}

}  // namespace gate::ops
