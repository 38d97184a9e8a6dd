#include "actors/upstream/client_side.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

std::string uri_of(const work& w) {
  std::string uri;
  // URIs have no prefix: the params are whole.
  json::unquote(json::member(w.call.first, "uri"), uri);
  return json::quoted(uri);
}

client_side::client_side(const role& who) : root_(who.client == 0), check_(who.check.has_value()) {
  if (!root_) return;
  auto profile = std::make_shared<client_profile>();
  profile->capabilities = mcp::profile_capabilities(who.as);
  profile_ = std::move(profile);
}

client_side::change client_side::learn(const profile_ptr& p) {
  if (!p || root_ || (profile_ && p->version < profile_->version)) return {};
  change out{true, !profile_ || profile_->log_level != p->log_level, false};
  out.presence =
      profile_ && profile_->away != p->away && profile_->listening == p->listening && !out.level;
  profile_ = p;
  return out;
}

bool client_side::declares(std::string_view capability) const {
  return profile_ && !json::member(profile_->capabilities, capability).empty();
}

const fleet::bridge* client_side::bridge(std::string_view upstream) const {
  if (!shared()) return nullptr;
  const auto at = profile_->bridges->find(upstream);
  return at == profile_->bridges->end() ? nullptr : &at->second;
}

void client_side::note(const work& w) {
  const auto what = mcp::subscribing_of(w.call.method);
  if (what == mcp::subscribing::ends)
    drop(uri_of(w));
  else if (what == mcp::subscribing::begins && !w.undone)
    add(uri_of(w));
}

const std::string* client_side::add(std::string uri) {
  if (full()) return nullptr;
  const auto [it, fresh] = subscriptions_.insert(std::move(uri));
  return fresh ? &*it : nullptr;
}

void client_side::drop(std::string_view uri) {
  if (const auto it = subscriptions_.find(uri); it != subscriptions_.end())
    subscriptions_.erase(it);
}

void client_side::replace(const uris& plain) {
  subscriptions_.clear();
  for (const auto& uri : plain) subscriptions_.insert(json::quoted(uri));
}

bool client_side::full() const {
  return subscriptions_.size() >= limits::session_subscriptions;
}

}  // namespace gate::upstream
