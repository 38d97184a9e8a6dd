#pragma once
/// A recording, put in order for whoever plays it: each client's request with all that it was told,
/// each fetch with all that came of it. Pure; views into nothing.
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/recording/event.hpp"

namespace gate::replay {

inline constexpr std::size_t nothing = static_cast<std::size_t>(-1);

/// What a client was told.
struct told {
  std::uint64_t status = 0;  ///< 0: nothing yet
  std::string type;
  recording::header_list headers;
  std::string body;
  bool streaming = false;
  std::string stream;  ///< bytes of the stream
  bool over = false;   ///< answered, its stream ended, or let go of
  bool dropped = false;

  std::string_view header_of(std::string_view name) const;
  /// Data of the stream's events, with their ids.
  std::vector<sse::event> events() const;
  /// The message that answers the request, however it came; empty if there is none.
  std::string last() const;
};

struct visit {
  std::size_t request = nothing;  ///< index of its event
  std::size_t body = nothing;     ///< of the event that brought its body later
  told was;
  std::size_t over = nothing;  ///< of the event that ended it
  std::uint64_t over_at = 0;   ///< µs; of one that is over
  bool gone = false;           ///< its client did not wait
  bool moved = false;          ///< to another unit, where it went on
};

struct errand {
  std::size_t fetch = nothing;
  std::vector<std::size_t> told;  ///< indexes of `streamed` and `fetched`
  bool abandoned = false;
};

/// Each is large, and there are many: none is moved when more come.
using event_list = std::deque<recording::event>;

struct tape {
  recording::preamble head;
  event_list events;
  recording::ending end = recording::ending::none;

  std::vector<visit> visits;       ///< without those that only arrived from another unit
  std::vector<errand> errands;     ///< in the order in which they were asked for
  std::vector<std::size_t> whose;  ///< of each event: its visit or errand, or `nothing`

  const recording::event& request_of(const visit& v) const { return events[v.request]; }
  /// The body of the request, whenever it came.
  std::string_view body_of(const visit& v) const;
};

/// Of a block of header lines, each ending in CRLF.
std::vector<recording::header> header_lines(std::string_view block);

/// Events whose request or fetch is not in the recording belong to nothing.
tape order(recording::preamble head, event_list events, recording::ending end);

}  // namespace gate::replay
