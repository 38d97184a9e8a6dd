#include "shim/shim_actor.hpp"

#include <array>

#include "protocol/http/media.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/session_id.hpp"
#include "shim/session_actor.hpp"
#include "transport/log.hpp"

namespace gate::shim {

shim_actor::shim_actor(caf::actor_config& cfg, caf::execution_unit* unit, shim_parts parts)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      tally_(std::make_shared<tally>(*parts_.metrics)) {
  tally_->max_sessions.set(static_cast<double>(parts_.max_sessions));
  tally_->sessions.set(0);
  set_down_handler([this](const caf::down_msg& m) { gone(m); });
}

shim_actor::behavior_type shim_actor::make_behavior() {
  send(parts_.ingress, serve{caf::actor_cast<arrivals_handle>(this)});
  monitor(parts_.children);
  return {
      [this](arrival& m) { take(std::move(m.from)); },
      [this](const body_read& m) {
        if (auto it = reading_.extract(m.number)) take(std::move(it.mapped()));
      },
      // A dropped connection cancels nothing; SESSION sees by itself that a stream is gone.
      [this](const client_gone& m) { reading_.erase(m.number); },
      [this](stop_requested) { stop(); },
      [](reload_requested) {
        log::info("There is nothing to read again: the shim has no configuration file.");
      },
      [this](const session_live& m) {
        if (auto it = slots_.find(m.number); it != slots_.end()) it->second.live = true;
      },
      [this](const session_closing& m) {
        if (auto it = slots_.find(m.number); it != slots_.end()) forget_id(it->second);
      },
      [this](const probed& m) { on_probed(m); },
      [this](health_due) { answer_due(); },
      [this](drain_over) {
        end_all(true);
        delayed_send(this, limits::goodbye, goodbye_over{});
      },
      [this](goodbye_over m) {
        if (!m.long_ago) {
          send(parts_.ingress, cut{});
          delayed_send(this, 3 * limits::child_patience, goodbye_over{true});
        } else if (!slots_.empty()) {
          log::warn(
              "Processes of sessions can not be killed at the moment, and the shim waits for them; "
              "a second signal ends it.",
              {{"sessions", std::to_string(slots_.size())}});
        }
      },
  };
}

void shim_actor::on_exit() {
  slots_.clear();
  health_waiting_.clear();
  reading_.clear();
  probe_ = nullptr;
  parts_.ingress = nullptr;
  parts_.children = nullptr;
}

// --- requests ------------------------------------------------------------------------------------

void shim_actor::take(exchange_ptr from) {
  const auto v = judge(from->request(), parts_.rules);
  using route = verdict::route;
  switch (v.what) {
    case route::refuse:
      return refuse(*from, v.no);
    case route::health:
      return serve_health(std::move(from));
    case route::metrics:
      return from->respond({200, http::metrics_type, {}, false},
                           {*parts_.metrics->exposed(clock().now())});
    case route::body:
      return read_body(std::move(from));
    case route::open:
      return open(std::move(from));
    case route::session:
      break;
  }
  const auto it = by_id_.find(std::string(from->request().head->session_id));
  if (it == by_id_.end()) return refuse(*from, mcp::http_rule::session_known);
  send(slots_.at(it->second).session, arrival{std::move(from)});
}

void shim_actor::read_body(exchange_ptr from) {
  const auto number = from->number();
  if (from->read_body(!parts_.rules.token.empty())) reading_[number] = std::move(from);
}

void shim_actor::open(exchange_ptr from) {
  if (stopping_)
    return refuse(*from,
                  {reason::overloaded, std::string(stopping), std::string(http::retry_later)});
  if (slots_.size() >= parts_.max_sessions) {
    tally_->rejected.add();
    return refuse(*from, {reason::overloaded,
                          "too many sessions: end some, or try again later (--max-sessions)",
                          std::string(http::retry_soon)});
  }
  std::array<std::uint8_t, 16> bytes{};
  parts_.random(bytes);
  const auto number = next_++;
  auto& s = slots_[number];
  s.id = mcp::make_session_id(bytes, 0);
  s.session = spawn<session_actor>(
      unit(), session_parts{number, s.id, caf::actor_cast<shim_handle>(this), tally_, kept_});
  by_id_[s.id] = number;
  by_actor_[s.session.id()] = number;
  monitor(s.session);
  tally_->sessions.set(static_cast<double>(slots_.size()));
  send(s.session, arrival{std::move(from)});
  request(parts_.children, caf::infinite,
          start_child{std::to_string(number), caf::actor_cast<child_user>(s.session)})
      .then([this, number](const child_made& m) { child_is(number, m.child); },
            [this, number](const caf::error&) { child_is(number, child_handle{}); });
}

void shim_actor::child_is(std::uint64_t number, const child_handle& child) {
  auto& s = slots_.at(number);
  s.asking = false;
  if (!child) {
    if (s.session) send(s.session, child_failed{"nobody is there to start it"});
    return free_if_over(number);
  }
  s.child = child.address();
  by_actor_[child.id()] = number;
  monitor(child);
  if (s.session) send(s.session, child_made{child});
}

// --- slots ---------------------------------------------------------------------------------------

void shim_actor::forget_id(slot& s) {
  by_id_.erase(s.id);
  s.id.clear();
  s.live = false;
}

void shim_actor::gone(const caf::down_msg& m) {
  if (m.source == parts_.children) {
    log::error("No server can be started any more: the shim stops.");
    well_ = false;
    return stop();
  }
  if (m.source == probe_) {
    probing_ = false;
    probe_ = nullptr;
    if (awaiting_probe_) on_probed({false, "the probe crashed"});
    return stop_if_over();
  }
  const auto it = by_actor_.find(m.source.id());
  if (it == by_actor_.end()) return;
  const auto number = it->second;
  by_actor_.erase(it);
  auto& s = slots_.at(number);
  if (s.child == m.source) {
    s.child = nullptr;
  } else {
    // Its last act was to say that it closes, unless it crashed: then CHILD kills what it has.
    if (!s.id.empty())
      log::error("A session crashed; its child is killed.", {{"session", std::to_string(number)}});
    forget_id(s);
    s.session = nullptr;
  }
  free_if_over(number);
}

/// Only now: a slot is a promise about processes.
void shim_actor::free_if_over(std::uint64_t number) {
  const auto it = slots_.find(number);
  if (it == slots_.end() || it->second.session || it->second.asking || it->second.child) return;
  slots_.erase(it);
  tally_->sessions.set(static_cast<double>(slots_.size()));
  stop_if_over();
}

// --- the end -------------------------------------------------------------------------------------

void shim_actor::stop() {
  if (stopping_) return;
  stopping_ = true;
  log::info("Stopping: requests in flight have " + std::to_string(limits::drain.count()) +
            " s to end.");
  request(parts_.ingress, caf::infinite, drain{})
      .then(
          [this](const drained&) {
            drained_ = true;
            stop_if_over();
          },
          [this](const caf::error&) {
            drained_ = true;
            stop_if_over();
          });
  answer_asked(health::down);
  end_all(false);
  if (probe_) send(probe_, end_session{});
  delayed_send(this, limits::drain, drain_over{});
  stop_if_over();
}

void shim_actor::end_all(bool now) {
  for (auto& [number, s] : slots_)
    if (s.session) send(s.session, end_session{now});
}

void shim_actor::stop_if_over() {
  if (!stopping_ || !drained_ || probing_ || !slots_.empty()) return;
  if (parts_.stopped) parts_.stopped(well_);
  quit();
}

}  // namespace gate::shim
