#pragma once
/// What a replay has of the shared store, put together: a store of its own (playing_store.hpp says
/// when that is asked), which is there when the recorded one was. With another document it is
/// always there, and others use of it what they had used.
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulations/replay/others_use.hpp"
#include "simulations/replay/tape.hpp"
#include "simulations/world/instance.hpp"

namespace gate::replay {

class played_store {
 public:
  /// `as_recorded`: what was asked and told is believed. (By another document it would have been
  /// asked other things.)
  played_store(const tape& of, bool as_recorded) : tape_(of), as_recorded_(as_recorded) {}

  /// If there was a store, or `w`'s document names one.
  void add_to(sim::world_options& w);
  /// It came or went. (Each unit has noticed; the first to do so is believed.)
  void turn(const recording::event& e);
  /// This event is to happen next.
  void come_to(std::size_t event, std::chrono::steady_clock::time_point now);
  /// Somebody published something that can be read. (On channels with secrets in what is said, the
  /// gateway of the replay hears itself only.)
  void hear(const recording::event& e);

 private:
  void listen();

  const tape& tape_;
  bool as_recorded_;
  std::shared_ptr<sim::fake_store> own_;  ///< null: there is none
  /// Those that can be read, and the unit that is believed: several may listen.
  std::map<std::string, std::uint64_t, std::less<>> channels_;
  std::vector<use_of_others> others_;  ///< of limits and budgets
  std::size_t used_ = 0;               ///< so many of these they have used
};

}  // namespace gate::replay
