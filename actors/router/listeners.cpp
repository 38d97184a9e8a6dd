#include "actors/router/listeners.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "actors/router/client_sessions.hpp"
#include "actors/router/client_streams.hpp"
#include "actors/router/subscription_upkeep.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/app_resources.hpp"

namespace gate::routing {

using sessions::client_session;

// --- they come and go ----------------------------------------------------------------------------

void listeners::begin(client_session& l,
                      const std::vector<std::pair<std::string, std::size_t>>& to) {
  auto& caller = *l.subscriber->caller;
  caller.visits->listeners.push_back(l.key);
  // What stands for it at upstreams listens as long as one of them does.
  profiles_.be_present(caller, true, false);
  std::map<std::size_t, std::vector<std::string>> asked;
  std::chrono::milliseconds patience{0};
  for (const auto& [uri, upstream] : to) {
    const auto* at = unit_.snapshot->at(upstream);
    if (!at || l.subscriptions.contains(uri) || !subscriptions_.allowed(l, upstream, uri) ||
        !sessions::room_for(caller.subscriptions, caller.subscribing, uri))
      continue;
    const bool fresh = take(l, uri, *at);
    if (fresh) asked[upstream].push_back(uri);
    if (!await(caller, uri)) continue;
    l.subscriber->awaited.insert(uri);
    patience = std::max(patience, at->request);
  }
  l.subscriber->until = unit_.now() + patience + limits::subscription_last_word;
  waiting_.insert(l.key);
  for (const auto& [upstream, uris] : asked)
    subscriptions_.subscribe(caller, *unit_.snapshot->at(upstream), uris);
  settle(l);
}

/// True: its server is to be told.
bool listeners::take(client_session& l, const std::string& uri,
                     const config::compiled_upstream& at) {
  auto& caller = *l.subscriber->caller;
  const auto made = caller.subscriptions.find(uri);
  const bool fresh = made == caller.subscriptions.end() || made->second != at.id;
  if (fresh && made != caller.subscriptions.end()) {
    // By now it is another upstream's, for those who have it already as well.
    leave(caller, made->second, {uri});
    for (const auto other : caller.visits->listeners) {
      const auto o = unit_.sessions.find_key(other);
      const auto its = o ? o->subscriptions.find(uri) : l.subscriptions.end();
      if (o && its != o->subscriptions.end()) its->second = at.id;
    }
  }
  caller.subscriptions.insert_or_assign(uri, at.id);
  l.subscriptions.emplace(uri, at.id);
  ++caller.visits->wanted[uri];
  if (fresh) caller.visits->unanswered.insert(uri);
  return fresh;
}

void listeners::end(client_session& l) {
  waiting_.erase(l.key);
  auto& caller = *l.subscriber->caller;
  std::erase(caller.visits->listeners, l.key);
  give_up(l, [](const auto&) { return true; });
  if (caller.visits->listeners.empty()) profiles_.be_present(caller, false, false);
}

void listeners::give_up(client_session& l, const which& gone) {
  auto& caller = *l.subscriber->caller;
  std::map<std::string, std::vector<std::string>> unwanted;
  l.end_subscriptions([&](const auto& x) {
    if (!gone(x)) return false;
    const auto count = caller.visits->wanted.find(x.first);
    if (count == caller.visits->wanted.end() || --count->second > 0) return true;
    caller.visits->wanted.erase(count);
    caller.visits->unanswered.erase(x.first);
    unwanted[x.second].push_back(x.first);
    return true;
  });
  for (const auto& [upstream, uris] : unwanted) {
    for (const auto& uri : uris) caller.end_subscription(uri);
    leave(caller, upstream, uris);
  }
  settle(l);
}

void listeners::leave(const client_session& caller, const std::string& upstream,
                      const std::vector<std::string>& uris) {
  const auto* at = unit_.snapshot->find(upstream);
  if (!at || !unit_.upstreams.there(at->index)) return;
  unsubscribe m{caller.key, {}};
  for (const auto& uri : uris) m.uris.push_back(quoted_own(*at, uri));
  unit_.upstreams.tell(at->index, std::move(m));
}

void listeners::lose(client_session& caller, const which& gone) {
  std::set<std::string, std::less<>> lost;
  caller.end_subscriptions([&](const auto& x) { return gone(x) && lost.insert(x.first).second; });
  if (lost.empty()) return;
  for (const auto& uri : lost) {
    caller.visits->wanted.erase(uri);
    caller.visits->unanswered.erase(uri);
  }
  for (const auto key : std::vector(caller.visits->listeners)) {
    const auto l = unit_.sessions.find_key(key);
    if (!l) continue;
    l->end_subscriptions([&](const auto& x) { return lost.contains(x.first); });
    settle(*l);
  }
}

// --- what is honoured ----------------------------------------------------------------------------

bool listeners::await(const client_session& caller, std::string_view uri) const {
  return caller.visits && caller.visits->unanswered.contains(uri);
}

/// It is acknowledged as soon as all is known.
void listeners::settle(client_session& l) {
  auto& awaited = l.subscriber->awaited;
  std::erase_if(awaited, [&](const auto& uri) { return !l.subscriptions.contains(uri); });
  if (!awaited.empty() || !waiting_.erase(l.key)) return;
  streams_.acknowledge(l);
  streams_.send_notices(l);
}

void listeners::on_subscribed(const subscribed& m) {
  const auto caller = unit_.sessions.find_key(m.client);
  const auto* at = unit_.snapshot->at(m.upstream);
  std::string uri;
  if (!caller || !caller->visits || !at || !json::unquote(m.uri, uri)) return;
  bool wanted = false;
  for (const auto& name : {std::optional(uri), mcp::minted_uri(at->space, uri)}) {
    const auto made = name ? caller->subscriptions.find(*name) : caller->subscriptions.end();
    if (made == caller->subscriptions.end() || made->second != at->id) continue;
    wanted = true;
    if (!m.agreed) {
      lose(*caller, [&](const auto& x) { return x.first == *name; });
      continue;
    }
    caller->visits->unanswered.erase(*name);
    for (const auto key : std::vector(caller->visits->listeners)) {
      const auto l = unit_.sessions.find_key(key);
      if (l && l->subscriber->awaited.erase(*name)) settle(*l);
    }
  }
  // While it was on its way, the last one left.
  if (!wanted && m.agreed && unit_.upstreams.there(m.upstream))
    unit_.upstreams.tell(m.upstream, unsubscribe{m.client, {m.uri}});
}

void listeners::tick(time_point t) {
  for (const auto key : std::vector(waiting_.begin(), waiting_.end())) {
    const auto l = unit_.sessions.find_key(key);
    if (!l || l->subscriber->until > t) continue;
    give_up(*l, [&](const auto& x) { return l->subscriber->awaited.contains(x.first); });
  }
}

// --- what they hear ------------------------------------------------------------------------------

void listeners::on_updated(const client_notification& m, const client_session& caller,
                           std::string_view uri) {
  const auto* from = unit_.snapshot->at(m.upstream);
  if (!from) return;
  for (const auto key : std::vector(caller.visits->listeners)) {
    const auto l = unit_.sessions.find_key(key);
    if (!l || !sessions::covers(l->subscriptions, uri, from->id) ||
        !subscriptions_.allowed(*l, m.upstream, uri))
      continue;
    l->notices.add_updated(m.updated, m.text);
    streams_.send_notices(*l);
  }
}

}  // namespace gate::routing
