#include "actors/webhooks/hooks_actor.hpp"

#include <array>
#include <string>
#include <utility>

#include "actors/webhooks/dispatch_actor.hpp"
#include "actors/webhooks/trials_actor.hpp"
#include "actors/webhooks/upkeep_actor.hpp"
#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::hooks {
namespace {

constexpr std::array all_roles{hooks_role::ledger, hooks_role::dispatch, hooks_role::trials,
                               hooks_role::upkeep, hooks_role::api};

void say_crashed(hooks_role who, const std::string& why) {
  switch (who) {
    case hooks_role::ledger:
      return log::error("LEDGER crashed; it is opened again.", {{"why", why}});
    case hooks_role::dispatch:
      return log::error("DISPATCH crashed; attempts under way are made again.", {{"why", why}});
    case hooks_role::trials:
      return log::error("TRIALS crashed; test calls under way have no result.", {{"why", why}});
    case hooks_role::upkeep:
      return log::error("UPKEEP crashed; it is started again.", {{"why", why}});
    case hooks_role::api:
      return log::error("API crashed; requests under way are answered with 500.", {{"why", why}});
  }
}

constexpr std::size_t index_of(hooks_role r) {
  return static_cast<std::size_t>(r);
}

}  // namespace

hooks_actor::hooks_actor(caf::actor_config& cfg, caf::execution_unit* unit, hooks_parts parts)
    : pinned(cfg, unit), parts_(std::move(parts)) {
  set_down_handler([this](const caf::down_msg& m) { gone(m); });
}

hooks_actor::behavior_type hooks_actor::make_behavior() {
  ledger_ = watch(hooks_role::ledger, std::move(parts_.ledger));
  for (const auto who :
       {hooks_role::dispatch, hooks_role::trials, hooks_role::upkeep, hooks_role::api})
    start(who);
  return {
      [this](stop_requested) { stop(); },
      [](reload_requested) {
        log::info("There is nothing to read again: restart gate-hooks to change its options.");
      },
      [this](const start_again& m) {
        if (!stopping_) start(m.who);
      },
  };
}

void hooks_actor::on_exit() {
  for (const auto& c : children_)
    if (c.address)
      caf::anon_send_exit(caf::actor_cast<caf::actor>(c.address), caf::exit_reason::kill);
  ledger_ = nullptr;
  dispatch_ = nullptr;
  trials_ = nullptr;
  upkeep_ = nullptr;
  api_ = nullptr;
  parts_ = {};
}

// --- children ------------------------------------------------------------------------------------

template <class Handle>
Handle hooks_actor::watch(hooks_role who, Handle started) {
  auto& c = children_[index_of(who)];
  c.address = started.address();
  c.pause.born(clock().now());
  monitor(started);
  return started;
}

void hooks_actor::start(hooks_role who) {
  switch (who) {
    case hooks_role::ledger:
      if (!start_ledger()) return later(who);
      send(dispatch_, use_ledger{ledger_});
      send(upkeep_, use_ledger{ledger_});
      break;
    case hooks_role::dispatch:
      dispatch_ =
          watch(who, caf::actor_cast<dispatch_user>(spawn<dispatch_actor>(
                         unit(), dispatch_parts{ledger_, parts_.delivering, parts_.alone})));
      break;
    case hooks_role::trials:
      trials_ = watch(
          who, caf::actor_cast<trials_handle>(spawn<trials_actor>(unit(), parts_.delivering)));
      break;
    case hooks_role::upkeep:
      upkeep_ =
          watch(who, caf::actor_cast<upkeep_handle>(spawn<upkeep_actor>(
                         unit(), upkeep_parts{ledger_, parts_.succeeded_kept, parts_.dead_kept,
                                              parts_.metrics, parts_.delivering->wall})));
      return;
    case hooks_role::api:
      api_ = watch(who, parts_.spawn_api(links()));
      return;
  }
  if (api_) send(api_, links());
}

/// The disk may be away for a while, too.
bool hooks_actor::start_ledger() {
  auto opened = parts_.open_ledger();
  if (!opened) {
    log::error("The ledger can not be opened again yet.", {{"why", opened.error().what}});
    return false;
  }
  ledger_ = watch(hooks_role::ledger, std::move(*opened));
  log::info("The ledger is open again.");
  return true;
}

void hooks_actor::later(hooks_role who) {
  auto& c = children_[index_of(who)];
  delayed_send(this, c.pause.next(clock().now()), start_again{who});
}

void hooks_actor::gone(const caf::down_msg& m) {
  for (const auto who : all_roles) {
    auto& c = children_[index_of(who)];
    if (!c.address || c.address != m.source) continue;
    c.address = nullptr;
    if (stopping_) {
      if (who == hooks_role::dispatch) delivering_ = false;
      return stop_if_over();
    }
    say_crashed(who, caf::to_string(m.reason));
    return later(who);
  }
}

// --- the end -------------------------------------------------------------------------------------

void hooks_actor::stop() {
  if (stopping_) return;
  stopping_ = true;
  log::info("Stopping: attempts and requests under way have " +
            std::to_string(limits::drain.count()) + " s to end.");
  if (children_[index_of(hooks_role::api)].address) send(api_, end_api{});
  if (!children_[index_of(hooks_role::dispatch)].address) {
    delivering_ = false;
    return stop_if_over();
  }
  const auto over = [this] {
    delivering_ = false;
    stop_if_over();
  };
  request(dispatch_, caf::infinite, stop_delivering{})
      .then([over](const delivering_stopped&) { over(); }, [over](const caf::error&) { over(); });
}

/// LEDGER ends last: what others have told it is on the disk then.
void hooks_actor::stop_if_over() {
  if (delivering_ || children_[index_of(hooks_role::api)].address) return;
  for (const auto who : {hooks_role::trials, hooks_role::upkeep, hooks_role::ledger}) {
    auto& c = children_[index_of(who)];
    if (!c.address) continue;
    if (who == hooks_role::ledger && (children_[index_of(hooks_role::trials)].address ||
                                      children_[index_of(hooks_role::upkeep)].address))
      return;
    caf::anon_send_exit(caf::actor_cast<caf::actor>(c.address), caf::exit_reason::user_shutdown);
  }
  for (const auto& c : children_)
    if (c.address) return;
  if (parts_.stopped) parts_.stopped();
  quit();
}

}  // namespace gate::hooks
