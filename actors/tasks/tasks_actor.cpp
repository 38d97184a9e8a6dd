#include "actors/tasks/tasks_actor.hpp"

namespace gate::tasks {

tasks_actor::behavior_type tasks_actor::make_behavior() {
  return {
      [this](pin_task& m) {
        const auto now = clock().now();
        if (ledger_.pin(m.id, m.owner, m.where, now) == ledger::pinned::claimed)
          claims_.note(m.where.upstream, m.trace, now);
      },
      [this](const note_minting& m) { mintings_.note(m.upstream, m.owner, m.what, clock().now()); },
      [this](const find_tasks& m) {
        const auto now = clock().now();
        tasks_found out{{}, mintings_.of_others(m.owner, now)};
        out.findings.reserve(m.ids.size());
        for (const auto& id : m.ids) out.findings.push_back(ledger_.find(id, m.owner, now));
        return out;
      },
  };
}

}  // namespace gate::tasks
