#include "actors/router/session_search.hpp"

#include <algorithm>
#include <map>

#include "actors/router/chain.hpp"
#include "actors/router/client_sessions.hpp"
#include "actors/router/shared_sessions.hpp"
#include "actors/router/subscription_upkeep.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/session_id.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::routing {

using namespace pipeline;

// --- ids that are in no record -------------------------------------------------------------------

bool unknown_ids::contains(const std::string& id, time_point now) {
  for (; !in_order_.empty() && in_order_.front().first <= now; in_order_.pop_front())
    all_.erase(in_order_.front().second);
  return all_.contains(id);
}

void unknown_ids::add(const std::string& id, time_point now) {
  if (!all_.insert(id).second) return;
  in_order_.emplace_back(now + limits::session_unknown, id);
  if (in_order_.size() <= limits::sessions_unknown) return;
  all_.erase(in_order_.front().second);
  in_order_.pop_front();
}

// --- looks ---------------------------------------------------------------------------------------

session_search::search session_search::seek(fact<stage::rate_limit>& c) {
  const std::string id(c->request().head->session_id);
  if (!mcp::unit_of(id) || unknown_.contains(id, unit_.now())) return search::vain;
  if (!line_.ready()) return wait_for_key(c);
  const auto key = fleet::session_key(line_.digest(), id);
  auto at = sought_.find(key);
  if (at == sought_.end()) {
    if (sought_.size() >= limits::sessions_sought) return search::busy;
    const auto number = line_.ask(fleet::look_for_session(0, key, line_.name(), all_.alive()),
                                  [this, id, key](const store_told& m) { on_found(id, key, m); });
    at = sought_.emplace(key, number).first;
  }
  c->sought = true;
  unit_.calls.put_aside(std::move(c), {partner::store, at->second});
  return search::waits;
}

/// Nothing is known of a session that can not be opened.
session_search::search session_search::wait_for_key(fact<stage::rate_limit>& c) {
  const bool soon = line_.about_to_be();
  if (!soon) counts_[adoption::away].add();
  if (!soon && !line_.unsure()) return search::vain;  // the store is away
  const auto number = unit_.calls.put_aside(std::move(c), {partner::store, 0});
  const bool waits = soon && await_key([this, number](bool known) {
                       // (Where it was refused, that is counted by the way.)
                       if (known || line_.refused()) return go_on_seeking(unit_, number);
                       counts_[adoption::away].add();
                       refuse(number);
                     });
  if (!waits) refuse(number);
  return search::waits;
}

bool session_search::await_key(std::function<void(bool)> then) {
  const bool first = !line_.awaited();
  if (!line_.await_key(std::move(then))) return false;
  if (first) unit_.time.wake(timer::fleet_key, limits::store_operation);
  return true;
}

void session_search::on_found(const std::string& id, const std::string& key, const store_told& m) {
  sought_.erase(key);
  const auto waiting = unit_.calls.waiting_for(partner::store, m.id);
  auto outcome = adoption::away;
  bool late = is_late(m.outcome);
  if (m.outcome == store_outcome::ok && m.reply && line_.ready()) {
    using state = fleet::found_session::state;
    auto found = fleet::read_found(m.reply->root(), key, line_.vault());
    const bool none = found.what == state::none || found.what == state::ended;
    outcome = none                          ? adoption::unknown
              : found.what == state::broken ? adoption::broken
                                            : take_up(waiting, id, std::move(found));
    // It may have been sealed by a key that is yet to be heard of.
    late = outcome == adoption::broken && line_.unsure();
    if (outcome == adoption::unknown || (outcome == adoption::broken && !late))
      unknown_.add(id, unit_.now());
  }
  // Who looks is taken for one that holds it, and an answer that does not come is none. (What was
  // not sent is no look.)
  const bool looked = m.outcome != store_outcome::away && m.outcome != store_outcome::overloaded;
  if (outcome != adoption::unknown && looked && !unit_.sessions.knows(id))
    all_.departures().forget(key);
  counts_[outcome].add();
  for (const auto number : waiting) late ? refuse(number) : go_on_seeking(unit_, number);
}

/// It may well be there: its client is not to give it up.
void session_search::refuse(std::uint64_t number) {
  if (auto c = unit_.calls.end(number))
    exit_stage::refuse({std::move(c),
                        {reason::overloaded, "the shared store did not answer in time", {}, -1},
                        std::string(http::retry_soon)},
                       unit_.desk);
}

bool session_search::owns(call& c, const fleet::session_record& r) const {
  const auto* who = c.access()->who();
  return r.owner ==
         (who ? fleet::owner_digest(line_.digest(), who->issuer, who->subject) : sha256_digest{});
}

/// For the first of those who wait for it that owns it.
adoption session_search::take_up(const std::vector<std::uint64_t>& waiting, const std::string& id,
                                 fleet::found_session found) {
  const auto owner = std::ranges::find_if(waiting, [&](std::uint64_t number) {
    auto* c = unit_.calls.find(number);
    return c && owns(*c, found.record);
  });
  if (owner == waiting.end() || unit_.sessions.knows(id)) return adoption::foreign;
  auto* c = unit_.calls.find(*owner);
  const auto s = peers_.sessions.take_up(id, c->access(), c->from->peer());
  if (!s) return adoption::full;
  fill(*s, std::move(found));
  all_.join(*s);
  subscribe_again(*s);
  return adoption::adopted;
}

void session_search::fill(sessions::client_session& s, fleet::found_session found) {
  const auto& r = found.record;
  s.version = mcp::negotiate(r.version);
  s.lists_as = peers_.sessions.admit(mcp::read_profile(r.capabilities));
  s.listed.set();  // nobody knows: it is told of all that change
  auto profile = std::make_shared<client_profile>(*s.profile);
  profile->capabilities = r.capabilities;
  profile->log_level = found.log_level;
  s.profile = std::move(profile);
  found.holders.erase(line_.name());
  all_.begin(s, std::move(found.bridges), std::move(found.holders));
  for (const auto& [uri, upstream] : found.subscriptions)
    if (unit_.snapshot->find(upstream) && sessions::room_for(s.subscriptions, s.subscribing, uri))
      s.subscriptions.emplace(uri, upstream);
  peers_.subscriptions.judge(s);
}

/// What its servers tell is to come here from now on.
void session_search::subscribe_again(sessions::client_session& s) {
  std::map<std::string_view, std::vector<std::string>> by_upstream;
  for (const auto& [uri, upstream] : s.subscriptions) by_upstream[upstream].push_back(uri);
  for (const auto& [upstream, uris] : by_upstream)
    if (const auto* at = unit_.snapshot->find(upstream); at && s.access->view->reaches(at->index))
      peers_.subscriptions.subscribe(s, *at, uris);
}

}  // namespace gate::routing
