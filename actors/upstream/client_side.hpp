#pragma once
/// CLIENT SIDE: what a session knows of the client that it stands for, and what it has told the
/// upstream of it: a new session must hear of its log level and its subscriptions. Pure; part of
/// UPSTREAM SESSION.
#include <set>
#include <string>
#include <string_view>

#include "actors/upstream/role.hpp"
#include "actors/upstream/work.hpp"

namespace gate::upstream {

/// The URI of a call to subscribe or unsubscribe, written in one way only.
std::string uri_of(const work& w);

class client_side {
 public:
  using uris = std::set<std::string, std::less<>>;

  explicit client_side(const role& who);

  /// Unless a later one is known: what was parked on its way may bring an old one. What it changes.
  struct change {
    bool known = false;     ///< it was taken
    bool level = false;     ///< the log level is another one, or the first
    bool presence = false;  ///< nothing but that its stream has closed or is back
  };
  change learn(const profile_ptr& p);

  /// Of the client; null before its first call.
  const profile_ptr& profile() const { return profile_; }
  std::string_view capabilities() const {
    return profile_ ? std::string_view(profile_->capabilities) : "{}";
  }
  bool declares(std::string_view capability) const;
  /// Is its session a fleet's? Then the upstream's may be used by other instances, too.
  bool shared() const { return profile_ && profile_->bridges; }
  /// What this upstream has open for it, here or elsewhere; null: nothing that is known.
  const fleet::bridge* bridge(std::string_view upstream) const;
  bool away() const { return profile_ && profile_->away; }
  /// Is there nobody to ask outside of calls?
  bool in_calls_only() const { return profile_ && profile_->in_calls_only; }
  /// Is the session's own stream to be open?
  bool wants_stream() const { return !check_ && (root_ || (profile_ && profile_->listening)); }
  /// Does a client expect to hear something, call or not?
  bool listens() const { return !subscriptions_.empty() || (!root_ && wants_stream()); }

  /// What it is subscribed to, as JSON strings.
  const uris& subscriptions() const { return subscriptions_; }
  /// A call to subscribe or unsubscribe had a result.
  void note(const work& w);
  /// Another one: null if it was one already, or there are too many.
  const std::string* add(std::string uri);
  void drop(std::string_view uri);
  /// Of a root session: what all clients are to hear of, as plain URIs.
  void replace(const uris& plain);
  bool full() const;

 private:
  bool root_, check_;
  profile_ptr profile_;
  uris subscriptions_;
};

}  // namespace gate::upstream
