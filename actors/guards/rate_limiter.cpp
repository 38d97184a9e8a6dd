#include "actors/guards/rate_limiter.hpp"

#include "transport/log.hpp"

namespace gate::guards {

rate_limiter::behavior_type rate_limiter::make_behavior() {
  return {
      [this](const admit& m) {
        if (!m.scopes) return send(m.asker, admitted{.number = m.number});
        const auto& scopes = *m.scopes;
        const auto a = table_.admit(scopes, clock().now());
        if (a.overflows)
          log::warn(
              "More principals are active than can be counted: the others come in without a limit "
              "of their own until there are fewer.",
              {{"counted", std::to_string(table_.size())}});
        admitted out{.number = m.number, .yes = a.yes};
        if (!a.yes) {
          out.refused_by = scopes[a.refused_by].key.what;
          out.retry_after = a.retry_after;
        }
        send(m.asker, out);
      },
  };
}

}  // namespace gate::guards
