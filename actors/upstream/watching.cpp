#include "actors/upstream/watching.hpp"

#include "actors/upstream/approach.hpp"
#include "actors/upstream/client_messages.hpp"
#include "actors/upstream/stream_keeper.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/results.hpp"

namespace gate::upstream {

using phase = session_state::phase;

namespace {

/// The texts of a raw array.
watch_table::uris texts_of(std::string_view raw) {
  watch_table::uris out;
  json::cursor c(raw, {limits::upstream_json_depth, false});
  if (c.peek() != '[') return out;
  json::elements(c, [&](json::cursor& at) {
    std::string uri;
    if (json::unquote(at.value(1), uri) && out.size() < limits::watched_uris)
      out.insert(std::move(uri));
  });
  return out;
}

}  // namespace

void watching::settle() {
  if (for_all())
    take_over();
  else
    tell();
}

void watching::take_over() {
  seen_ = s_.others.watches.version();
  s_.client.replace(s_.others.watches.wanted(s_.who.principal));
}

void watching::tell() {
  if (s_.root() || s_.now_is != phase::ready) return;
  watch_table::uris wanted;
  std::string uri;
  if (s_.stateless())
    for (const auto& raw : s_.client.subscriptions())
      if (json::unquote(raw, uri)) wanted.insert(uri);
  if (s_.others.watches.set(s_.number, s_.who.client, principal(), wanted)) announce();
}

/// Whose credential it is asked for by.
std::uint64_t watching::principal() const {
  return s_.of.config.per_caller ? s_.credential.caller_key() : 0;
}

void watching::announce() {
  s_.doors.tell(
      watches_changed{principal(), s_.of.config.per_caller ? s_.credential.caller() : nullptr});
}

void watching::asked() {
  asked_.clear();
  std::string uri;
  if (for_all())
    for (const auto& raw : s_.client.subscriptions())
      if (json::unquote(raw, uri)) asked_.insert(uri);
}

/// (One that does not say what it tells of tells of all.)
void watching::acknowledged(std::string_view params) {
  const auto asked = std::exchange(asked_, {});
  if (asked.empty()) return;
  const auto said = json::member(params, "notifications");
  const auto told = said.empty() ? asked : texts_of(json::member(said, "resourceSubscriptions"));
  s_.others.watches.acknowledge(s_.who.principal, asked, told);
  s_.doors.tell(watches_changed{s_.who.principal, nullptr, true});
}

void watching::refused() {
  const auto asked = std::exchange(asked_, {});
  if (asked.empty()) return;
  s_.others.watches.refuse(s_.who.principal, asked);
  s_.doors.tell(watches_changed{s_.who.principal, nullptr, true});
}

std::optional<bool> watching::told(std::string_view raw_uri) const {
  std::string uri;
  if (!json::unquote(raw_uri, uri)) return false;
  return s_.others.watches.told(principal(), uri);
}

void watching::on(const watches_changed& m) {
  if (m.settled) return s_.root() ? void() : r_.client.watched();
  if (s_.closing) return;
  if (!s_.root()) return s_.client.subscriptions().empty() ? void() : announce();
  r_.client.meet(nullptr, m.caller);
  if (!for_all()) return;
  if (seen_ == s_.others.watches.version()) return;
  const auto before = s_.client.subscriptions();
  settle();
  const auto& now = s_.client.subscriptions();
  // What it is to listen for opens it, also when it can not be opened at once.
  if (s_.now_is == phase::closed && !now.empty()) return r_.way.open();
  if (s_.now_is != phase::ready || now == before) return;
  if (s_.stateless()) return r_.streams.renew();
  for (const auto& uri : before)
    if (!now.contains(uri)) r_.client.tell(mcp::names::unsubscribe, uri);
  for (const auto& uri : now)
    if (!before.contains(uri)) r_.client.tell(mcp::names::subscribe, uri);
}

void watching::updated(std::string_view raw_uri, const std::string& text) {
  std::string uri;
  if (raw_uri.size() > limits::uri_bytes || !json::unquote(raw_uri, uri)) return;
  const auto canonical = json::canonical(raw_uri);
  const auto plain = mcp::stateless::of_no_subscription(text);
  s_.others.watches.for_each_client(s_.who.principal, uri, [&](std::uint64_t client) {
    s_.doors.tell(client_notification{client, s_.of.config.index, plain, canonical, 0});
  });
}

}  // namespace gate::upstream
