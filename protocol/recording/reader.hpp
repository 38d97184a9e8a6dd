#pragma once
/// Reads a recording, line by line: what each says (parse.hpp), and whether it can be said there:
/// the first line first, nothing behind the last, what a unit did in the order of its times, events
/// of requests and fetches that have begun and are not over. Pure; who has a file asks with its
/// lines (simulations/recording/load.hpp). Of what was read it keeps the numbers. Problems begin
/// with the line: "line 17: …".
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "protocol/base/result.hpp"
#include "protocol/recording/event.hpp"

namespace gate::recording {

class reader {
 public:
  /// Takes the next line, without its line feed: an event, or nothing if it was the first or the
  /// last. After a problem the reader is as before it.
  result<std::optional<event>> take(std::string_view line);
  /// The same, with the event written into `to`, which is a new one; false: the line was none.
  result<bool> take(std::string_view line, event& to);
  /// The same of a line behind the first that was parsed already: `said` is what parse_line said.
  result<bool> take(std::string_view line, const result<recording::ending>& said, event& to);

  /// Of the first line, once that was taken.
  const std::optional<preamble>& first() const { return first_; }
  /// `none` until the last line was taken.
  ending end() const { return end_; }
  /// How many lines were taken.
  std::uint64_t lines() const { return lines_; }

 private:
  /// What became of a request or fetch, and where.
  enum class stage : std::uint8_t { begun, streams, over };
  struct life {
    std::uint64_t line = 0;    ///< where it began
    std::uint64_t latest = 0;  ///< where it came into this stage
    reader::stage stage = stage::begun;
  };
  /// Requests of a unit, or its fetches, by their numbers.
  using lives = std::unordered_map<std::uint64_t, life>;

  /// The latest of a unit's lines that are in their order.
  struct moment {
    std::uint64_t at = 0, line = 0;
  };

  /// Is it one that can stand there, whatever it says?
  std::optional<problem> out_of_place(std::string_view line) const;
  std::optional<problem> note(const event& e);
  std::optional<problem> is_for_somebody(const event& e) const;
  /// `next`: what becomes of whose it is, as if it had begun here.
  std::optional<problem> live(const event& e, life& next);
  std::optional<problem> begin(const event& e, const lives& all) const;
  std::optional<problem> go_on(const event& e, life& l) const;
  lives& lives_of(const event& e);

  header_memo memo_;
  std::optional<preamble> first_;
  ending end_ = ending::none;
  std::uint64_t lines_ = 0;
  std::unordered_map<std::uint64_t, lives> requests_, fetches_, operations_;  ///< by unit
  std::unordered_map<std::uint64_t, moment> latest_;                          ///< likewise
};

/// "line 17: …"
problem at_line(std::uint64_t line, std::string_view what);

}  // namespace gate::recording
