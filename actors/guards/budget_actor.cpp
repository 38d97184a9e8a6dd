#include "actors/guards/budget_actor.hpp"

#include "actors/guards/rate_limiter_actor.hpp"
#include "transport/log.hpp"

namespace gate::guards {

budget_actor::behavior_type budget_actor::make_behavior() {
  return {
      [this](const admit& m) {
        send(m.asker,
             m.scopes ? admitted_by(windows_, m, clock().now()) : admitted{.number = m.number});
      },
      [this](const charge& m) {
        charged out;
        out.number = m.number;
        if (m.scopes) {
          const auto& scopes = *m.scopes;
          out.at = wall_();
          const auto a = table_.charge(scopes, out.at);
          report(a, table_.size());
          if (!a.yes) {
            out.yes = false;
            out.scope = scopes[a.refused_by].key;
            out.used = a.used;
            out.limit = scopes[a.refused_by].upstream_calls;
            out.resets = a.resets;
          } else {
            out.paid = m.scopes;
          }
        }
        send(m.asker, std::move(out));
      },
      [this](const refund& m) {
        if (m.scopes) table_.refund(*m.scopes, m.at);
      },
      [this](const show_usage& m) -> usage_shown {
        usage_shown out;
        if (m.scopes) out.windows = windows_.use(*m.scopes, clock().now());
        if (m.costs)
          for (const auto& a : *m.costs) out.budgets.push_back(table_.use(a, wall_()));
        return out;
      },
  };
}

void report(const budget_table::answer& a, std::size_t size) {
  if (a.overflows)
    log::warn("More budgets are in use than can be counted: the others are not charged.",
              {{"counted", std::to_string(size)}});
  if (a.clock_went_back)
    log::warn(
        "The clock was set back, to before the period that budgets are charged to: that period "
        "goes on, and none is given twice.");
}

}  // namespace gate::guards
