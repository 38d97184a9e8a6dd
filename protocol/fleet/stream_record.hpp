#pragma once
/// What the instances of a fleet tell each other about the stream of a call that runs at one of
/// them, whose client has come back for it (`Last-Event-ID`) to another one: pure, bounded.
///
///   where the client is           where the call runs
///   resumption ->                 none or over: there is no such stream, or it has ended
///                                 begins, then runs (if the call does), events …, ends
///   mark, now and then ->         here, as often
///   mark `gone` ->                (its client has left)
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gate::fleet {

/// To all that hold the session.
struct resumption {
  std::uint64_t waits = 0;  ///< the sender's number for the client that has come
  std::string event_id{};   ///< its `Last-Event-ID`
  bool operator==(const resumption&) const = default;
};

/// Back from the one that knows the stream.
struct stream_piece {
  enum class what : std::uint8_t {
    none,    ///< it is not known here, or forgotten
    over,    ///< it has ended, and the client has all of it
    begins,  ///< it goes on there
    runs,    ///< its call does, by this id (raw): `text`
    events,  ///< `text` as it goes onto the wire
    here,    ///< nothing new
    ends,    ///< nothing more is said
  };
  std::uint64_t waits = 0;
  std::uint64_t number = 0;  ///< of the pieces of this stream, from 1: if one is missing, all is
  what is = what::none;
  std::string text{};
  bool operator==(const stream_piece&) const = default;
};

/// To that one: how much of it its client has taken.
struct stream_mark {
  std::uint64_t waits = 0;
  std::uint64_t taken = 0;  ///< bytes of all events
  bool gone = false;        ///< nobody takes any more of it
  bool operator==(const stream_mark&) const = default;
};

std::string encode(const resumption& r);
std::string encode(const stream_piece& p);
std::string encode(const stream_mark& m);
/// Nothing if it is none, or larger than a word may be.
std::optional<resumption> read_resumption(std::string_view bytes);
std::optional<stream_piece> read_stream_piece(std::string_view bytes);
std::optional<stream_mark> read_stream_mark(std::string_view bytes);

}  // namespace gate::fleet
