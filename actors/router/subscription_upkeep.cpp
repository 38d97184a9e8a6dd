#include "actors/router/subscription_upkeep.hpp"

#include <algorithm>

#include "actors/router/client_streams.hpp"
#include "actors/router/introductions.hpp"
#include "actors/router/shared_sessions.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/app_resources.hpp"
#include "protocol/mcp/resource_links.hpp"
#include "protocol/mcp/uri_path.hpp"

namespace gate::routing {

using namespace pipeline;

std::string quoted_own(const config::compiled_upstream& u, std::string_view uri) {
  return json::quoted(mcp::own_uri(u.space, uri));
}

namespace {

/// An update (the notification's text) of a resource that has another name in the federation.
std::string renamed(std::string text, std::string_view name) {
  const auto raw = json::member(json::member(text, "params"), "uri");
  if (raw.empty()) return text;
  const auto at = static_cast<std::size_t>(raw.data() - text.data());
  return text.replace(at, raw.size(), json::quoted(name));
}

}  // namespace

// --- what results say ----------------------------------------------------------------------------

void subscription_upkeep::note_result(call& c) {
  note_subscription(c);
  if (!c.method->names_resources) return;
  // Of an upstream without resources there is nothing to read.
  if (unit_.snapshot->passthrough || !met_.features(c.upstream->index).has(mcp::feature::resources))
    return;
  if (!mcp::may_name_resources(c.result)) return;
  mcp::named_resources(c.result, [&](std::string_view raw) {
    std::string uri;
    if (raw.size() > limits::uri_bytes || !json::unquote(raw, uri)) return;
    unit_.sessions.named_to(*c.session).add(uri, c.upstream->id, [&](auto a, auto b) {
      return unit_.snapshot->place_of(a) < unit_.snapshot->place_of(b);
    });
  });
}

/// Who is to be told when the client no longer wants it.
void subscription_upkeep::note_subscription(const call& c) {
  auto& s = *c.session;
  const auto* at = unit_.snapshot->find(c.upstream->id);
  if (c.method->subscribing == mcp::subscribing::begins && at) {
    s.subscriptions.insert_or_assign(c.uri, at->id);
    // While it was made, the right may have been lost, or another have taken the upstream's place.
    if (!allowed(s, at->index, c.uri))
      give_up(s, at->index, c.uri);
    else if (at->index != c.upstream->index)
      unsubscribed_.lost({s.key, at->index}, unit_.now());
  }
  if (c.method->subscribing == mcp::subscribing::ends) s.end_subscription(c.uri);
  if (s.shared && c.method->subscribing != mcp::subscribing::nothing)
    unit_.fleet->subscriptions_changed(s, c.uri);
}

void subscription_upkeep::subscribe(sessions::client_session& s,
                                    const config::compiled_upstream& at,
                                    const std::vector<std::string>& uris) {
  if (!unit_.upstreams.there(at.index)) return;  // its successor will be told
  subscribe_again m{s.key, s.profile, {}, at.per_caller ? s.access->caller : nullptr};
  for (const auto& uri : uris)
    (listeners_.await(s, uri) ? m.awaited : m.uris).push_back(quoted_own(at, uri));
  s.upstreams.add(at.index);
  unit_.upstreams.tell(at.index, std::move(m));
}

// --- rights --------------------------------------------------------------------------------------

bool subscription_upkeep::allowed(const sessions::client_session& s, std::size_t upstream,
                                  std::string_view uri) const {
  const auto* of = unit_.snapshot->at(upstream);
  const auto own = of ? mcp::own_uri(of->space, uri) : std::string(uri);
  return s.access->view->judge(upstream, mcp::names::subscribe, mcp::judged_uri(own)).allowed;
}

/// Subscribed to it, or about to be: updates may come before the answer.
bool subscription_upkeep::awaits_update(const sessions::client_session& s, std::size_t upstream,
                                        std::string_view uri) const {
  const auto* from = unit_.snapshot->at(upstream);
  if (from && sessions::covers(s.subscriptions, uri, from->id)) return true;
  return std::ranges::any_of(s.calls, [&](const auto& x) {
    const auto* c = unit_.calls.find(x.second);
    return c && c->route == route::upstream && c->upstream->index == upstream &&
           c->method->subscribing == mcp::subscribing::begins && sessions::lies_in(uri, c->uri);
  });
}

void subscription_upkeep::judge(sessions::client_session& s) {
  if (s.visits) return;  // it is subscribed to what its listeners may hear of
  if (s.subscriber)
    return listeners_.give_up(s, [&](const auto& x) {
      const auto* at = unit_.snapshot->find(x.second);
      return at && !allowed(s, at->index, x.first);
    });
  std::map<std::size_t, std::vector<std::string>> lost;
  s.end_subscriptions([&](const auto& x) {
    const auto* at = unit_.snapshot->find(x.second);
    if (!at || allowed(s, at->index, x.first)) return false;
    lost[at->index].push_back(quoted_own(*at, x.first));
    return true;
  });
  for (auto& [upstream, uris] : lost)
    if (unit_.upstreams.there(upstream))
      unit_.upstreams.tell(upstream, unsubscribe{s.key, std::move(uris)});
}

void subscription_upkeep::leave(sessions::client_session& s, const std::string& upstream) {
  end(s, [&](const auto& x) { return x.second == upstream; });
}

/// Its upstreams need not be told.
void subscription_upkeep::end(sessions::client_session& s, const listeners::which& gone) {
  if (s.visits) return listeners_.lose(s, gone);
  s.subscriber ? listeners_.give_up(s, gone) : s.end_subscriptions(gone);
}

void subscription_upkeep::give_up(sessions::client_session& s, std::size_t upstream,
                                  const std::string& uri) {
  s.end_subscription(uri);
  if (const auto* of = unit_.snapshot->at(upstream); of && unit_.upstreams.there(upstream))
    unit_.upstreams.tell(upstream, unsubscribe{s.key, {quoted_own(*of, uri)}});
}

void subscription_upkeep::on_updated(client_notification& m, sessions::client_session& s) {
  std::string uri;
  if (m.updated.size() > limits::uri_bytes || !json::unquote(m.updated, uri)) return;
  const auto* of = unit_.snapshot->at(m.upstream);
  if (auto name = of ? mcp::minted_uri(of->space, uri) : std::nullopt;
      name && awaits_update(s, m.upstream, *name)) {
    m.text = renamed(std::move(m.text), *name);
    m.updated = json::quoted(*name);
    uri = std::move(*name);
  }
  if (!awaits_update(s, m.upstream, uri)) return;
  if (s.visits) return listeners_.on_updated(m, s, uri);
  if (!allowed(s, m.upstream, uri)) return;
  if (s.shared && !s.profile->listening) unit_.fleet->words().pass_on(s, m.text);
  if (s.profile->listening) {
    s.notices.add_updated(m.updated, std::move(m.text));
    return streams_.send_notices(s);
  }
  // Without a stream of its own it hears of it where it was said.
  if (auto* c = unit_.calls.find(m.call); c && c->session.get() == &s) streams_.send(*c, m.text);
}

// --- when what they were made in is gone ---------------------------------------------------------

void subscription_upkeep::move(const config::snapshot& before) {
  std::map<std::string_view, const config::compiled_upstream*> successors;
  for (const auto& u : before.upstreams)
    if (!unit_.snapshot->at(u.index)) successors.emplace(u.id, unit_.snapshot->find(u.id));
  if (successors.empty()) return;
  unit_.sessions.for_each([&](const sessions::session_ptr& s) {
    if (s->subscriber) return;  // what stands for its caller moves
    std::map<const config::compiled_upstream*, std::vector<std::string>> moved;
    end(*s, [&](const auto& x) {
      const auto at = successors.find(x.second);
      if (at == successors.end()) return false;
      const auto* to = at->second;
      if (!to || !s->access->view->reaches(to->index)) return true;
      moved[to].push_back(x.first);
      return false;
    });
    for (const auto& [to, uris] : moved) subscribe(*s, *to, uris);
  });
}

void subscription_upkeep::lost(std::size_t upstream) {
  unit_.sessions.for_each([&](const sessions::session_ptr& s) { lost(*s, upstream); });
}

void subscription_upkeep::lost(const sessions::client_session& s, std::size_t upstream) {
  if (s.subscriber) return;  // it has no session there
  const auto* at = unit_.snapshot->at(upstream);
  if (at && std::ranges::any_of(s.subscriptions, [&](const auto& x) { return x.second == at->id; }))
    unsubscribed_.lost({s.key, upstream}, unit_.now());
}

void subscription_upkeep::renew() {
  if (unsubscribed_.empty()) return;
  for (const auto& [client, upstream] : unsubscribed_.due(unit_.now())) {
    const auto s = unit_.sessions.find_key(client);
    const auto* at = unit_.snapshot->at(upstream);
    if (!s || !at || !s->access->view->reaches(upstream)) continue;
    std::vector<std::string> uris;
    for (const auto& [uri, id] : s->subscriptions)
      if (id == at->id) uris.push_back(uri);
    if (!uris.empty()) subscribe(*s, *at, uris);
  }
}

}  // namespace gate::routing
