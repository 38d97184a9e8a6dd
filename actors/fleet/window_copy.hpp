#pragma once
/// What an instance knows of windows that its fleet shares: a copy that each answer of the store
/// renews, by the store's clock. It decides while the store does not; what was exhausted stays so.
/// If the store has lost its data, it is told what stands here. Pure; part of SHARED LIMITER and
/// SHARED BUDGET.
#include <vector>

#include "actors/fleet/shared_windows.hpp"
#include "actors/fleet/untold.hpp"
#include "actors/guards/rate_table.hpp"

namespace gate::fleet {

class window_copy {
 public:
  using time_point = guards::rate_table::time_point;
  using part = std::vector<known_window>;

  explicit window_copy(std::size_t most_principals) : table_(most_principals) {}

  /// What the store has said to this question, which names scopes.
  admitted on(const admit& m, const windows_told& told, time_point now);
  /// What is said here. `look`: nothing is counted.
  admitted decide(const admit& m, time_point now);
  admitted look(const admit& m, time_point now);
  /// As `rate_table::use`, of what is known here.
  std::vector<window_use> use(const rate_scopes_ptr& scopes, time_point now) const;

  /// The store has lost what it had: it is to be told all that counts.
  void note_all(time_point now);
  untold<part>& untold_parts() { return untold_; }

 private:
  guards::rate_table table_;
  time_point::duration lead_{0};  ///< of the store's clock
  untold<part> untold_;
};

}  // namespace gate::fleet
