#include "actors/tasks/tasks.hpp"

#include <utility>

#include "protocol/limits.hpp"
#include "transport/log.hpp"

namespace gate::tasks {

tasks::behavior_type tasks::make_behavior() {
  return {
      [this](pin_task& m) {
        const auto now = clock().now();
        if (ledger_.pin(m.id, m.owner, m.where, now) == ledger::pinned::yes) return;
        ++claims_;
        if (now < claims_told_at_) return;
        claims_told_at_ = now + limits::task_claims_logged;
        log::warn("A result claims a task that is somebody else's; it stays theirs.",
                  {{"upstream", m.where.upstream},
                   {"claims", std::to_string(std::exchange(claims_, 0))}});
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
