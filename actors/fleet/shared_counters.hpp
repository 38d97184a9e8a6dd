#pragma once
/// Budgets that the instances of a fleet share: what the store is asked, and what it says. One
/// script charges all budgets of an invocation or none of them; another one adds what was charged,
/// or given back, while the store was not asked. Pure; part of SHARED BUDGET.
///
/// A budget's use is one number, `gate:{budget}:SCOPE:PERIOD:BEGIN` (BEGIN in seconds of the Unix
/// epoch), and lives until an hour behind its period's end. Which period it is the store decides,
/// by its own clock: whoever asks about another one is told the time, and asks again.
#include <optional>
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

/// One invocation at this time.
store_request ask_to_charge(std::uint64_t id, std::span<const allowance> scopes, wall_time now);
/// Nothing: this is no answer to a question of so many scopes.
std::optional<charge_told> read_charge(const resp::value& v, std::size_t scopes);

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
std::string_view charge_script();
std::string_view add_script();
std::string_view at_least_script();

}  // namespace gate::fleet
