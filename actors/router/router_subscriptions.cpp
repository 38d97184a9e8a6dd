// ROUTER: subscriptions that outlive what they were made in. ROUTER knows what its clients are
// subscribed to, and at which upstream; the bridged session there tells the server.
//
//   what they were made in                what is done
//   the bridged session lost its server   the session itself subscribes again
//   the bridged session crashed           at the next tick the client gets another one; what dies
//                                         of its subscriptions does so ever more rarely
//                                         (actors/sessions/renewals.hpp)
//   UPSTREAM crashed                      as soon as its successor runs, for all clients
//   the upstream has changed              its successor subscribes; what it has no longer is
//   forgotten
#include <algorithm>

#include "actors/router/router.hpp"
#include "protocol/json/scan.hpp"

namespace gate {

/// What was subscribed to at an upstream that has changed is subscribed to at its successor.
void router::move_subscriptions(const config::snapshot& before) {
  std::map<std::string_view, const config::compiled_upstream*> successors;
  for (const auto& u : before.upstreams)
    if (!snapshot_->at(u.index)) successors.emplace(u.id, snapshot_->find(u.id));
  if (successors.empty()) return;
  sessions_.for_each([&](const sessions::session_ptr& s) {
    std::map<const config::compiled_upstream*, std::vector<std::string>> moved;
    std::erase_if(s->subscriptions, [&](const auto& x) {
      const auto at = successors.find(x.second);
      if (at == successors.end()) return false;
      const auto* to = at->second;
      if (!to || !s->access->view->reaches(to->index)) return true;
      moved[to].push_back(json::quoted(x.first));
      return false;
    });
    for (auto& [to, uris] : moved) {
      if (!upstreams_[to->index]) continue;
      s->upstreams.add(to->index);
      send(upstreams_[to->index], subscribe_again{s->key, s->profile, std::move(uris),
                                                  to->per_caller ? s->access->caller : nullptr});
    }
  });
}

/// This upstream has forgotten all clients.
void router::note_unsubscribed(std::size_t upstream) {
  sessions_.for_each([&](const sessions::session_ptr& s) { note_unsubscribed(*s, upstream); });
}

/// This upstream has forgotten this client.
void router::note_unsubscribed(const sessions::client_session& s, std::size_t upstream) {
  const auto* at = snapshot_->at(upstream);
  if (at && std::ranges::any_of(s.subscriptions, [&](const auto& x) { return x.second == at->id; }))
    unsubscribed_.lost({s.key, upstream}, now());
}

void router::renew_subscriptions() {
  if (unsubscribed_.empty()) return;
  for (const auto& [client, upstream] : unsubscribed_.due(now())) {
    const auto s = sessions_.find_key(client);
    const auto* at = snapshot_->at(upstream);
    if (!s || !at || !s->access->view->reaches(upstream)) continue;
    if (!upstreams_[upstream]) continue;  // it has crashed itself; its successor will be told
    subscribe_again again{s->key, s->profile, {}, at->per_caller ? s->access->caller : nullptr};
    for (const auto& [uri, id] : s->subscriptions)
      if (id == at->id) again.uris.push_back(json::quoted(uri));
    if (again.uris.empty()) continue;
    s->upstreams.add(upstream);
    send(upstreams_[upstream], std::move(again));
  }
}

}  // namespace gate
