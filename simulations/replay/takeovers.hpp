#pragma once
/// Documents that are read again in a replay, and where each unit takes them over. One thread.
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "simulations/replay/crossings.hpp"
#include "simulations/replay/tape.hpp"
#include "simulations/replay/thresholds.hpp"

namespace gate::replay {

class takeovers {
 public:
  /// `read`: has the gateway read this document, until it has nothing more to do.
  takeovers(const tape& of, late_words late, std::function<void(const recording::event&)> read);

  /// Was it written down where units take one over?
  bool recorded() const { return recorded_; }
  threshold_handle threshold(caf::actor_system& system, std::size_t unit) const;

  /// A document was read. One that can be used is taken over when the first unit did: judging it
  /// took its time.
  void document(const recording::event& e);
  /// A unit goes by another configuration. (Without a document it is discovery that has changed it;
  /// and not all that can be used may be taken over.)
  void adopted(std::size_t unit);
  /// The recording is over.
  void finish();

  /// Is this word of a server told behind a takeover that follows it?
  bool is_late(std::size_t word) const { return late_.contains(word); }
  /// The words that are told behind this takeover, in order.
  const std::vector<std::size_t>& told_behind(std::size_t adopted) const;

 private:
  bool recorded_;
  late_words late_;
  std::map<std::size_t, std::vector<std::size_t>> told_behind_;  ///< the same, by takeover
  std::function<void(const recording::event&)> read_;
  std::shared_ptr<thresholds> thresholds_;
  std::deque<const recording::event*> documents_;  ///< read, and not yet taken over
};

}  // namespace gate::replay
