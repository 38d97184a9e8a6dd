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

/// May so many more come in, of all these?
store_request ask_for_room(std::uint64_t id, std::span<const rate_scope> windows, std::size_t many);
/// One invocation at this time.
store_request ask_to_charge(std::uint64_t id, std::span<const allowance> budgets, wall_time now);
/// Both, of so many.
store_request ask_for_both(std::uint64_t id, std::span<const rate_scope> windows,
                           std::span<const allowance> budgets, wall_time now, std::size_t many);
/// May one more token be given, of so many a minute? Answered as a question of one window.
store_request ask_for_token(std::uint64_t id, std::int64_t per_minute);

/// What one asks for is counted and charged, or none of it. Of several, those that come first are
/// let in, as many as fit; who refuses the next one says so.
struct stage_told {
  std::size_t fit = 0;
  windows_told windows;
  charge_told budgets;
};
/// Nothing: this is no answer to a question of so many.
std::optional<stage_told> read_stage(const resp::value& v, std::size_t windows,
                                     std::size_t budgets);

/// The text of the script, for stores that are none.
std::string_view stage_script();

}  // namespace gate::fleet
