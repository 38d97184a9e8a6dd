#include "shim/up/kept_program_actor.hpp"

#include <csignal>
#include <cstring>

#include "protocol/http/url.hpp"
#include "shim/up/log_line.hpp"

namespace gate::up {

kept_program_actor::kept_program_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                                       kept_parts parts)
    : pinned(cfg, unit), parts_(std::move(parts)) {}

kept_program_actor::behavior_type kept_program_actor::make_behavior() {
  start();
  return {
      [this](end_kept) {
        if (std::exchange(ending_, true)) return;
        if (!program_) return ended("it was ended");
        send(program_, signal_program{SIGTERM});
        delayed_send(this, limits::program_goodbye, goodbye_over{});
      },
      [this](reload_kept) {
        if (listens_)
          send(program_, signal_program{SIGHUP});
        else
          reload_due_ = true;
      },
      [this](const program_started&) { restarts_.started(clock().now()); },
      [this](program_failed& m) {
        restarts_.started(clock().now());
        ended(std::move(m.why));
      },
      [this](program_said& m) {
        for (auto& line : m.lines) {
          if (const auto read = read_log_line(line))
            if (auto url = listening_url(read->sentence); !url.empty()) {
              if (const auto at = http::parse_url(url)) parts_.port = at->port;
              listens_ = true;
              if (std::exchange(reload_due_, false)) send(program_, signal_program{SIGHUP});
              send(parts_.user, kept_listens{parts_.id, std::move(url)});
            }
          send(parts_.user, kept_said{parts_.id, std::move(line)});
        }
      },
      [this](const program_ended& m) {
        ended(m.by_signal ? "it was ended by signal " + std::to_string(m.status)
                          : "it ended with exit code " + std::to_string(m.status));
      },
      [this](start_again) {
        if (!ending_) start();
      },
      [this](goodbye_over) {
        if (program_) send(program_, signal_program{SIGKILL});
      },
  };
}

void kept_program_actor::on_exit() {
  parts_ = {};
  program_ = nullptr;
}

void kept_program_actor::start() {
  program_ = parts_.start(parts_.spec(parts_.port), caf::actor_cast<program_user>(this));
}

void kept_program_actor::ended(std::string why) {
  // Somebody else may have its port by now.
  if (!std::exchange(listens_, false) && parts_.any_port) parts_.port = 0;
  reload_due_ = false;
  program_ = nullptr;
  send(parts_.user, kept_ended{parts_.id, std::move(why), ending_});
  if (ending_) return quit();
  delayed_send(this, restarts_.ended(clock().now()), start_again{});
}

}  // namespace gate::up
