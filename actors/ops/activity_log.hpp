#pragma once
/// The latest events of the audit trail, for viewers: bounded in number and bytes, the oldest go
/// first. Each has a number that grows and from whose gaps nothing can be told of others' events:
/// the microsecond at which it came, or a later one if that is taken. Pure; part of ACTIVITY.
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "actors/messages/audit.hpp"
#include "protocol/limits.hpp"

namespace gate::ops {

/// Appends the event as one JSON object, with `seq`. `whole`: with what operators only see.
void append_activity(std::string& out, std::uint64_t seq, const audit::event& e, bool whole);

class activity_log {
 public:
  using event_ptr = std::shared_ptr<const audit::event>;

  explicit activity_log(std::size_t most = limits::activity_events,
                        std::size_t most_bytes = limits::activity_bytes)
      : most_(most), most_bytes_(most_bytes) {}

  void add(event_ptr e, std::chrono::system_clock::time_point now);
  /// Of the latest event; 0: there was none.
  std::uint64_t latest() const { return latest_; }
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

  /// `{"events":[…],"next":seq}`.
  std::string page(const read_activity& q) const;

  /// What a stream is told: whole server-sent events.
  struct portion {
    std::string text;
    std::size_t events = 0;
  };
  /// Of the events behind `since` the first, at most `limit`; how many others there are is told
  /// behind them.
  portion behind(std::uint64_t since, const event_filter& whose, std::size_t limit) const;

 private:
  struct entry {
    std::uint64_t seq = 0;
    event_ptr event;
    std::size_t bytes = 0;
  };
  using place = std::deque<entry>::const_iterator;
  place first_behind(std::uint64_t since) const;

  std::deque<entry> entries_;
  std::size_t most_, most_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t latest_ = 0;
};

}  // namespace gate::ops
