#pragma once
/// ONCE LEDGER: what may be used once. Without a store its own ledger decides. With one the store
/// does, for the whole fleet, and the ledger is a copy of what this instance has heard: what it
/// knows is not asked for again, and while the store is away it decides. What it let pass meanwhile
/// the store is told when it returns; all that it knows, if that has lost its data.
///
/// How many there may be a minute the store is asked for before; what was known already is given
/// back, so that nobody takes the tokens of others by asking in vain. While the store is away the
/// window here goes on from what it said last: what was exhausted stays so. Spawned and supervised
/// by GATEWAY; asked by MINT, asks STORE.
#include <caf/typed_event_based_actor.hpp>
#include <deque>
#include <unordered_map>

#include "actors/fleet/once_ledger.hpp"
#include "actors/fleet/shared_windows.hpp"
#include "actors/fleet/untold.hpp"
#include "actors/guards/sliding_window.hpp"
#include "actors/interfaces.hpp"
#include "protocol/base/sha256.hpp"
#include "transport/pinned.hpp"

namespace gate::fleet {

class once_actor final : public pinned<once_handle::base> {
 public:
  /// `store` null: nothing is shared.
  once_actor(caf::actor_config& cfg, caf::execution_unit* unit, store_handle store);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::once); }

 private:
  using promise = caf::typed_response_promise<used_once>;
  using time_point = once_ledger::time_point;
  struct request {
    std::string key;  ///< as the ledger and the store have it
    time_point until;
    /// Nothing: nobody waits, the store is told of what was decided here.
    std::optional<promise> who;
    std::int64_t per_minute = 0;
    bool of_window = false;                  ///< asked is whether there is room
    std::optional<time_point> counted_at{};  ///< when the store said so, by its clock
  };

  caf::result<used_once> use(const use_once& m);
  void ask(request a);
  void ask_for_room(request a);
  void on_room(request a, const store_told& m);
  void give_back(const request& a);
  void on_told(const store_told& m);
  void answer(request a, const store_told& m);
  /// By what this instance knows alone.
  used_once decide(const request& a);
  void pay_debts();
  /// The store has lost what it had.
  void owe_all();
  void tell_window();

  store_handle store_;
  once_ledger ledger_;
  sha256 digest_;
  guards::sliding_window window_;  ///< by the store's time
  time_point::duration lead_{0};   ///< of the store's clock
  untold<known_window> tokens_;    ///< that window, if the store has lost it
  std::unordered_map<std::uint64_t, request> asked_;
  std::deque<request> debts_;  ///< never more than the ledger has records
  std::size_t paying_ = 0;     ///< debts that the store was told of, and has not answered
  std::uint64_t next_ = 1;
  bool alone_ = false;  ///< the log has said that this instance decides by itself
};

}  // namespace gate::fleet
