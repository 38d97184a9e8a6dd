#include "actors/router/shared_sessions.hpp"

#include "actors/router/chain.hpp"
#include "actors/router/client_sessions.hpp"
#include "actors/router/followed_streams.hpp"
#include "actors/router/handed_calls.hpp"
#include "actors/router/lent_streams.hpp"
#include "actors/router/subscription_upkeep.hpp"
#include "protocol/limits.hpp"

namespace gate::routing {

using namespace pipeline;

shared_sessions::shared_sessions(unit& u, const fleet_settings& with, random_source random,
                                 fleet_peers peers, labelled<adoption> counts)
    : unit_(u),
      peers_(peers),
      line_(u.partners, with, std::move(random),
            {[this] {
               records_.read_all();
               departures_.tell();
             },
             [this](const auto& name, const auto& key) { miss(name, key); }}),
      words_(u, line_, *this, peers),
      records_(u, line_, words_, *this),
      looks_(u, line_, *this, peers, std::move(counts)),
      departures_(u, line_, *this) {}

// --- beginnings ----------------------------------------------------------------------------------

/// Numbers that others see begin anywhere: another instance has some of its own.
void shared_sessions::begin(sessions::client_session& s, session_bridges bridges,
                            std::set<std::string, std::less<>> others) {
  const auto first = line_.random_number() + 1;
  s.next_question = first;
  s.replay.number_from(first);
  auto profile = std::make_shared<client_profile>(*s.profile);
  profile->bridges = std::make_shared<const session_bridges>(std::move(bridges));
  s.profile = std::move(profile);
  s.shared = std::make_unique<sessions::shared_part>();
  s.shared->key = fleet::session_key(line_.digest(), s.id);
  s.shared->others = std::move(others);
  by_key_[s.shared->key] = s.key;
}

void shared_sessions::join(sessions::client_session& s) {
  words_.tell(s, {fleet::session_word::kind::joined});
  records_.write(s);
}

bool shared_sessions::share(fact<stage::guard>& c) {
  auto& s = *c->session;
  begin(s);
  s.shared->fresh = s.shared->unwritten.client = true;
  if (line_.about_to_be()) return share_later(c);
  // Else it is written down when the store is there.
  const auto number = write_first(s);
  if (number != 0) unit_.calls.put_aside(std::move(c), {partner::store, number});
  return number != 0;
}

/// Nothing can be sealed yet.
bool shared_sessions::share_later(fact<stage::guard>& c) {
  if (!line_.room_to_wait()) return false;
  const auto client = c->session->key;
  const auto waiting = unit_.calls.put_aside(std::move(c), {partner::store, 0});
  looks_.await_key([this, client, waiting](bool known) {
    const auto s = unit_.sessions.find_key(client);
    const auto number = known && s && s->shared ? write_first(*s) : 0;
    if (number == 0) return go_on_opening(unit_, waiting);
    if (unit_.calls.find(waiting)) unit_.calls.wait_for(waiting, {partner::store, number});
  });
  return true;
}

/// 0: the store is not there.
std::uint64_t shared_sessions::write_first(sessions::client_session& s) {
  return records_.write(s, [this](const store_told& m) {
    for (const auto waiting : unit_.calls.waiting_for(partner::store, m.id))
      go_on_opening(unit_, waiting);
  });
}

void shared_sessions::tick(time_point t) {
  line_.tick();
  departures_.tell();
  records_.tick(t);
}

void shared_sessions::level_changed(sessions::client_session& s) {
  records_.changed(s, {.level = true});
}

void shared_sessions::subscriptions_changed(sessions::client_session& s, std::string_view uri) {
  records_.changed(s, {.subscribed = {std::string(uri)}});
}

// --- ends ----------------------------------------------------------------------------------------

void shared_sessions::ended(sessions::client_session& s) {
  // What an instance has opened that is gone ends as well.
  for (const auto& [id, b] : *s.profile->bridges)
    if (const auto* at = unit_.snapshot->find(id); at && !s.upstreams.contains(at->index))
      peers_.subscriptions.subscribe(s, *at, {});
  words_.tell(s, {fleet::session_word::kind::ended});
  departures_.end(s.shared->key, records_.lasts(), s.shared->others);
  by_key_.erase(s.shared->key);
  s.shared.reset();
}

void shared_sessions::end_here(const sessions::session_ptr& s) {
  by_key_.erase(s->shared->key);
  s->shared.reset();
  peers_.sessions.end(s);
}

void shared_sessions::leave(sessions::client_session& s) {
  by_key_.erase(s.shared->key);
  departures_.leave(s);
}

// --- what happens here, and elsewhere ------------------------------------------------------------

void shared_sessions::set_bridge(sessions::client_session& s, const std::string& upstream,
                                 fleet::bridge b) {
  auto all = *s.profile->bridges;
  if (const auto at = all.find(upstream); at != all.end() && at->second == b) return;
  all.insert_or_assign(upstream, std::move(b));
  auto p = *s.profile;
  p.bridges = std::make_shared<const session_bridges>(std::move(all));
  peers_.sessions.change_profile(s, std::move(p));
}

void shared_sessions::on_bridge(const bridge_opened& m) {
  const auto s = unit_.sessions.find_key(m.client);
  const auto* of = unit_.snapshot->at(m.upstream);
  if (!s || !s->shared || !of) return;
  set_bridge(*s, of->id, m.bridge);
  s->shared->opened.insert_or_assign(of->id, unit_.now());
  records_.changed(*s, {.bridged = {of->id}});
  words_.tell(*s, {.what = fleet::session_word::kind::bridged,
                   .name = of->id,
                   .text = fleet::encode(m.bridge)});
}

void shared_sessions::listens(sessions::client_session& s) {
  words_.tell(s, {fleet::session_word::kind::listens});
  for (const auto& [id, b] : *s.profile->bridges) hear_upstream(s, id);
}

/// What it says outside of calls is to come here, where its client listens.
void shared_sessions::hear_upstream(sessions::client_session& s, const std::string& id) {
  const auto* at = unit_.snapshot->find(id);
  if (at && s.access->view->reaches(at->index) && !s.upstreams.contains(at->index))
    peers_.subscriptions.subscribe(s, *at, {});
}

sessions::session_ptr shared_sessions::find(const std::string& key) const {
  const auto at = by_key_.find(key);
  const auto s = at == by_key_.end() ? nullptr : unit_.sessions.find_key(at->second);
  return s && s->shared ? s : nullptr;
}

void shared_sessions::miss(const std::string& name, const std::string& key) {
  if (const auto s = find(key)) s->shared->others.erase(name);
}

void shared_sessions::on_heard(const store_heard& m) {
  const auto heard = line_.hear(m);
  if (!heard) return;
  using kind = fleet::session_word::kind;
  const auto& [from, w] = *heard;
  if (w.what == kind::streamed) return unit_.followed->hear(from, w);
  if (w.what == kind::follows) return unit_.lent->hear(from, w);
  if (w.session.empty()) return unit_.handed->hear(from, w);
  const auto s = find(w.session);
  if (w.what == kind::resumes) unit_.lent->lend(s, from, w);
  if (!s) return;
  if (s->shared->others.size() < limits::session_holders) s->shared->others.insert(heard->first);
  hear(s, heard->first, heard->second);
}

void shared_sessions::hear(const sessions::session_ptr& s, const std::string& from,
                           const fleet::session_word& w) {
  using kind = fleet::session_word::kind;
  if (w.what == kind::ended) return end_here(s);
  if (w.what == kind::joined) return tell_opened(*s, from);
  if (w.what == kind::changed) return records_.read_later(*s);
  if (w.what != kind::bridged) return words_.hear(s, w);
  if (auto b = fleet::read_bridge(w.text)) hear_bridge(*s, w.name, std::move(*b));
}

/// Whoever has just joined may have looked before that was written down.
void shared_sessions::tell_opened(sessions::client_session& s, const std::string& to) {
  std::erase_if(s.shared->opened, [this](const auto& one) {
    return one.second + limits::session_joining <= unit_.now();
  });
  for (const auto& [upstream, when] : s.shared->opened)
    if (const auto b = s.profile->bridges->find(upstream); b != s.profile->bridges->end())
      line_.say(to, {.what = fleet::session_word::kind::bridged,
                     .session = s.shared->key,
                     .name = upstream,
                     .text = fleet::encode(b->second)});
}

void shared_sessions::hear_bridge(sessions::client_session& s, const std::string& upstream,
                                  fleet::bridge b) {
  if (s.profile->bridges->size() >= limits::upstreams || !unit_.snapshot->find(upstream)) return;
  set_bridge(s, upstream, std::move(b));
  if (s.profile->listening) hear_upstream(s, upstream);
}

void shared_sessions::be_as(sessions::client_session& s, fleet::found_session found) {
  const auto& mine = s.shared->unwritten;
  meet(s, std::move(found.holders));
  if (!mine.level && found.log_level != s.profile->log_level) {
    auto p = *s.profile;
    p.log_level = std::move(found.log_level);
    peers_.sessions.change_profile(s, std::move(p));
  }
  for (auto& [upstream, b] : found.bridges)
    if (!mine.bridged.contains(upstream)) hear_bridge(s, upstream, std::move(b));
  s.end_subscriptions([&](const auto& x) {
    return !found.subscriptions.contains(x.first) && !mine.subscribed.contains(x.first);
  });
  for (const auto& [uri, upstream] : found.subscriptions)
    if (!mine.subscribed.contains(uri) && unit_.snapshot->find(upstream) &&
        sessions::room_for(s.subscriptions, s.subscribing, uri))
      s.subscriptions.insert_or_assign(uri, upstream);
  peers_.subscriptions.judge(s);
}

/// Whoever may not know of this instance is told.
void shared_sessions::meet(sessions::client_session& s, fleet::instances holders) {
  holders.erase(line_.name());
  const bool unmet = std::exchange(s.shared->unmet, false);
  const auto known = std::exchange(s.shared->others, std::move(holders));
  for (const auto& other : s.shared->others)
    if (unmet || !known.contains(other))
      line_.say(other, {.what = fleet::session_word::kind::joined, .session = s.shared->key});
}

}  // namespace gate::routing
