#pragma once
/// Sliding windows that the instances of a fleet share: what the store is asked, and what it says.
/// One script looks at all windows of a question, by the store's own clock, and counts in all of
/// them or in none; the rule is that of `guards::sliding_window`. Pure; part of SHARED LIMITER
/// and ONCE LEDGER.
///
/// A window is one hash, `gate:{rl}:SCOPE`: the minute (of the Unix epoch), what came in within it,
/// and within the one before. It lives two minutes. All windows have the same hash tag, since a
/// question can name any of them together and a cluster keeps apart what has different ones.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actors/guards/sliding_window.hpp"
#include "actors/messages/guards.hpp"
#include "transport/interfaces.hpp"

namespace gate::fleet {

struct windows_told {
  std::optional<std::size_t> refused_by;  ///< index of the first scope that has no room
  /// The store's time, since the Unix epoch: what the windows are to be looked at with.
  guards::sliding_window::time_point at;
  std::vector<guards::sliding_window> each;  ///< as they are now, in the order of the scopes
};

/// May one more come in, of all these?
store_request ask_for_room(std::uint64_t id, std::span<const rate_scope> scopes);
/// Nothing: this is no answer to a question of so many scopes.
std::optional<windows_told> read_windows(const resp::value& v, std::size_t scopes);

/// May one more token be given, of so many a minute? Answered as a question of one scope.
store_request ask_for_token(std::uint64_t id, std::int64_t per_minute);
/// It was not given, after the store had said yes at this time: it does not count.
store_request ask_to_give_back(std::uint64_t id, guards::sliding_window::time_point counted_at);

/// So much was counted in each of them at least, says one who has heard so before the store lost
/// its data.
struct known_window {
  std::string key;
  guards::sliding_window window;
};
known_window window_of(const scope_key& scope, const guards::sliding_window& window);
known_window window_of_tokens(const guards::sliding_window& window);
store_request ask_for_at_least(std::uint64_t id, std::span<const known_window> all);

/// The texts of the scripts, for stores that are none.
std::string_view windows_script();
std::string_view give_back_script();
std::string_view window_at_least_script();

}  // namespace gate::fleet
