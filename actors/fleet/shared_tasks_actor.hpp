#pragma once
/// SHARED TASKS: TASKS of a gateway whose fleet has a store. Its own ledger says which tasks are
/// the caller's, if these were minted here or it has heard of them; the store is asked for all
/// others, and what that says the ledger learns. The store is told of each task that is minted, and
/// nobody waits for that: whoever asks elsewhere before it has heard finds the task as everybody
/// does that is not known, at the upstreams. If the store says that a task was somebody else's
/// before, it stays theirs; until it has answered, whoever asks for the task here waits for it.
///
/// While the store is away the ledger alone decides; what was minted meanwhile the store is told
/// when it returns, and all that is known here, if it has lost its data. Spawned and supervised by
/// GATEWAY in the place of TASKS; asked by ROUTERs, asks STORE of the first unit. If it crashes,
/// the store still knows.
#include <caf/typed_event_based_actor.hpp>
#include <deque>
#include <unordered_map>
#include <vector>

#include "actors/fleet/shared_owners.hpp"
#include "actors/interfaces.hpp"
#include "actors/tasks/claims.hpp"
#include "actors/tasks/ledger.hpp"
#include "actors/tasks/mintings.hpp"
#include "transport/pinned.hpp"

namespace gate::fleet {

using shared_tasks_handle = store_asker::extend_with<store_watcher>::extend_with<tasks_handle>;

class shared_tasks_actor final : public pinned<shared_tasks_handle::base> {
 public:
  /// `instance`: what no other one is called; it stands before the sessions of this one.
  shared_tasks_actor(caf::actor_config& cfg, caf::execution_unit* unit, store_handle store,
                     std::string instance);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::tasks); }

 private:
  using time_point = tasks::time_point;
  using promise = caf::typed_response_promise<tasks_found>;
  /// A task that was minted here, which the store is to be told.
  struct claim {
    std::string id;
    std::uint64_t owner = 0;
    tasks::place where;
    time_point minted;
    trace::trace_id trace{};  ///< as in `pin_task`
    bool debt = false;        ///< it has waited for the store to return
  };
  /// Somebody's question, and what the store is asked for it.
  struct search {
    find_tasks what;
    promise who;
    std::vector<std::string> unknown;  ///< to be asked for yet
    std::size_t open = 0;              ///< asked for, and not answered
  };
  struct look {
    std::uint64_t search = 0;
    std::string id;
  };

  void pin(pin_task& m);
  void tell(claim c);
  void owe(claim c);
  void pay_debts();
  /// The store has lost what it had.
  void owe_all();
  void on_claimed(claim c, const store_told& m);

  caf::result<tasks_found> find(const find_tasks& m);
  /// The next ones; false: there is nothing left to wait for.
  bool ask(std::uint64_t number, search& s);
  void on_looked(const look& l, const store_told& m);
  void on_told(const store_told& m);
  tasks_found known(const find_tasks& m);
  std::string session_of(const tasks::place& where) const;
  tasks::place place_of(const task_owner& o) const;

  store_handle store_;
  std::string instance_;
  tasks::ledger ledger_;
  tasks::claims claims_;
  tasks::mintings mintings_;  ///< of this instance's calls
  sha256 digest_;
  std::unordered_map<std::uint64_t, claim> claiming_;
  std::unordered_map<std::string, std::size_t> in_doubt_;  ///< ids that are being claimed
  std::unordered_map<std::uint64_t, look> looks_;
  std::unordered_map<std::uint64_t, search> searches_;
  std::deque<claim> debts_;
  std::size_t paying_ = 0;  ///< debts that the store was told of, and has not answered
  std::uint64_t next_ = 1;
  bool here_ = false;
};

}  // namespace gate::fleet
