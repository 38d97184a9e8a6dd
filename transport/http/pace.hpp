#pragma once
/// How fast one answer of an upstream may come: two token buckets, one for what the pieces of a
/// stream cost (events above all), one for its bytes. Pure; part of a client connection, which
/// stops to read while a bucket is in debt.
#include <chrono>
#include <cstddef>

#include "protocol/limits.hpp"

namespace gate::http {

/// What reading some bytes of an answer brought to light.
struct answer_work {
  std::size_t events = 0;  ///< of an event stream; a head of an answer counts as one
  std::size_t pieces = 0;  ///< lines of an event stream, chunks
  std::size_t bytes = 0;
};

struct answer_rates {
  double events_per_second = limits::stream_events_per_second;
  double events_at_once = limits::stream_events_at_once;
  double bytes_per_second = limits::stream_bytes_per_second;
};

class pace {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  pace(const answer_rates& rates, std::size_t bytes_at_once, time_point now);

  /// Charges what was done. What comes is cut by the network, so a bucket may fall into debt.
  void spend(const answer_work& work, time_point now);
  /// More may be read.
  bool may_go_on() const { return events_ >= 0 && bytes_ >= 0; }
  /// When the debt is paid, and there is something for the next step. (Ask again then.)
  time_point go_on_at() const;

 private:
  void refill(time_point now);

  answer_rates rates_;
  double bytes_at_once_;
  double events_, bytes_;  ///< what is left
  time_point filled_;
};

}  // namespace gate::http
