#include "actors/sessions/client_session.hpp"

#include <algorithm>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::sessions {

namespace {

bool is_owner(const client_session& s, const identity::access& who) {
  const auto* owner = s.access->who();
  if (!owner || !who.who()) return !owner && !who.who();
  return owner->same_as(*who.who());
}

/// Whose share it is: a principal's, wherever it is; of others we know no more than the address.
std::string holder(const identity::access& who, std::string_view peer) {
  if (const auto* owner = who.who()) return "principal " + std::to_string(owner->key);
  return "address " + std::string(peer);
}

}  // namespace

std::optional<std::uint64_t> client_session::find_call(std::string_view raw_id) const {
  for (const auto& [id, number] : calls)
    if (json::same_scalar(id, raw_id)) return number;
  return {};
}

std::optional<client_session::question> client_session::take_question(std::string_view raw_id) {
  for (auto it = questions.begin(); it != questions.end(); ++it) {
    if (raw_id != std::to_string(it->id)) continue;
    auto found = std::move(*it);
    questions.erase(it);
    return found;
  }
  return {};
}

std::vector<client_session::question> client_session::remove_call(std::uint64_t number) {
  if (number == 0) return {};  // it was never put aside
  subscribing.erase(number);
  std::vector<question> open;
  std::erase_if(questions, [&](question& q) {
    if (q.call != number) return false;
    open.push_back(std::move(q));
    return true;
  });
  auto it = std::find_if(calls.begin(), calls.end(), [&](auto& c) { return c.second == number; });
  if (it == calls.end()) return open;
  *it = std::move(calls.back());
  calls.pop_back();
  return open;
}

void client_session::end_subscriptions(
    const std::function<bool(const sessions::subscriptions::value_type&)>& which) {
  sessions::subscriptions gone;
  for (auto it = subscriptions.begin(); it != subscriptions.end();) {
    const auto at = it++;
    if (which(*at)) gone.insert(subscriptions.extract(at));
  }
  drop_updates_of(gone);
}

void client_session::end_subscription(std::string_view uri) {
  const auto at = subscriptions.find(uri);
  if (at == subscriptions.end()) return;
  sessions::subscriptions gone;
  gone.insert(subscriptions.extract(at));
  drop_updates_of(gone);
}

/// What waits to be told about them, unless the client is subscribed to it otherwise.
void client_session::drop_updates_of(const sessions::subscriptions& gone) {
  if (gone.empty()) return;
  notices.drop_updated([&](const std::string& raw) {
    std::string uri;
    if (!json::unquote(raw, uri)) return false;
    return !covers(gone, uri) || covers(subscriptions, uri);
  });
}

session_ptr session_table::in_the_way(const identity::access_ptr& owner, std::string_view peer) {
  const auto* p = shares_.in_the_way(holder(*owner, peer), [this](const shares::place& x) {
    return by_key_.at(x.session)->idle();
  });
  return p ? by_key_.at(p->session) : nullptr;
}

session_ptr session_table::open(std::string id, const identity::access_ptr& owner,
                                std::string_view peer, time_point now) {
  const auto whose = holder(*owner, peer);
  if (!shares_.room_for(whose)) return nullptr;
  auto s = std::make_shared<client_session>(kept_);
  s->id = std::move(id);
  s->key = next_key_++;
  s->principal = owner->key();
  s->access = owner;
  s->last_seen = s->shown = now;
  s->profile = plain_;
  by_id_.emplace(s->id, s);
  by_key_.emplace(s->key, s);
  if (s->principal) by_principal_.emplace(s->principal, s.get());
  s->place.session = s->key;
  shares_.enter(s->place, whose);
  s->in_use = by_use_.insert(by_use_.end(), s.get());
  return s;
}

session_ptr session_table::find(std::string_view id, const identity::access_ptr& who,
                                time_point now, config::view_ptr& before) {
  auto it = by_id_.find(id);
  if (it == by_id_.end() || !is_owner(*it->second, *who)) return nullptr;
  if (it->second->access != who) before = std::exchange(it->second->access, who)->view;
  touch(*it->second, now);
  it->second->shown = now;
  return it->second;
}

session_ptr session_table::find_key(std::uint64_t key) const {
  auto it = by_key_.find(key);
  return it == by_key_.end() ? nullptr : it->second;
}

/// The lists are in the order of the latest signs of life, so whoever is idle stands at the front.
void session_table::touch(client_session& s, time_point now) {
  if (!s.place.held()) return;  // closed
  s.last_seen = now;
  by_use_.splice(by_use_.end(), by_use_, s.in_use);
  shares_.used(s.place);
}

void session_table::close(const session_ptr& s) {
  end_stream(*s);
  if (!s->place.held()) return;
  shares_.leave(s->place);
  by_use_.erase(s->in_use);
  by_principal_.erase({s->principal, s.get()});
  by_key_.erase(s->key);
  by_id_.erase(s->id);
}

std::vector<session_ptr> session_table::expire(time_point before, time_point now,
                                               std::size_t most) {
  std::vector<session_ptr> out;
  for (; most > 0 && !by_use_.empty() && by_use_.front()->last_seen <= before; --most) {
    auto& first = *by_use_.front();
    if (first.busy()) {
      touch(first, now);
      continue;
    }
    out.push_back(by_key_.at(first.key));
    close(out.back());
  }
  return out;
}

std::vector<config::view_ptr> session_table::views_of(std::uint64_t principal,
                                                      mcp::capability_profile as) const {
  std::vector<config::view_ptr> out;
  for (auto it = by_principal_.lower_bound({principal, nullptr});
       it != by_principal_.end() && it->first == principal; ++it) {
    const auto& s = *it->second;
    if (s.lists_as == as && std::ranges::find(out, s.access->view) == out.end())
      out.push_back(s.access->view);
  }
  return out;
}

std::bitset<mcp::capability_profiles> session_table::profiles() const {
  std::bitset<mcp::capability_profiles> out;
  for (const auto& [key, s] : by_key_) out.set(s->lists_as);
  return out;
}

void session_table::attach(const session_ptr& s, exchange_ptr stream, time_point now) {
  end_stream(*s);
  s->stream = std::move(stream);
  s->stream_written = now;
  by_stream_[s->stream->number()] = s;
}

session_ptr session_table::stream_gone(std::uint64_t number) {
  auto it = by_stream_.find(number);
  if (it == by_stream_.end()) return nullptr;
  auto s = std::move(it->second);
  by_stream_.erase(it);
  s->stream = nullptr;
  return s;
}

void session_table::end_stream(client_session& s) {
  if (!s.stream) return;
  by_stream_.erase(s.stream->number());
  std::exchange(s.stream, nullptr)->end_stream();
}

void session_table::end_streams() {
  for (auto& [number, s] : std::exchange(by_stream_, {}))
    if (s->stream) std::exchange(s->stream, nullptr)->end_stream();
}

void session_table::for_each_stream(const std::function<void(client_session&)>& f) const {
  for (auto it = by_stream_.begin(); it != by_stream_.end();) f(*(it++)->second);
}

}  // namespace gate::sessions
