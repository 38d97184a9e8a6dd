#include "transport/doors/ledger_actor.hpp"

#include <caf/send.hpp>
#include <utility>

namespace gate::doors {

ledger_actor::ledger_actor(caf::actor_config& cfg, std::unique_ptr<ledger::house> on)
    : ledger_handle::base(cfg), house_(std::move(on)) {}

ledger_actor::behavior_type ledger_actor::make_behavior() {
  return {
      [this](ask_ledger& m) {
        const bool waits = house_->ask(
            std::move(m.what), [asker = m.asker, number = m.number](ledger::answer said) {
              caf::anon_send(asker, ledger_told{number, std::move(said)});
            });
        if (waits) return;
        send(m.asker,
             ledger_told{m.number, ledger::refusal{ledger::refusal::reason::busy,
                                                   "too many requests wait for the storage; "
                                                   "try again in a moment"}});
      },
  };
}

void ledger_actor::on_exit() {
  house_.reset();
}

}  // namespace gate::doors
