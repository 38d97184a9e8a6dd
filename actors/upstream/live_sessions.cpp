#include "actors/upstream/live_sessions.hpp"

#include <algorithm>

#include "protocol/limits.hpp"

namespace gate::upstream {

upstream_session_handle live_sessions::make(role r) {
  auto made = maker_.make(r);
  by_client_.emplace(r.client, made.id());
  live_.emplace(made.id(), one{made.address(), std::move(r)});
  return made;
}

upstream_session_handle live_sessions::root(audience a) {
  if (auto it = roots_.find(a); it != roots_.end()) return it->second;
  if (a.second && roots_.size() >= limits::caller_roots) return {};
  return roots_[a] = make({.as = a.first, .principal = a.second});
}

upstream_session_handle& live_sessions::bridged(std::uint64_t client) {
  auto& b = bridged_[client];
  if (!b.session) b.session = make({.client = client});
  ++b.handed;
  return b.session;
}

upstream_session_handle live_sessions::any(std::uint64_t client, audience a) {
  auto it = bridged_.find(client);
  if (it == bridged_.end()) return root(a);
  ++it->second.handed;
  return it->second.session;
}

void live_sessions::tell_all_of(std::uint64_t client, const cancel_call& m) const {
  const auto [first, last] = by_client_.equal_range(client);
  for (auto it = first; it != last; ++it) tell(live_.at(it->second), m);
}

std::vector<live_sessions::audience> live_sessions::roots_of(mcp::capability_profile as) const {
  std::vector<audience> out;
  for (const auto& [whose, s] : roots_)
    if (whose.first == as) out.push_back(whose);
  return out;
}

void live_sessions::end_root(audience a) {
  auto it = roots_.find(a);
  if (it == roots_.end()) return;
  caf::anon_send(it->second, close_session{.finish_first = true});
  roots_.erase(it);
}

void live_sessions::end_bridged(std::uint64_t client, close_session how) {
  auto it = bridged_.find(client);
  if (it == bridged_.end()) return;
  caf::anon_send(it->second.session, how);
  bridged_.erase(it);
}

/// Forgotten first: what was sent to it before is in its mailbox already and will be finished. Of a
/// bridged session that can be too late: a subscription or a task ends with the session that it was
/// made in. So one that has work on its way goes on.
void live_sessions::end_idle(const session_idle& m) {
  const auto it = bridged_.find(m.client);
  if (it == bridged_.end() || it->second.session.id() != m.who || it->second.handed != m.taken)
    return;
  end_bridged(m.client, {.finish_first = true});
}

void live_sessions::forget_all() {
  roots_.clear();
  bridged_.clear();
}

void live_sessions::kill_all() {
  for (auto& [id, each] : live_)
    if (auto strong = caf::actor_cast<caf::strong_actor_ptr>(each.address))
      caf::anon_send_exit(strong, caf::exit_reason::kill);
  live_.clear();
  by_client_.clear();
  forget_all();
}

std::optional<role> live_sessions::ended(const caf::actor_addr& who) {
  auto it = live_.find(who.id());
  if (it == live_.end()) return std::nullopt;
  auto what = std::move(it->second.what);
  live_.erase(it);
  const auto [first, last] = by_client_.equal_range(what.client);
  by_client_.erase(std::find_if(first, last, [&](auto& x) { return x.second == who.id(); }));
  if (what.client == 0) {
    if (auto r = roots_.find({what.as, what.principal});
        r != roots_.end() && r->second.address() == who)
      roots_.erase(r);
  } else if (auto b = bridged_.find(what.client);
             b != bridged_.end() && b->second.session.address() == who) {
    bridged_.erase(b);
  }
  return what;
}

}  // namespace gate::upstream
