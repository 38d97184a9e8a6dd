#pragma once
/// DISPATCH: knows which webhooks have something due, and when; has a DESTINATION for each of
/// these, and shares the places for deliveries between them. Whoever accepts events tells it;
/// beside that it asks LEDGER now and then: for leases that ran out, and for what is due of which
/// nobody has told (other instances accept events, too, and whoever should have told may have
/// crashed). Spawned by HOOKS; told by API and by its DESTINATIONs.
#include <caf/typed_event_based_actor.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "actors/webhooks/destination_actor.hpp"
#include "actors/webhooks/due_table.hpp"
#include "actors/webhooks/interfaces.hpp"
#include "actors/webhooks/places.hpp"
#include "transport/pinned.hpp"

namespace gate::hooks {

struct dispatch_parts {
  ledger_handle ledger;
  std::shared_ptr<const delivering_parts> common;
  /// No other instance uses this LEDGER: leases that are there at the start are nobody's.
  bool alone = true;
};

/// To itself.
struct dispatch_tick {
  std::uint64_t number = 0;
};
struct scan_time {};
struct patience_over {};
using dispatch_base =
    dispatch_user::extend<caf::reacts_to<ledger_told>, caf::reacts_to<claim_places>,
                          caf::reacts_to<give_places>, caf::reacts_to<destination_rests>,
                          caf::reacts_to<attempt_noted>, caf::reacts_to<destination_over>,
                          caf::reacts_to<dispatch_tick>, caf::reacts_to<scan_time>,
                          caf::reacts_to<patience_over>>;

class dispatch_actor final : public pinned<dispatch_base::base> {
 public:
  dispatch_actor(caf::actor_config& cfg, caf::execution_unit* unit, dispatch_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "dispatch"; }

 private:
  void told(const due_told& m);
  /// Starts what is due, and waits for what comes next.
  void go_on();
  void start(const due_table::beginning& b);
  void grant();
  void rests(const destination_rests& m);
  void noted(const attempt_noted& m);
  void follow(const follow_webhook& m);
  template <class Meant>
  void erase_followers(const Meant& meant);
  void gone(const caf::down_msg& m);
  void remove(std::uint64_t number);

  // The scan: leases that ran out, then what is due, a page at a time.
  void scan();
  void scan_later();
  void ask(ledger::request what);
  void on_ledger(ledger_told& m);
  void next_page(const ledger::due_page& page);

  caf::result<delivering_stopped> stop();
  void stop_if_over();
  wall_time wall() const;

  struct running {
    destination_handle who;
    std::string webhook, organization;
  };
  struct follower {
    std::uint64_t number;
    follower_handle who;
  };

  dispatch_parts parts_;
  due_table due_;
  places places_;
  std::unordered_map<std::uint64_t, running> running_;
  std::unordered_map<caf::actor_id, std::uint64_t> by_actor_;
  std::map<std::string, std::vector<follower>, std::less<>> followers_;  ///< by webhook
  std::unordered_set<caf::actor_id> known_followers_;
  std::uint64_t question_ = 0;  ///< the latest; 0: LEDGER is not being asked anything
  std::uint64_t last_question_ = 0;
  bool all_leases_;  ///< no matter when they run out
  bool scan_armed_ = false;
  std::uint64_t tick_ = 0;
  std::optional<wall_time> armed_;
  std::optional<caf::typed_response_promise<delivering_stopped>> stopping_;
};

}  // namespace gate::hooks

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::dispatch_tick)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::scan_time)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::patience_over)
