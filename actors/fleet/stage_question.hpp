#pragma once
/// What a stage asks the store: is there room in all these windows, and something left of all these
/// budgets? One script looks at all of them by the store's own clock, and counts in all or in none;
/// the rules are those of `guards::sliding_window` and `guards::budget_table`. Pure; part of SHARED
/// LIMITER (stage 3), SHARED BUDGET (stage 6) and ONCE LEDGER.
///
/// All that one question names has one hash tag, since a cluster keeps apart what has different
/// ones: `{rl}` is that of stage 3, `{budget}` that of stage 6 (decision 0028).
#include <optional>
#include <span>
#include <vector>

#include "actors/fleet/shared_counters.hpp"
#include "actors/fleet/shared_windows.hpp"
#include "actors/messages/guards.hpp"
#include "transport/interfaces.hpp"

namespace gate::fleet {

/// May one more come in, of all these?
store_request ask_for_room(std::uint64_t id, std::span<const rate_scope> windows);
/// One invocation at this time.
store_request ask_to_charge(std::uint64_t id, std::span<const allowance> budgets, wall_time now);
/// Both.
store_request ask_for_both(std::uint64_t id, std::span<const rate_scope> windows,
                           std::span<const allowance> budgets, wall_time now);
/// May one more token be given, of so many a minute? Answered as a question of one window.
store_request ask_for_token(std::uint64_t id, std::int64_t per_minute);

/// If some window has no room, nothing is charged; if some budget is used up, nothing is counted.
struct stage_told {
  windows_told windows;
  charge_told budgets;
};
/// Nothing: this is no answer to a question of so many.
std::optional<stage_told> read_stage(const resp::value& v, std::size_t windows,
                                     std::size_t budgets);

/// The text of the script, for stores that are none.
std::string_view stage_script();

}  // namespace gate::fleet
