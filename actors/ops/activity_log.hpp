#pragma once
/// The latest events of the audit trail, for viewers: bounded in number and bytes, the oldest go
/// first. What nobody signed in for (a request without a good token) makes room for the rest first:
/// whoever has no token can not push out what others did. Each has a number that grows and from
/// whose gaps nothing can be told of others' events: the microsecond at which it came, or a later
/// one if that is taken. Pure; part of ACTIVITY.
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  std::size_t size() const { return named_.size() + nameless_.size(); }
  std::size_t bytes() const { return bytes_; }

  /// `{"events":[…],"next":seq}`; with `"gap":true` if some behind `since` are not kept any more.
  std::string page(const read_activity& q) const;

  /// What a stream is told: whole server-sent events.
  struct portion {
    std::string text;
    std::size_t events = 0;
  };
  /// Of the events behind `since` the first, at most `limit`; how many others there are is told
  /// behind them, and before them, without a number, that some are not kept any more.
  portion behind(std::uint64_t since, const event_filter& whose, std::size_t limit) const;

 private:
  struct entry {
    std::uint64_t seq = 0;
    event_ptr event;
    std::size_t bytes = 0;
  };
  using entries = std::deque<entry>;
  /// Those behind `since`, or all, in the order of their numbers.
  std::vector<const entry*> behind(std::optional<std::uint64_t> since,
                                   const event_filter& whose) const;
  bool lacks(std::uint64_t since) const { return since != 0 && since < dropped_; }
  void drop_one();

  entries named_, nameless_;  ///< with a principal, and without
  std::size_t most_, most_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t latest_ = 0;
  std::uint64_t dropped_ = 0;  ///< the latest that made room
};

}  // namespace gate::ops
