#pragma once
/// Server-sent events, the reading side (WHATWG HTML §9.2.6): bytes in, events out, in any cutting.
/// Lines end with LF, CR or CRLF; a byte-order mark at the start, comments and unknown fields are
/// skipped; several `data` lines join with LF; an event that the stream's end cuts off is
/// discarded.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gate::sse {

struct event {
  std::string type;  ///< `event:`; empty means "message"
  std::string data;
  std::string id;       ///< of its own `id:` line; it stays in force until another event has one
  bool has_id = false;  ///< it had such a line; an empty id means that none is in force any more
};

class parser {
 public:
  /// `max_event` bounds one line and one event's data, in bytes.
  explicit parser(std::size_t max_event) : max_event_(max_event) {}

  /// Feeds bytes; for each complete event calls `f(event&&)`. An event is delivered when it has
  /// data or carried an id (a priming event: empty data, has_id). Returns false once a line or an
  /// event is too long: the stream is then unusable and further input is ignored.
  template <class F>
  bool feed(std::string_view bytes, F&& f) {
    while (!bytes.empty() && !broken_) {
      if (step(bytes)) f(take());
    }
    return !broken_;
  }

  bool broken() const noexcept { return broken_; }
  /// How many lines were read: each is work, also one that brings nothing.
  std::size_t lines() const noexcept { return lines_; }
  /// `retry:` in milliseconds, if the stream named one (digits only; others are ignored).
  std::optional<std::uint32_t> retry_ms() const noexcept { return retry_ms_; }

 private:
  /// Consumes a prefix of `bytes`; true when an event is complete and waits in `current_`.
  bool step(std::string_view& bytes);
  event take();
  bool end_of_line(std::string_view line);

  std::size_t max_event_;
  std::size_t lines_ = 0;
  std::string line_;
  event current_;
  std::optional<std::uint32_t> retry_ms_;
  bool has_data_ = false;
  bool broken_ = false;
  bool after_cr_ = false;
  bool first_line_ = true;
};

}  // namespace gate::sse
