#pragma once
/// Who has sent how many requests within the last minutes: sliding windows by scope. A question
/// names all scopes of a request, each once; it comes in if all have room, and only then is it
/// counted, in all of them. Pure; part of RATE LIMITER.
///
/// Windows are made by the first request that comes in, and forgotten when nothing in them counts
/// any more: a few with every question, so that no call waits for a great cleaning. Those of
/// principals are bounded; when that many are alive, others come in uncounted.
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "actors/guards/scope_hash.hpp"
#include "actors/guards/sliding_window.hpp"
#include "actors/messages/guards.hpp"
#include "protocol/limits.hpp"

namespace gate::guards {

class rate_table {
 public:
  using time_point = sliding_window::time_point;

  struct answer {
    bool yes = true;
    std::size_t refused_by = 0;           ///< with a no: index of the first scope without room
    std::chrono::seconds retry_after{0};  ///< with a no: of that scope
    /// The table is full from now on (told once, until a tenth of it is free again): somebody came
    /// in uncounted.
    bool overflows = false;
  };

  explicit rate_table(std::size_t most_principals = limits::rate_windows);

  answer admit(std::span<const rate_scope> scopes, time_point now);
  /// The same, but nothing is counted.
  answer look(std::span<const rate_scope> scopes, time_point now);
  /// How much of each is used.
  std::vector<window_use> use(std::span<const rate_scope> scopes, time_point now) const;
  /// So much was counted by a store that a fleet shares; what is remembered here is forgotten.
  void know(const scope_key& key, const sliding_window& window, time_point now);

  /// `f(scope, window)` for each in which something counts.
  template <class F>
  void for_each(time_point now, F&& f) const {
    for (const auto& [scope, known] : windows_)
      if (!known.window.idle(now)) f(scope, known.window);
  }
  std::size_t size() const { return windows_.size(); }

 private:
  struct entry;
  using table = std::unordered_map<scope_key, entry, scope_hash>;
  using queue = std::list<table::value_type*>;
  struct entry {
    sliding_window window;
    queue::iterator place;
  };

  void sweep(time_point now);
  bool create(const scope_key& key, time_point now);

  std::size_t most_;
  std::size_t principals_ = 0;
  table windows_;
  queue by_age_;  ///< all of them, the one that was counted in longest ago in front
  bool full_ = false;
  std::vector<table::value_type*> found_;  ///< of the question at hand
};

}  // namespace gate::guards
