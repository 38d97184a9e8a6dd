#pragma once
/// Values out of bytes: the replies of a Redis server, as RESP3 and RESP2 have them, however they
/// are cut into reads. What has been read is not read again, so the work is linear in the bytes.
/// Bounded: an endless reply, and one with too many or too deep parts, is an error, as is anything
/// that is no RESP; nothing is read behind an error. Attributes, which nobody asks for, are left
/// out. Pure; a connection to the store has one.
///
///   take(bytes) -> next() -> value, value, ... nothing: more bytes, or `why`
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/limits.hpp"
#include "protocol/resp/value.hpp"

namespace gate::resp {

struct bounds {
  std::size_t bytes = limits::store_reply_bytes;
  std::size_t elements = limits::store_reply_elements;
  std::size_t depth = limits::store_reply_depth;
  std::size_t line = limits::store_line_bytes;
};

class reader {
 public:
  explicit reader(bounds most = {}) : most_(most) {}

  void take(std::string_view bytes);
  /// The next complete value, good until this is asked again or more bytes are taken.
  std::optional<value> next();
  /// Of the value that `next` gave last.
  std::size_t size() const { return at_ - begin_; }
  /// What was wrong with the bytes; empty: nothing.
  const std::string& why() const { return why_; }
  /// Bytes that are kept of what is not complete yet.
  std::size_t held() const { return kept_.size() - begin_; }

 private:
  /// A list, map, set, push or attribute that is not complete.
  struct open {
    std::size_t node = 0;  ///< of `nodes_`; of an attribute: where its nodes begin
    std::size_t left = 0;  ///< values to come
    bool attribute = false;
  };
  enum class step { done, more, wrong };

  step fail(std::string what);
  step read_value();
  /// The line at `at_`, without its type and its end; `at_` is behind it then.
  step read_line(std::string_view& line);
  step read_bulk(kind what, std::string_view length);
  step finish_bulk();
  step read_number(std::string_view line);
  step read_real(std::string_view line);
  step read_big_number(std::string_view line);
  step begin_list(kind what, std::string_view count, std::size_t each);
  step begin_attribute(std::string_view count);
  step of_line(char type, std::string_view line);
  /// So many values are in what begins here; wrong: too many.
  step counted(std::string_view text, std::size_t each, std::size_t& count);
  step add(node n);
  /// A value is complete: perhaps the list that it is in is as well.
  void close();

  bounds most_;
  std::string kept_;
  std::size_t begin_ = 0;  ///< of the value that is being read
  std::size_t at_ = 0;     ///< read so far
  std::size_t seen_ = 0;   ///< no end of the line up to here
  std::vector<node> nodes_;
  std::vector<open> open_;
  std::size_t elements_ = 0;  ///< of this value, those to come as well
  /// A bulk whose length is known, and whose bytes are not all there.
  std::optional<kind> bulk_;
  std::size_t bulk_size_ = 0;
  bool verbatim_ = false;
  bool complete_ = false;
  std::string why_;
};

/// A value that is all of `text`, for tests and for fakes; throws if it is not.
reply_ptr parse(std::string_view text);

}  // namespace gate::resp
