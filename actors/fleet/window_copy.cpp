#include "actors/fleet/window_copy.hpp"

#include "actors/guards/rate_limiter_actor.hpp"
#include "protocol/limits.hpp"

namespace gate::fleet {

admitted window_copy::on(const admit& m, const windows_told& told, time_point now) {
  lead_ = told.at - now;
  const auto& scopes = *m.scopes;
  for (std::size_t i = 0; i < scopes.size(); ++i) table_.know(scopes[i].key, told.each[i], told.at);
  admitted out{.number = m.number, .yes = !told.refused_by};
  if (const auto i = told.refused_by) {
    out.refused_by = scopes[*i].key.what;
    out.retry_after = told.each[*i].retry_after(scopes[*i].per_minute, told.at);
  }
  return out;
}

admitted window_copy::decide(const admit& m, time_point now) {
  return guards::admitted_by(table_, m, now + lead_);
}

admitted window_copy::look(const admit& m, time_point now) {
  const auto a = table_.look(*m.scopes, now + lead_);
  admitted out{.number = m.number, .yes = a.yes};
  if (!a.yes) {
    out.refused_by = (*m.scopes)[a.refused_by].key.what;
    out.retry_after = a.retry_after;
  }
  return out;
}

std::vector<window_use> window_copy::use(const rate_scopes_ptr& scopes, time_point now) const {
  if (!scopes) return {};
  return table_.use(*scopes, now + lead_);
}

void window_copy::note_all(time_point now) {
  untold_.clear();
  part all;
  const auto add = [&] {
    if (!all.empty()) untold_.add(std::move(all));
    all = {};
  };
  table_.for_each(now + lead_, [&](const scope_key& scope, const guards::sliding_window& window) {
    all.push_back(window_of(scope, window));
    if (all.size() >= limits::store_debts_at_once) add();
  });
  add();
}

}  // namespace gate::fleet
