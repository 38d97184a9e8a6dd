#pragma once
/// LIST SHARE: lists of one upstream that the instances of a fleet have together. One of them
/// fetches a list, the others take what it has brought. Part of UPSTREAM, which asks STORE and
/// hands fetches on; there is none without a store, nor for an upstream whose lists depend on the
/// caller or the client. What is not cached is not shared.
///
///   a fetch is wanted, the store says    what becomes of it
///   kept                                 the session reads it as if the upstream had said so
///   fetch                                fetched; what was said is kept for the others
///   wait                                 asked again every `store_list_look`; after
///                                        `store_list_wait` fetched, and nothing is kept
///   nothing, or nonsense                 the same at once
///
/// A copy is as old as the beginning of its fetch, and counts from then. None is taken that began
/// before the last change, or doubt, that was heard here; and of a change that is certain the store
/// is told, so that nobody takes one. If it is everybody's, the other instances are told, too: they
/// may not hear it by a session of their own. Of each kind one such word is under way at a time,
/// and one more for all that is heard meanwhile; one that the store has not taken is told again
/// when it returns, and with the next question for a list of that kind. What they may have missed,
/// while the store was away, is a doubt. What comes from the store is read as what comes from the
/// upstream, with the same bounds. Pure.
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/fleet/shared_lists.hpp"
#include "actors/messages.hpp"
#include "config/snapshot/snapshot.hpp"

namespace gate::upstream {

class list_share {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Are there lists to be shared of such an upstream?
  static bool fits(const config::compiled_upstream& u);
  /// `name`: what no other one of any instance is called.
  list_share(const config::compiled_upstream& u, std::string name, std::uint32_t database = 0);

  /// Where the others are heard.
  const std::string& channel() const { return channel_; }

  /// Is it a list of everybody's?
  bool takes(const fetch_list& m) const;
  /// Ask the store for it; the answer goes to `on_told`.
  store_request look(fetch_list m, time_point now);

  struct decision {
    enum class what : std::uint8_t {
      read,       ///< the session has it in `kept`
      fetch,      ///< the upstream is to be asked
      ask_again,  ///< after `limits::store_list_look`, by `again`
    } is = what::fetch;
    fetch_list list;           ///< but with `ask_again`
    std::uint64_t number = 0;  ///< with `ask_again`
  };
  /// Nothing: it was no question for a list, or nobody waits for it any more.
  std::optional<decision> on_told(const store_told& m, time_point now);
  std::optional<store_request> again(std::uint64_t number, time_point now);

  /// A fetch under this number has ended. Nothing: the store need not know.
  std::optional<store_request> on_read(const list_read& m);
  /// Nothing: it is a doubt, which is no concern of others; or the store is being told.
  std::optional<store_request> on_heard(const list_heard& m, time_point now);
  /// Nothing: it was no word of a change, or there is no more to say.
  std::optional<store_request> on_forgotten(const store_told& m);
  /// What the store has yet to be told of this kind. Nothing: so it has been, or is being.
  std::optional<store_request> owed(mcp::list_kind kind);
  /// Another instance has heard that lists of this kind have changed. Nothing: it is no such word,
  /// or one's own.
  std::optional<mcp::list_kind> on_news(const store_heard& m, time_point now);
  /// The store has gone, or is there: what it has not answered is owed again. Are all lists in
  /// doubt?
  bool on_turned(bool here, time_point now);

  /// Fetches that wait for the store, taken out.
  std::vector<fetch_list> take_all();
  bool empty() const { return asked_.empty(); }

 private:
  struct request {
    fetch_list what;
    time_point until;
  };
  struct fetching {
    fleet::list_keys keys;
    std::int64_t began;
    std::chrono::milliseconds ttl;
    time_point until;
  };

  /// What the store is told of changes of a kind.
  struct change {
    std::uint64_t under_way = 0;  ///< the word's number; 0: there is none
    bool owed = false;
    bool everybodys = false;         ///< what is owed
    bool everybodys_on_way = false;  ///< what is under way
    /// It was not taken.
    void again();
  };

  fleet::list_keys keys_of(mcp::list_kind kind, mcp::capability_profile as) const;
  std::string name_of(std::uint64_t number) const;
  /// How old a copy may be.
  std::chrono::milliseconds youth(const fetch_list& m, time_point now) const;
  store_request question(std::uint64_t number, const fetch_list& m, time_point now) const;

  std::string id_, digest_, name_, channel_;
  std::map<std::uint64_t, request> asked_;      ///< never more than ROUTER has lists
  std::map<std::uint64_t, fetching> fetching_;  ///< the same
  std::map<mcp::list_kind, time_point> changed_;
  std::map<mcp::list_kind, change> changes_;
  std::uint64_t next_ = 1;
  bool missing_ = false;  ///< news may be: the store was away
};

}  // namespace gate::upstream
