#pragma once
/// What holds wherever LEDGER keeps its rows: which requests make no sense, what refusals say, how
/// a webhook is changed, how long pages are. Pure; asked by the operations of both houses.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/limits/ledger.hpp"
#include "transport/ledger/ledger.hpp"

namespace gate::ledger::rules {

/// Why it is not to be done at all: a bug of the asker's.
std::optional<refusal> wrong(const accept_events& r);
std::optional<refusal> wrong(const disable_webhook& r);
std::optional<refusal> wrong(const take_due& r);
std::optional<refusal> wrong(const note_attempt& r);

refusal no_such(std::string_view what, const std::string& id);
refusal another_event(const std::string& id);
refusal too_many_webhooks();
refusal lease_is_over(const std::string& delivery);
/// Nothing if a delivery in this state may be tried again.
std::optional<refusal> not_tried_again(const std::string& delivery, webhook::state s);

inline bool wants(webhook::event_mask events, webhook::event_type t) {
  return ((events >> static_cast<unsigned>(t)) & 1U) != 0;
}
/// An event with the id of `e` that was accepted before is `e`.
bool same_event(const new_event& e, webhook::event_type type, std::string_view body,
                std::string_view fingerprint);
void patch(webhook::webhook& w, const patch_webhook& by);
/// What somebody had a lease on, and is given back.
inline webhook::state released_state(std::int64_t attempts) {
  return attempts > 0 ? webhook::state::failed : webhook::state::pending;
}
/// What is to be tried again: of dead letters it is told from what was never dead.
inline webhook::state retried_state(webhook::state was) {
  return was == webhook::state::dead ? webhook::state::failed : was;
}
/// Dead letters of this type and age (0 to 3, as `dead_counts::by_age`).
void add(dead_counts& to, std::size_t type, std::size_t age, std::uint64_t n, wall_time oldest);

/// A position before all others, and how many rows are wanted.
inline constexpr position newest = INT64_MAX;
inline std::size_t page(std::size_t most) {
  return std::clamp<std::size_t>(most, 1, limits::ledger_page);
}

}  // namespace gate::ledger::rules
