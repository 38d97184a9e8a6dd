#pragma once
/// MINTING CALLS: calls of this unit whose upstream may make a task of them, from the moment on
/// that it is asked. TASKS is told of each, so that nobody else is shown a task that may be its
/// caller's. Keyed by the number under which the upstream works for it, which may outlive the call
/// (suspended_calls.hpp). Part of ROUTER (fan_outs.hpp); its bound is that of calls in flight.
///
///   the call                          TASKS hears
///   is about to be sent               begun
///   is answered                       whose the task is, if it names one, by whoever takes the
///                                     answer, or from here if nobody does any more; answered
///   may have been sent, and has no    lost
///   answer
///   has left, and nothing came for    lost
///   a second or two
///
/// Calls that ask for no task are none of these, unless their upstream has made a task of such a
/// call before.
#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>

#include "actors/router/unit.hpp"

namespace gate::routing {

class suspended_calls;

/// Who owns what a call mints, and where that runs.
struct minter {
  std::uint64_t owner = 0;
  tasks::place where;
  bool stateless = false;
  trace::trace_id trace{};  ///< as in `pin_task`

  static minter of(const pipeline::call& c, const unit& u);
  /// Theirs is this task from now on.
  void pin(unit& u, std::string_view raw_id) const;
};

class minting_calls {
 public:
  minting_calls(unit& u, suspended_calls& suspensions) : unit_(u), suspensions_(suspensions) {}

  /// A call goes to its upstream.
  void begin(const pipeline::call& c);
  /// It has become a task.
  void note_minted(const pipeline::call& c);
  /// This upstream is gone; its number may be given to another.
  void forget(std::size_t upstream) { unasked_.erase(upstream); }
  /// The upstream has answered. `taken`: there was a call that took it.
  void settle(const answered& m, bool taken) {
    if (!running_.empty()) end(m, taken);
  }
  /// Every second: those that have left.
  void tick();
  /// TASKS was restarted, and knows of none.
  void tell_again();
  /// The unit ends, or has crashed.
  void clear();
  std::size_t size() const { return running_.size(); }

 private:
  struct minting {
    minter who;
    bool left = false;  ///< since the last tick
  };

  void end(const answered& m, bool taken);
  void tell(const minter& who, tasks::minting what);

  unit& unit_;
  suspended_calls& suspensions_;
  std::unordered_map<std::uint64_t, minting> running_;
  std::set<std::size_t> unasked_;  ///< upstreams that make tasks of calls that ask for none
};

}  // namespace gate::routing
