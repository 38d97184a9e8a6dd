// SHIM: /health. A session that was initialized and runs is proof; else one PROBE finds out, for
// all who ask meanwhile and for a second more. A server may take longer to start than who asks has
// patience: he is told that it is starting, and PROBE goes on, for else no such server would ever
// be seen to run.
#include <algorithm>
#include <array>

#include "protocol/http/media.hpp"
#include "protocol/limits.hpp"
#include "shim/probe_actor.hpp"
#include "shim/shim_actor.hpp"
#include "transport/log.hpp"

namespace gate::shim {

void shim_actor::answer_health(exchange& to, health what) const {
  constexpr std::array<std::string_view, 3> names{"ok", "starting", "down"};
  std::string body = R"({"status":")";
  body += names[static_cast<std::size_t>(what)];
  body += R"(","version":")" GATE_VERSION R"(","stats":{"sessions":)";
  body += std::to_string(slots_.size());
  const auto add = [&](std::string_view name, std::uint64_t n) {
    body.append(",\"").append(name).append("\":").append(std::to_string(n));
  };
  add("maxSessions", parts_.max_sessions);
  add("spawned", tally_->spawned.count());
  add("spawnErrors", tally_->spawn_errors.count());
  add("rejected", tally_->rejected.count());
  body += "}}";
  to.respond({what == health::ok ? 200 : 503, http::json_type, {}, false}, {body});
}

void shim_actor::serve_health(exchange_ptr from) {
  if (stopping_) return answer_health(*from, health::down);
  if (std::ranges::any_of(slots_, [](const auto& s) { return s.second.live; }))
    return answer_health(*from, health::ok);
  const auto wait = [&] {
    health_waiting_.push_back({std::move(from), now() + limits::child_health});
    delayed_send(this, limits::child_health, health_due{});
  };
  if (awaiting_probe_) return wait();
  // As long as the last one's processes are ending, no further ones are started.
  if (runs_ && (probing_ || now() - known_since_ < limits::health_reuse))
    return answer_health(*from, *runs_ ? health::ok : health::down);
  wait();
  probing_ = awaiting_probe_ = true;
  probe_ = caf::actor_cast<probe_handle>(
      spawn<probe_actor>(unit(), probe_parts{parts_.children, caf::actor_cast<probe_user>(this),
                                             tally_, limits::child_initialize}));
  monitor(probe_);
}

void shim_actor::on_probed(const probed& m) {
  awaiting_probe_ = false;
  if (stopping_) return;  // all who asked were answered; it may have been interrupted for that
  if (!m.runs && runs_ != false)
    log::warn("The server can not be run.", {{"why", m.what}});
  else if (m.runs && runs_ == false)
    log::info("The server can be run again.", {{"server", m.what}});
  runs_ = m.runs;
  known_since_ = now();
  answer_asked(m.runs ? health::ok : health::down);
}

void shim_actor::answer_asked(health what) {
  for (auto& a : std::exchange(health_waiting_, {})) answer_health(*a.from, what);
}

void shim_actor::answer_due() {
  const auto first_not_due =
      std::ranges::find_if(health_waiting_, [&](const asker& a) { return a.until > now(); });
  for (auto it = health_waiting_.begin(); it != first_not_due; ++it)
    answer_health(*it->from, health::starting);
  health_waiting_.erase(health_waiting_.begin(), first_not_due);
}

}  // namespace gate::shim
