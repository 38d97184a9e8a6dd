#pragma once
/// What gate-discovery counts, and what it knows of itself, for `/metrics`. Told by REGISTRY, whose
/// clock it is.
#include <chrono>

#include "actors/kubernetes/list_watch.hpp"
#include "actors/kubernetes/service_table.hpp"
#include "transport/metrics.hpp"

namespace gate::kubernetes {

class tally {
 public:
  using time_point = list_watch::time_point;

  tally(metrics& m, time_point now);

  /// LIST AND WATCH has taken a step.
  void took(const step& s, time_point now);
  void published(const made_document& d);
  /// Before it is read: what grows with time.
  void age(time_point now) const;

 private:
  labelled<cluster_outcome> lists_, watches_;
  labelled<absence> left_out_;
  metrics::value upstreams_, bytes_, out_of_touch_;
  time_point heard_;       ///< the last moment of which something is known
  bool in_touch_ = false;  ///< that moment is now
};

}  // namespace gate::kubernetes
