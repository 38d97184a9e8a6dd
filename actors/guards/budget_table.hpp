#pragma once
/// Who has used how much of a budget: invocations by scope and calendar period. A question names
/// all scopes of an invocation, each once; it is charged to all of them or to none. Pure; part of
/// BUDGET.
///
/// - Limits are part of the question, so that a reload changes them and keeps what was used.
/// - Time never goes back here. If the wall clock does, to before the period at hand, that period
///   holds: one that has passed was given away already and must not be given twice.
/// - What belongs to periods that are over is forgotten, once when the first of them ends.
#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "actors/guards/calendar.hpp"
#include "actors/guards/scope_hash.hpp"
#include "actors/messages/guards.hpp"
#include "protocol/limits.hpp"

namespace gate::guards {

class budget_table {
 public:
  using time_point = std::chrono::system_clock::time_point;

  struct answer {
    bool yes = true;
    std::size_t refused_by = 0;  ///< with a no: index of the first scope that has nothing left
    std::int64_t used = 0;       ///< with a no: by that scope
    time_point resets;           ///< with a no: the end of its period
    /// The clock says that the period of some scope has not begun yet. (Told once, until it has
    /// caught up.)
    bool clock_went_back = false;
    /// The table is full from now on (told once, until the period ends): a scope was not charged.
    bool overflows = false;
  };

  explicit budget_table(std::size_t most = limits::budget_records) : most_(most) {}

  answer charge(std::span<const allowance> scopes, time_point now);
  /// Takes back what was charged to these at that time, where its period still runs.
  void refund(std::span<const allowance> scopes, time_point charged_at);

  /// How much of this budget is used by now, and when its period ends.
  budget_use use(const allowance& of, time_point now) const;

  /// So much of this budget is used by now, says a store that a fleet shares. (Of a period that is
  /// over here, it is forgotten.)
  void know(const allowance& of, std::int64_t used, time_point now);

  /// `f(scope, kind of period, its bounds, used)` for each record.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < kinds_.size(); ++i)
      for (const auto& [scope, used] : kinds_[i].used)
        f(scope, static_cast<config::budget_period>(i), kinds_[i].period, used);
  }
  std::size_t size() const;

 private:
  using table = std::unordered_map<scope_key, std::int64_t, scope_hash>;
  /// All records of one kind of period belong to the same period, since time never goes back.
  struct kind {
    calendar_period period{time_point::min(), time_point::min()};  ///< at first one that is over
    table used;
    bool full = false, ahead = false;  ///< and it has been told
  };
  kind& at(config::budget_period p) { return kinds_[static_cast<std::size_t>(p)]; }
  void turn(time_point now);

  std::size_t most_;
  std::array<kind, 3> kinds_;
  time_point ends_ = time_point::min();  ///< the first of the periods
  std::vector<std::int64_t*> found_;     ///< of the question at hand
};

}  // namespace gate::guards
