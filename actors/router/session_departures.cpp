#include "actors/router/session_departures.hpp"

#include "actors/pipeline/one_way.hpp"
#include "actors/router/shared_sessions.hpp"

namespace gate::routing {

using namespace pipeline;

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

void session_departures::end(const std::string& key, std::chrono::milliseconds known,
                             names others) {
  if (!line_.ready()) return end_later(key, known, std::move(others));
  ending_[key] = line_.ask(fleet::end_session(0, key, known),
                           [this, key, known, others = std::move(others)](const store_told& m) {
                             ending_.erase(key);
                             const bool told = m.outcome == store_outcome::ok;
                             if (!told) end_later(key, known, others);
                             for (const auto number : unit_.calls.waiting_for(partner::store, m.id))
                               if (auto c = unit_.calls.end(number))
                                 end_farewell(std::move(c), told, unit_.desk);
                           });
}

/// The others have not heard of it, or have looked before it stood there.
void session_departures::end_later(const std::string& key, std::chrono::milliseconds known,
                                   names others) {
  auto settle = [this, key, others = std::move(others)](const store_told&) {
    for (const auto& other : others)
      line_.say(other, {.what = fleet::session_word::kind::ended, .session = key});
  };
  loose_.leave(key, fleet::end_session(0, key, known), std::move(settle), {});
}

void session_departures::await_end(const std::string& key, fact<stage::guard>& c) {
  const auto at = ending_.find(key);
  const auto number =
      unit_.calls.put_aside(std::move(c), {partner::store, at == ending_.end() ? 0 : at->second});
  if (at == ending_.end()) end_farewell(unit_.calls.end(number), false, unit_.desk);
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
