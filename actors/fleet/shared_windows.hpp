#pragma once
/// Sliding windows that the instances of a fleet share: their records in the store. (Whether there
/// is room is asked by `stage_question`.) Pure; part of SHARED LIMITER, SHARED BUDGET and ONCE
/// LEDGER.
///
/// A window is one hash: the minute (of the Unix epoch), what came in within it, and within the one
/// before. It lives two minutes. What one question names has the same hash tag: `gate:{rl}:SCOPE`,
/// of upstreams `gate:{budget}:rl:SCOPE`.
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

std::string window_key(const scope_key& scope);
/// That of tokens.
std::string token_window();

/// A token was not given, after the store had said yes at this time: it does not count.
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
std::string_view give_back_script();
std::string_view window_at_least_script();

}  // namespace gate::fleet
