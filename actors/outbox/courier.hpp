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

/// What an answer means for the delivery that it answers.
struct judgement {
  enum class verdict : std::uint8_t { taken, again, refused } what = verdict::taken;
  std::string why{};                      ///< unless it is taken
  std::chrono::milliseconds at_least{0};  ///< with `again`: not before
};
/// Taken is what is answered with 2xx, all else is tried again.
judgement judge_by_status(const fetched& f);
/// What an answer was, for the log.
std::string said(const fetched& f);

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
  /// Of an answer that came; what did not come is tried again.
  std::function<judgement(const fetched&)> judge = judge_by_status;
  metrics::value refused{};  ///< items that it says will never be taken
};

class courier {
 public:
  courier(courier_door& door, courier_parts parts);

  void put(queue::item it, std::size_t count = 1);
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
  void ended(const judgement& how);
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
