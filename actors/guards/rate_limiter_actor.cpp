#include "actors/guards/rate_limiter_actor.hpp"

#include "transport/log.hpp"

namespace gate::guards {

admitted admitted_by(rate_table& table, const admit& question, rate_table::time_point now) {
  const auto& scopes = *question.scopes;
  const auto a = table.admit(scopes, now);
  if (a.overflows)
    log::warn(
        "More principals are active than can be counted: the others come in without a limit "
        "of their own until there are fewer.",
        {{"counted", std::to_string(table.size())}});
  admitted out{.number = question.number, .yes = a.yes};
  if (!a.yes) {
    out.refused_by = scopes[a.refused_by].key.what;
    out.retry_after = a.retry_after;
  }
  return out;
}

rate_limiter_actor::behavior_type rate_limiter_actor::make_behavior() {
  return {
      [this](const admit& m) {
        send(m.asker,
             m.scopes ? admitted_by(table_, m, clock().now()) : admitted{.number = m.number});
      },
      [this](const show_usage& m) -> usage_shown {
        return m.scopes ? usage_shown{table_.use(*m.scopes, clock().now()), {}} : usage_shown{};
      },
  };
}

}  // namespace gate::guards
