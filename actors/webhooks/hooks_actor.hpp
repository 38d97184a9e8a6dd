#pragma once
/// HOOKS: starts the actors of `gate-hooks`, and again those that crash, after a pause that
/// doubles; tells the others of the new one. Has the order of the end. Spawned by main; told by
/// WATCH.
///
///   who crashed   what it takes with it                       who is told of the next one
///   LEDGER        questions that it had: asked again          API, DISPATCH, UPKEEP
///   DISPATCH      its DESTINATIONs: attempts are made again   API
///   TRIALS        test calls: they end at API's deadline      API
///   UPKEEP        nothing                                     -
///   API           requests that it had: INGRESS answers 500   INGRESS, by API itself
#include <array>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "actors/webhooks/api_interface.hpp"
#include "actors/webhooks/destination_actor.hpp"
#include "actors/webhooks/interfaces.hpp"
#include "protocol/base/backoff.hpp"
#include "protocol/base/result.hpp"
#include "transport/pinned.hpp"

namespace gate::hooks {

struct hooks_parts {
  /// LEDGER, over what is kept; or why that can not be opened. Asked again when one has crashed.
  std::function<result<ledger_handle>()> open_ledger;
  ledger_handle ledger;  ///< the first one
  std::shared_ptr<const delivering_parts> delivering;
  /// No other instance uses what LEDGER keeps.
  bool alone = true;
  std::chrono::seconds succeeded_kept{}, dead_kept{};
  std::shared_ptr<gate::metrics> metrics;
  std::function<api_handle(const use_parts&)> spawn_api;
  /// Called when everything has ended in order.
  std::function<void()> stopped;
};

enum class hooks_role : std::uint8_t { ledger, dispatch, trials, upkeep, api };

/// To itself: it is time to start this one again.
struct start_again {
  hooks_role who = hooks_role::ledger;
};
using hooks_base = watcher_handle::extend<caf::reacts_to<start_again>>;

class hooks_actor final : public pinned<hooks_base::base> {
 public:
  hooks_actor(caf::actor_config& cfg, caf::execution_unit* unit, hooks_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "hooks"; }

 private:
  static constexpr std::size_t roles = 5;
  struct child {
    caf::actor_addr address;  ///< null: it is not there
    backoff pause;
  };

  void start(hooks_role who);
  template <class Handle>
  Handle watch(hooks_role who, Handle started);
  bool start_ledger();
  void gone(const caf::down_msg& m);
  void later(hooks_role who);
  use_parts links() const { return {ledger_, dispatch_, trials_}; }

  void stop();
  void stop_if_over();

  hooks_parts parts_;
  ledger_handle ledger_;
  dispatch_user dispatch_;
  trials_handle trials_;
  upkeep_handle upkeep_;
  api_handle api_;
  std::array<child, roles> children_;
  bool stopping_ = false, delivering_ = true;
};

}  // namespace gate::hooks

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::start_again)
