#include "actors/tasks/tasks.hpp"

#include "transport/log.hpp"

namespace gate::tasks {

tasks::behavior_type tasks::make_behavior() {
  return {
      [this](pin_task& m) {
        if (ledger_.pin(m.id, m.owner, m.where, clock().now())) return;
        log::warn("Too many tasks are remembered; a new one can be asked for by everybody.",
                  {{"upstream", m.where.upstream}});
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
