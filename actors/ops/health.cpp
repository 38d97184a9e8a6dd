#include "actors/ops/health.hpp"

#include <algorithm>
#include <cstdio>

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

void append_details(std::string& out, const config::compiled_upstream& u, const finding& f) {
  append_member(out, "url", u.endpoint.origin() + u.endpoint.target);
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

bool is_serving(const std::vector<finding>& found) {
  // Those that can not be asked without a caller count neither way; with none else, all is well.
  return std::ranges::any_of(found, [](const finding& f) { return f.result.connected; }) ||
         (!found.empty() && std::ranges::all_of(found, &finding::unprobed));
}

std::string health_body(const config::snapshot& s, const std::vector<finding>& found,
                        bool details) {
  const bool all =
      std::ranges::all_of(found, [](const finding& f) { return f.unprobed || f.result.connected; });
  std::string out = R"({"status":")";
  out += !is_serving(found) ? "down" : all ? "ok" : "degraded";
  out += R"(","version":")" GATE_VERSION R"(","upstreams":[)";
  for (const auto& u : s.upstreams) {
    const auto& f = found[u.index];
    if (u.index) out += ',';
    out += R"({"id":)";
    json::append_quoted(out, u.id);
    if (!u.prefix.empty())
      append_member(out, "namespace", u.prefix.substr(0, u.prefix.size() - s.separator.size()));
    out += R"(,"breaker":"closed","connected":)";
    out += f.result.connected ? "true" : "false";
    if (f.unprobed) out += R"(,"unprobed":true)";
    if (f.result.connected) {
      char text[32];
      std::snprintf(text, sizeof text, "%.3f",
                    static_cast<double>(f.result.latency.count()) / 1000);
      out += R"(,"latencyMs":)";
      out += text;
    }
    if (details) append_details(out, u, f);
    out += '}';
  }
  return out + "]}";
}

health::health(caf::actor_config& cfg, caf::execution_unit* unit) : pinned(cfg, unit) {}

health::behavior_type health::make_behavior() {
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
        if (std::ranges::all_of(found_, [](const finding& f) { return f.answered; })) finish();
      },
      [this](federation_update& m) {
        snapshot_ = std::move(m.snapshot);
        upstreams_ = std::move(m.upstreams);
        // What is known is about other upstreams now.
        good_until_ = {};
        if (running_) begin();
      },
      [this](upstream_replaced& m) {
        if (m.index < upstreams_.size()) upstreams_[m.index] = std::move(m.upstream);
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
}

void health::begin() {
  running_ = true;
  ++round_;
  found_.assign(snapshot_->upstreams.size(), {});
  for (std::size_t i = 0; i < upstreams_.size(); ++i)
    if (snapshot_->upstreams[i].per_caller) {
      found_[i].answered = found_[i].unprobed = true;
    } else if (upstreams_[i]) {
      send(upstreams_[i], probe{round_, caf::actor_cast<probes_actor>(this)});
    } else {
      found_[i].answered = true;
      found_[i].result.error = "restarting";
    }
  if (std::ranges::all_of(found_, [](const finding& f) { return f.answered; })) return finish();
  delayed_send(this, limits::health_budget, round_over{round_});
}

void health::finish() {
  running_ = false;
  const bool details = snapshot_->doc.auth.mode == config::auth_mode::disabled;
  last_.serving = is_serving(found_);
  last_.body = std::make_shared<const std::string>(health_body(*snapshot_, found_, details));
  good_until_ = clock().now() + limits::health_reuse;
  for (auto& p : std::exchange(waiting_, {})) p.deliver(last_);
}

}  // namespace gate::ops
