#pragma once
/// Delivers what an outbox holds by HTTP: a POST for each batch, one at a time, with an end for
/// each attempt. Pure: what it wants done is said to its door, which is the actor that has it and
/// passes on what comes back.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "actors/outbox/queue.hpp"
#include "transport/clock.hpp"
#include "transport/interfaces.hpp"
#include "transport/metrics.hpp"

namespace gate::outbox {

/// Whom it delivers to, and how.
struct address {
  std::shared_ptr<const destination> to;
  std::shared_ptr<const std::string> headers;  ///< as those of a `fetch`
};

/// What its actor does for it.
class courier_door {
 public:
  virtual void start(fetch_ptr what) = 0;
  virtual void abandon(std::uint64_t fetch) = 0;
  /// `courier::on_time` is to be called with this time, then.
  virtual void wake(time_point at) = 0;
  virtual time_point now() const = 0;
  // For the log.
  /// The first delivery has failed, for this reason.
  virtual void fails(std::string_view why) = 0;
  /// One is taken again; meanwhile so many items were lost.
  virtual void works(std::size_t lost) = 0;

 protected:
  ~courier_door() = default;
};

struct courier_parts {
  address where;
  bounds most;
  std::chrono::milliseconds answer;  ///< an attempt has so long
  /// The body of a delivery.
  std::function<std::string(const queue::batch&)> pack;
  random_source random;
  metrics::value overflow, failed;  ///< items that are lost
};

class courier {
 public:
  courier(courier_door& door, courier_parts parts);

  void put(queue::item it);
  void on_fetched(const fetched& f);
  /// An answer that may have no end is none.
  void on_streamed(const streamed& s);
  /// It was to be woken then; all but the latest such time are over.
  void on_time(time_point at);
  /// Nobody will deliver any of it.
  void lose_all();
  /// What there is has so long to leave; then it is lost.
  void leave_within(std::chrono::milliseconds time);
  bool empty() const { return queue_.size() == 0; }

 private:
  void go_on();
  void send(const queue::batch& what);
  void ended(bool taken, std::string_view why);
  void note(bool well, std::string_view why);
  double spread();

  courier_door& door_;
  courier_parts parts_;
  queue queue_;
  std::uint64_t fetch_ = 0;  ///< the latest
  time_point answer_by_ = queue::never;
  time_point leave_by_ = queue::never;
  time_point armed_ = queue::never;
  std::size_t lost_ = 0;  ///< since it fails
  bool failing_ = false;
};

}  // namespace gate::outbox
