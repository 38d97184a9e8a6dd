#pragma once
/// What a replay has of the shared store, put together: a store of its own (playing_store.hpp says
/// when that is asked), which is there when the recorded one was.
#include <memory>

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
  /// The first thing that it is told of comes later.
  void begin();
  /// It came or went. (Each unit has noticed; the first to do so is believed.)
  void turn(const recording::event& e);

 private:
  const tape& tape_;
  bool as_recorded_;
  std::shared_ptr<sim::fake_store> own_;  ///< null: there is none
};

}  // namespace gate::replay
