#pragma once
/// WATCHING: a server of the stateless generation tells of updated resources on a stream that names
/// them (`subscriptions/listen`, MCP 2026-07-28 /basic/patterns/subscriptions). Clients subscribe
/// by their bridged sessions; what all of them want to hear of is in `peers.watches`, and one root
/// session of their credential asks for it and tells each client. Part of UPSTREAM SESSION.
///
///   bridged session   says what its client wants, whenever that changes
///   root session      (of clients that can do nothing) asks for all of it; of a server that has
///                     sessions after all, by subscribing itself
///
/// Whoever waits to hear whether the server tells of something hears it when that has acknowledged
/// the stream.
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "actors/upstream/session_rules.hpp"

namespace gate::upstream {

class watching {
 public:
  watching(session_state& s, session_rules& r) : s_(s), r_(r) {}

  /// The session is ready, in whichever generation.
  void settle();
  /// What the client wants to hear of has changed, or may have.
  void tell();
  /// The same, of all clients. (To a bridged session: the root session has died, so it is said once
  /// more.)
  void on(const watches_changed& m);
  /// A root session asks for what clients want to hear of, on a stream that has begun; the server
  /// has said which of that it tells (raw params); it has said that there is no such stream. (One
  /// that has only ended says nothing: the next one may be acknowledged in time.)
  void asked();
  void acknowledged(std::string_view params);
  void refused();
  /// Does the server tell of this (raw URI), which its client wants to hear of? Nothing: it has yet
  /// to say so.
  std::optional<bool> told(std::string_view raw_uri) const;
  /// A root session was told of this resource (raw URI).
  void updated(std::string_view raw_uri, const std::string& text);

 private:
  void announce();
  void take_over();
  std::uint64_t principal() const;
  bool for_all() const { return s_.root() && !s_.who.check && s_.who.as == 0; }

  session_state& s_;
  session_rules& r_;
  std::uint64_t seen_ = 0;                    ///< which version of the table it listens for
  std::set<std::string, std::less<>> asked_;  ///< on a stream that is not acknowledged yet
};

}  // namespace gate::upstream
