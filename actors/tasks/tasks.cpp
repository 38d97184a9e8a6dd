#include "actors/tasks/tasks.hpp"

namespace gate::tasks {

tasks::behavior_type tasks::make_behavior() {
  return {
      [this](pin_task& m) {
        const auto now = clock().now();
        if (ledger_.pin(m.id, m.owner, m.where, now) == ledger::pinned::claimed)
          claims_.note(m.where.upstream, now);
      },
      [this](const find_tasks& m) {
        tasks_found out;
        out.findings.reserve(m.ids.size());
        for (const auto& id : m.ids)
          out.findings.push_back(ledger_.find(id, m.owner, clock().now()));
        return out;
      },
  };
}

}  // namespace gate::tasks
