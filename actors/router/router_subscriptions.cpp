// ROUTER: what clients are subscribed to, and which resources results have named to them. ROUTER
// knows at which upstream; the bridged session there tells the server. A subscription lasts as long
// as the right to make it, and outlives what it was made in:
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
#include "protocol/limits.hpp"
#include "protocol/mcp/resource_links.hpp"
#include "protocol/mcp/uri_path.hpp"

namespace gate {

using namespace pipeline;

// --- what results say ----------------------------------------------------------------------------

void router::note_result(call& c) {
  note_subscription(c);
  const auto& method = c.method->name;
  if (method != "tools/call" && method != "prompts/get" && method != "tasks/result") return;
  // Of an upstream without resources there is nothing to read.
  if (snapshot_->passthrough || !met_[c.upstream->index].features.has(mcp::feature::resources))
    return;
  if (!mcp::may_name_resources(c.result)) return;
  mcp::named_resources(c.result, [&](std::string_view raw) {
    std::string uri;
    if (raw.size() > limits::uri_bytes || !json::unquote(raw, uri)) return;
    sessions_.named_to(*c.session).add(uri, c.upstream->id, [&](auto a, auto b) {
      return snapshot_->place_of(a) < snapshot_->place_of(b);
    });
  });
}

/// Who is to be told when the client no longer wants it.
void router::note_subscription(const call& c) {
  auto& s = *c.session;
  const auto* at = snapshot_->find(c.upstream->id);
  if (c.method->name == "resources/subscribe" && at) {
    s.subscriptions.insert_or_assign(c.uri, at->id);
    // While it was made, the right may have been lost, or another have taken the upstream's place.
    if (!may_subscribe(s, at->index, c.uri))
      give_up_subscription(s, at->index, c.uri);
    else if (at->index != c.upstream->index)
      unsubscribed_.lost({s.key, at->index}, now());
  }
  if (c.method->name == "resources/unsubscribe") s.end_subscription(c.uri);
}

// --- rights --------------------------------------------------------------------------------------

bool router::may_subscribe(const sessions::client_session& s, std::size_t upstream,
                           std::string_view uri) const {
  return s.access->view->judge(upstream, "resources/subscribe", mcp::judged_uri(uri)).allowed;
}

/// Subscribed to it, or about to be: updates may come before the answer.
bool router::awaits_update(const sessions::client_session& s, std::size_t upstream,
                           std::string_view uri) const {
  const auto* from = snapshot_->at(upstream);
  if (from && sessions::covers(s.subscriptions, uri, from->id)) return true;
  return std::ranges::any_of(s.calls, [&](const auto& x) {
    const auto* c = calls_.find(x.second);
    return c && c->course == course::upstream && c->upstream->index == upstream &&
           c->method->name == "resources/subscribe" && sessions::lies_in(uri, c->uri);
  });
}

/// The client may do less than before, or other things.
void router::judge_subscriptions(sessions::client_session& s) {
  std::map<std::size_t, std::vector<std::string>> lost;
  s.end_subscriptions([&](const auto& x) {
    const auto* at = snapshot_->find(x.second);
    if (!at || may_subscribe(s, at->index, x.first)) return false;
    lost[at->index].push_back(json::quoted(x.first));
    return true;
  });
  for (auto& [upstream, uris] : lost)
    if (upstreams_[upstream]) send(upstreams_[upstream], unsubscribe{s.key, std::move(uris)});
}

void router::give_up_subscription(sessions::client_session& s, std::size_t upstream,
                                  const std::string& uri) {
  s.end_subscription(uri);
  if (upstreams_[upstream]) send(upstreams_[upstream], unsubscribe{s.key, {json::quoted(uri)}});
}

// --- when what they were made in is gone ---------------------------------------------------------

/// What was subscribed to at an upstream that has changed is subscribed to at its successor.
void router::move_subscriptions(const config::snapshot& before) {
  std::map<std::string_view, const config::compiled_upstream*> successors;
  for (const auto& u : before.upstreams)
    if (!snapshot_->at(u.index)) successors.emplace(u.id, snapshot_->find(u.id));
  if (successors.empty()) return;
  sessions_.for_each([&](const sessions::session_ptr& s) {
    std::map<const config::compiled_upstream*, std::vector<std::string>> moved;
    s->end_subscriptions([&](const auto& x) {
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
