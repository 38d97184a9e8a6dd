#pragma once
/// Which resources the clients of one upstream want to hear of, where the server tells of them on
/// one stream and not by session (MCP 2026-07-28 /basic/patterns/subscriptions): the bridged
/// sessions write it, the root session of their credential asks for all of it. Pure; shared by the
/// sessions of one upstream on one unit.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "actors/sessions/subscriptions.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

class watch_table {
 public:
  using uris = std::set<std::string, std::less<>>;

  /// From now on the session of this number, of this client, wants to hear of exactly these, by the
  /// credential of this principal (0: everybody's). True: what is to be asked for has changed. Of
  /// those beyond `limits::watched_uris` of one credential, or `watched_uri_bytes`, nobody hears.
  bool set(std::uint64_t session, std::uint64_t client, std::uint64_t principal,
           const uris& wanted) {
    auto& mine = sessions_[session];
    mine.client = client;
    if (mine.principal != principal) clear(session, mine);
    mine.principal = principal;
    auto& all = by_credential_[principal];
    bool changed = false;
    for (auto it = mine.wanted.begin(); it != mine.wanted.end();) {
      const auto old = it++;
      if (wanted.contains(*old)) continue;
      changed |= all.release(*old, session);
      mine.wanted.erase(old);
    }
    for (const auto& uri : wanted) {
      if (mine.wanted.contains(uri)) continue;
      if (!all.take(uri, session)) continue;
      changed |= all.by_uri.at(uri).by.size() == 1;
      mine.wanted.insert(uri);
    }
    tidy(session);
    version_ += changed;
    return changed;
  }
  /// The session has ended. Whose stream has to be another one: its credential's principal;
  /// nothing: nobody's.
  std::optional<std::uint64_t> end(std::uint64_t session) {
    const auto it = sessions_.find(session);
    if (it == sessions_.end()) return {};
    const auto principal = it->second.principal;
    const bool changed = set(session, it->second.client, principal, {});
    return changed ? std::optional(principal) : std::nullopt;
  }

  /// Another one: of some credential, something else is to be asked for.
  std::uint64_t version() const { return version_; }
  bool any(std::uint64_t principal) const { return by_credential_.contains(principal); }
  /// A stream that asks for these was acknowledged: the server tells of those that are `honoured`.
  void acknowledge(std::uint64_t principal, const uris& asked, const uris& honoured) {
    const auto all = by_credential_.find(principal);
    if (all == by_credential_.end()) return;
    for (auto& [uri, w] : all->second.by_uri)
      if (asked.contains(uri)) w.told = honoured.contains(uri);
  }
  /// A stream that asks for these was refused: what no other one tells of nobody does.
  void refuse(std::uint64_t principal, const uris& asked) {
    const auto all = by_credential_.find(principal);
    if (all == by_credential_.end()) return;
    for (auto& [uri, w] : all->second.by_uri)
      if (asked.contains(uri) && !w.told) w.told = false;
  }
  /// Does the server tell of this? Nothing: it has yet to say so. Of what nobody hears: no.
  std::optional<bool> told(std::uint64_t principal, std::string_view uri) const {
    const auto all = by_credential_.find(principal);
    if (all == by_credential_.end()) return false;
    const auto it = all->second.by_uri.find(uri);
    return it == all->second.by_uri.end() ? std::optional(false) : it->second.told;
  }

  /// What is to be asked for.
  uris wanted(std::uint64_t principal) const {
    uris out;
    if (const auto it = by_credential_.find(principal); it != by_credential_.end())
      for (const auto& [uri, who] : it->second.by_uri) out.insert(uri);
    return out;
  }
  /// `f(client)` for each that wants to hear of this, or of what it is a part of. (Some may hear
  /// twice of one that is both.)
  void for_each_client(std::uint64_t principal, std::string_view uri,
                       const std::function<void(std::uint64_t)>& f) const {
    const auto all = by_credential_.find(principal);
    if (all == by_credential_.end()) return;
    std::set<std::uint64_t> who;
    sessions::for_each_around(uri, [&](std::string_view around) {
      const auto& uris = all->second.by_uri;
      const auto it = uris.find(around);
      if (it != uris.end() && sessions::lies_in(uri, around))
        who.insert(it->second.by.begin(), it->second.by.end());
      return false;
    });
    for (const auto session : who) f(sessions_.at(session).client);
  }

 private:
  /// What is asked for by one credential, and for which sessions.
  struct watched {
    struct uri {
      std::set<std::uint64_t> by;
      std::optional<bool> told{};  ///< does the server tell of it?
    };
    std::map<std::string, uri, std::less<>> by_uri;
    std::size_t bytes = 0;

    bool take(const std::string& uri, std::uint64_t session) {
      auto it = by_uri.find(uri);
      if (it == by_uri.end()) {
        if (by_uri.size() >= limits::watched_uris || bytes + uri.size() > limits::watched_uri_bytes)
          return false;
        it = by_uri.try_emplace(uri).first;
        bytes += uri.size();
      }
      it->second.by.insert(session);
      return true;
    }
    /// True: nobody wants it any more.
    bool release(const std::string& uri, std::uint64_t session) {
      const auto it = by_uri.find(uri);
      if (it == by_uri.end()) return false;
      it->second.by.erase(session);
      if (!it->second.by.empty()) return false;
      bytes -= uri.size();
      by_uri.erase(it);
      return true;
    }
  };
  struct watcher {
    std::uint64_t client = 0, principal = 0;
    uris wanted;
  };

  void clear(std::uint64_t session, watcher& w) {
    auto& all = by_credential_[w.principal];
    for (const auto& uri : w.wanted) all.release(uri, session);
    w.wanted.clear();
    if (all.by_uri.empty()) by_credential_.erase(w.principal);
  }
  void tidy(std::uint64_t session) {
    const auto it = sessions_.find(session);
    if (by_credential_[it->second.principal].by_uri.empty())
      by_credential_.erase(it->second.principal);
    if (it->second.wanted.empty()) sessions_.erase(it);
  }

  std::map<std::uint64_t, watched> by_credential_;
  std::map<std::uint64_t, watcher> sessions_;
  std::uint64_t version_ = 1;
};

}  // namespace gate::upstream
