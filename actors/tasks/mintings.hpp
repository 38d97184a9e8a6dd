#pragma once
/// Calls that may mint a task and have not said so: at which upstreams, and for whom. Between the
/// moment in which an upstream makes a task and the one in which its answer names it, nothing but
/// this tells whose it is. Pure; part of TASKS, whichever it is.
///
///   a call that may mint               at its upstream, a task of which nothing is known
///   runs                               may be its owner's: others are not shown it
///   was answered                       is as any other again; what it named is in the ledger
///   ended without an answer (it was    may be its owner's for `limits::task_minting_lost`: then an
///   cancelled, it was late, …)         upstream has given it up, or nobody ever asks for it
///
/// Of calls that ended so each upstream has `limits::task_mintings_lost` owners; beyond, what is
/// not known there is shown to nobody for as long, since whose it may be is not known any more.
/// Those that run are calls in flight, which are bounded as such.
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "actors/messages/tasks.hpp"

namespace gate::tasks {

class mintings {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  void note(const std::string& upstream, std::uint64_t owner, minting what, time_point now);
  /// The upstreams at which a task of which nothing is known may be another's than this owner's.
  std::vector<std::string> of_others(std::uint64_t owner, time_point now);

 private:
  struct mark {
    std::size_t running = 0;
    time_point lost_until{};  ///< so long for those that ended without an answer
    bool holds(time_point now) const { return running > 0 || now < lost_until; }
  };
  struct place {
    std::map<std::uint64_t, mark> owners;
    time_point crowded_until{};
  };

  static bool is_anothers(place& p, std::uint64_t owner, time_point now);
  static void lose(place& p, std::uint64_t owner, time_point now);

  std::map<std::string, place, std::less<>> places_;
};

}  // namespace gate::tasks
