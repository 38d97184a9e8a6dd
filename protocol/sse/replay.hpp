#pragma once
/// What the event streams of one client session have said lately, so that a client whose connection
/// broke can go on where it was (MCP 2025-11-25 /basic/transports, Resumability and Redelivery). An
/// event's id is `{stream}-{number}`: stream 0 is the session's own, each other belongs to one
/// call; numbers rise over the whole session. Pure; part of ROUTER, and of the shim's SESSION.
///
///   kept until      it is older than `limits::replay_time`, or more than `limits::replay_bytes`
///                   or `limits::replay_events` came after it, or the unit's sessions together
///                   keep more than `limits::replay_total`, and this one has most
///                   (replay_pool.hpp); of ended streams no more than `limits::replay_streams` are
///                   known
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/sse/replay_pool.hpp"

namespace gate::sse {

class replay {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::uint64_t own_stream = 0;

  struct position {
    std::uint64_t stream = 0;
    std::uint64_t number = 0;
    bool operator==(const position&) const = default;
  };
  /// Nothing if the text is not an id of ours.
  static std::optional<position> read(std::string_view event_id);

  explicit replay(std::shared_ptr<replay_pool> pool) : pool_(std::move(pool)) {}
  ~replay() { clear(); }
  replay(const replay&) = delete;
  replay& operator=(const replay&) = delete;

  /// Nothing has been said yet: streams and events are numbered from here on, so that none is taken
  /// for what was said elsewhere.
  void number_from(std::uint64_t first) {
    next_stream_ = next_number_ = first;
    own_floor_ = first - 1;
  }
  /// A new stream of a call.
  std::uint64_t open() { return next_stream_++; }
  /// An event without content at the beginning of a stream: its id is where to resume from.
  std::string prime(std::uint64_t stream);
  /// The event as it goes onto the wire. It is kept, if there is room.
  std::shared_ptr<const std::string> add(std::uint64_t stream, std::string_view data,
                                         time_point now);
  /// Would a message of this size be kept?
  bool keeps(std::size_t bytes) const;
  /// Nothing more comes on this stream.
  void end(std::uint64_t stream);
  /// The stream and what it said are forgotten.
  void forget(std::uint64_t stream);
  void forget_before(time_point t);

  enum class state : std::uint8_t { lost, open, ended };
  /// `send(event)` for everything that is kept of what the stream said after `p`, in order. `lost`:
  /// nothing is known of the stream, something is missing of the session's own, or all is missing
  /// of a call's; then `send` is not called. (A call's answer comes last: it is worth having even
  /// where what went before it is gone.)
  state after(position p, const std::function<void(std::string_view)>& send) const;

  /// The same, but for who would rather have the rest than nothing: everything that is kept of the
  /// stream after `p`. False: there was more.
  bool kept_after(position p, const std::function<void(std::string_view)>& send) const;

  /// Where a stream is now: `after` it comes what is added from now on.
  position now_at(std::uint64_t stream) const { return {stream, next_number_ - 1}; }

  std::size_t bytes() const { return bytes_; }
  bool empty() const { return events_.empty() && streams_.empty(); }

 private:
  friend class replay_pool;

  struct event {
    position at;
    time_point since;
    std::shared_ptr<const std::string> text;
  };
  struct stream {
    std::uint64_t missing = 0;  ///< the number of the latest event that is gone; 0: none is
    bool ended = false;
    time_point since;  ///< last said something
  };

  stream& of(std::uint64_t number);
  void drop(const event& e);
  void drop_oldest();
  void clear();

  std::list<event> events_;  ///< oldest first
  std::map<std::uint64_t, stream> streams_;
  std::uint64_t next_stream_ = 1;
  std::uint64_t next_number_ = 1;
  std::uint64_t own_floor_ = 0;  ///< of the session's own stream, this and what was before is gone
  std::size_t bytes_ = 0;
  std::shared_ptr<replay_pool> pool_;
  std::optional<std::size_t> rank_;  ///< the pool's
};

}  // namespace gate::sse
