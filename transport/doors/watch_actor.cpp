#include "transport/doors/watch_actor.hpp"

#include <csignal>
#include <cstdlib>

#include "transport/log.hpp"
#include "transport/process.hpp"

namespace gate::doors {

watch_actor::watch_actor(caf::actor_config& cfg, scheduler::io_unit* unit, bool signals,
                         std::optional<watched_file> file)
    : pinned(cfg, unit),
      io_(*unit),
      file_(std::move(file)),
      file_watch_(file_ ? file_->known : std::nullopt),
      poll_(unit->context()) {
  if (signals) signals_.emplace(unit->context(), SIGTERM, SIGINT, SIGHUP);
}

watch_actor::~watch_actor() {
  if (!signals_) return;
  signals_.reset();  // from here on a signal does what it does by default
  ignore_hangup();
}

watch_actor::behavior_type watch_actor::make_behavior() {
  return {
      [this](watch_for& m) {
        const bool first = !who_;
        who_ = std::move(m.who);
        if (!first) return;
        if (signals_) wait_for_signal();
        if (file_) wait_for_file();
      },
  };
}

void watch_actor::on_exit() {
  // Cancelled, not only cleared: a wait that is left over would keep this actor.
  boost::system::error_code ec;
  if (signals_) signals_->cancel(ec);
  poll_.cancel();
  who_ = nullptr;
}

void watch_actor::wait_for_signal() {
  signals_->async_wait(
      [this, self = caf::strong_actor_ptr{ctrl()}](boost::system::error_code ec, int signal) {
        if (ec || !who_) return;
        const scheduler::handler_scope scope(io_);
        if (signal == SIGHUP) {
          send(who_, reload_requested{});
        } else if (stopping_) {
          log::warn("A second signal arrived: ending at once, without draining.");
          std::_Exit(1);
        } else {
          stopping_ = true;
          send(who_, stop_requested{});
        }
        wait_for_signal();
      });
}

void watch_actor::wait_for_file() {
  poll_.expires_after(file_->poll);
  poll_.async_wait([this, self = caf::strong_actor_ptr{ctrl()}](boost::system::error_code ec) {
    if (ec || !who_) return;
    const scheduler::handler_scope scope(io_);
    look_at_file();
    wait_for_file();
  });
}

void watch_actor::look_at_file() {
  const auto seen = stamp_of(file_->path);
  switch (file_watch_.look(seen ? std::optional(*seen) : std::nullopt)) {
    case file_watch::news::none:
      break;
    case file_watch::news::gone:
      log::warn("The configuration file can not be seen any more; what runs goes on as it is.",
                {{"path", file_->path}, {"error", seen.error().what}});
      break;
    case file_watch::news::changed:
      log::info("The configuration file has changed.", {{"path", file_->path}});
      send(who_, reload_requested{});
      break;
  }
}

}  // namespace gate::doors
