#pragma once
/// When each unit takes another configuration over: as it was recorded. GATEWAY tells all of them
/// at one moment of virtual time; what it says of a configuration waits at each unit's threshold
/// until the recording comes to where that unit took one over.
#include <caf/typed_event_based_actor.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "actors/interfaces.hpp"

namespace gate::replay {

class thresholds {
 public:
  explicit thresholds(std::size_t units) : units_(units) {}

  /// The unit takes over what waits; or, if nothing does, the next that comes.
  void open(std::size_t unit);
  /// Nothing waits any more.
  void open_all();
  bool waits(std::size_t unit) const { return !units_[unit].waiting.empty(); }

  void take(std::size_t unit, before_router&& m);

 private:
  struct one {
    std::deque<before_router> waiting;
    snapshot_ptr last;     ///< of those that have come; null: none
    std::size_t free = 0;  ///< so many may pass at once
  };
  void pass_first(one& u);

  std::vector<one> units_;
  bool open_ = false;
};

class playing_threshold final : public threshold_handle::base {
 public:
  playing_threshold(caf::actor_config& cfg, std::shared_ptr<thresholds> all, std::size_t unit)
      : threshold_handle::base(cfg), all_(std::move(all)), unit_(unit) {}
  behavior_type make_behavior() override {
    return {[this](before_router& m) { all_->take(unit_, std::move(m)); }};
  }
  const char* name() const override { return "playing threshold"; }

 private:
  std::shared_ptr<thresholds> all_;
  std::size_t unit_;
};

}  // namespace gate::replay
