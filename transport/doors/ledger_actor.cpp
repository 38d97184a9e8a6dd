#include "transport/doors/ledger_actor.hpp"

#include <caf/send.hpp>
#include <utility>

namespace gate::doors {

ledger_actor::ledger_actor(caf::actor_config& cfg, std::unique_ptr<ledger::writer> on)
    : ledger_handle::base(cfg), writer_(std::move(on)) {}

ledger_actor::behavior_type ledger_actor::make_behavior() {
  return {
      [this](ask_ledger& m) {
        const bool waits = writer_->ask(
            std::move(m.what), [asker = m.asker, number = m.number](ledger::answer said) {
              caf::anon_send(asker, ledger_told{number, std::move(said)});
            });
        if (waits) return;
        send(m.asker, ledger_told{m.number, ledger::refusal{ledger::refusal::reason::busy,
                                                            "too many requests wait for the disk; "
                                                            "try again in a moment"}});
      },
  };
}

void ledger_actor::on_exit() {
  writer_.reset();
}

}  // namespace gate::doors
