#pragma once
/// Budgets that the instances of a fleet share: their records in the store, and what it is told of
/// them: what was charged, or given back, while it was not asked. (Whether something is left is
/// asked by `stage_question`.) Pure; part of SHARED BUDGET.
///
/// A budget's use is one number, `gate:{budget}:SCOPE:PERIOD:BEGIN` (BEGIN in seconds of the Unix
/// epoch), and lives until an hour behind its period's end. Which period it is the store decides,
/// by its own clock: whoever asks about another one is told the time, and asks again.
#include <span>
#include <string>
#include <vector>

#include "actors/messages/guards.hpp"
#include "transport/interfaces.hpp"

namespace gate::fleet {

using wall_time = std::chrono::system_clock::time_point;

struct charge_told {
  enum class what : std::uint8_t { charged, refused, another_period } is = what::charged;
  std::size_t refused_by = 0;  ///< with `refused`: index of the first scope that has nothing left
  wall_time at;                ///< the store's time
  std::vector<std::int64_t> used;  ///< by each scope, now; not with `another_period`
};

/// Where a budget's use at this time is kept; begin and end of its period in seconds, as texts.
struct budget_record {
  std::string key, begin, end;
};
budget_record record_of(const allowance& a, wall_time at);

/// What is to be added to a budget's use; below 0: taken back.
struct debt {
  std::string key;
  wall_time until;  ///< the end of its period
  std::int64_t sum = 0;
};
/// The record of a budget's use at this time, with a sum of 0.
debt debt_of(const allowance& a, wall_time at);
/// Add all of them, once: whoever is in doubt whether it was done says it again under the same
/// name.
store_request ask_to_add(std::uint64_t id, const std::string& name, std::span<const debt> debts);

/// So much was used of each of them at least (`sum`) before the store lost its data, says one who
/// has heard so. The highest of what is said counts, and what was charged since. It may be told
/// again.
store_request ask_for_at_least(std::uint64_t id, std::span<const debt> used);

/// The texts of the scripts, for stores that are none.
std::string_view add_script();
std::string_view at_least_script();

}  // namespace gate::fleet
