#include "actors/router/session_departures.hpp"

#include "actors/router/shared_sessions.hpp"

namespace gate::routing {

session_departures::session_departures(unit& u, fleet_line& line, shared_sessions& all)
    : unit_(u),
      line_(line),
      all_(all),
      loose_(
          u, line, [&all](const std::string& key) { return all.holds(key); },
          [&all](const std::string& key) { return all.looks().seeks(key); }) {}

void session_departures::leave(sessions::client_session& s) {
  const auto key = s.shared->key;
  const departed d{s.key, s.upstreams, s.profile, s.access};
  auto question = fleet::release_session(0, key, line_.name(), all_.alive());
  if (line_.ready()) {
    line_.ask(std::move(question), [this, d, key](const store_told& m) {
      if (!is_last(d, key, m)) leave_quietly(d);
    });
    return;
  }
  leave_quietly(d);
  const auto settle = [this, d, key](const store_told& m) { is_last(d, key, m); };
  loose_.leave(key, std::move(question), settle, {});
}

/// Others go on with what upstreams have open for it.
void session_departures::leave_quietly(const departed& d) {
  for (const auto index : d.used)
    if (unit_.upstreams.there(index))
      unit_.upstreams.tell(index, client_ended{d.client, false, true});
}

/// Then it has ended. Else it is asked once more, unless somebody holds it.
bool session_departures::is_last(departed d, const std::string& key, const store_told& m) {
  using state = fleet::released::state;
  auto what = fleet::read_released(m, key, line_.vault());
  if (what.what == state::last) end_at_upstreams(d, std::move(what.open));
  if (what.what == state::last || what.what == state::held) return what.what == state::last;
  if (what.what != state::unknown) d.missing = what.what == state::missing;
  auto question = fleet::release_session(0, key, line_.name(), all_.alive(), d.missing);
  const auto settle = [this, d, key](const store_told& told) { is_last(d, key, told); };
  loose_.leave(key, std::move(question), settle, what.wait);
  return false;
}

/// What is known here, and what else is in the record: what an instance has opened that is gone, or
/// that had opened one for itself.
void session_departures::end_at_upstreams(const departed& d, session_bridges open) {
  end_those(d, d.profile);
  std::erase_if(open, [&](const auto& one) {
    const auto known = d.profile->bridges->find(one.first);
    return known != d.profile->bridges->end() && known->second == one.second;
  });
  if (!open.empty()) {
    auto rest = *d.profile;
    ++rest.version;
    rest.bridges = std::make_shared<const session_bridges>(std::move(open));
    end_those(d, std::make_shared<const client_profile>(std::move(rest)));
  }
  for (const auto index : d.used)
    if (unit_.upstreams.there(index)) unit_.upstreams.tell(index, client_ended{d.client});
}

/// A session takes each up, and ends it.
void session_departures::end_those(const departed& d, const profile_ptr& open) {
  for (const auto& [id, b] : *open->bridges)
    if (const auto* at = unit_.snapshot->find(id); at && unit_.upstreams.there(at->index)) {
      unit_.upstreams.tell(
          at->index, subscribe_again{d.client, open, {}, at->per_caller ? d.who->caller : nullptr});
      unit_.upstreams.tell(at->index, client_ended{d.client});
    }
}

}  // namespace gate::routing
