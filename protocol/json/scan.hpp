#pragma once
/// A validating JSON scanner (RFC 8259) that remembers where things are instead of building a
/// document. The gateway forwards payloads byte for byte, so all it ever needs of a message is that
/// it is well formed and where a few members begin and end. One pass, no allocation, no recursion.
///
/// Every view returned points into the caller's text.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/limits/messages.hpp"

namespace gate::json {

/// The most that `limits::depth` can ask for; greater values mean this.
inline constexpr std::uint32_t deepest = gate::limits::upstream_json_depth;

/// How much is accepted. `depth` counts nested arrays and objects (RFC 8259 §9 allows a limit).
struct limits {
  std::uint32_t depth = gate::limits::json_depth;
  /// Refuse strings that are not UTF-8. Off for text that was read already, and to tell why not.
  bool utf8 = true;
};

enum class fault : std::uint8_t {
  none,
  syntax,    ///< not a JSON value, or cut off
  depth,     ///< nested deeper than `limits::depth`
  encoding,  ///< a string is not UTF-8
  trailing,  ///< something follows the value
  stopped,   ///< the visitor asked to stop
};

/// A sentence for `f`, without a full stop: "JSON is nested too deeply".
std::string_view describe(fault f) noexcept;

/// Where the scanner is. Copyable; the three functions below move it.
class cursor {
 public:
  cursor(std::string_view text, limits l) noexcept
      : at_(text.data()), end_(text.data() + text.size()), begin_(text.data()), limits_(l) {}

  /// Skips white space, then returns the first byte of what follows, or 0 at the end.
  char peek() noexcept {
    while (at_ != end_) {
      if (static_cast<unsigned char>(*at_) > ' ') return *at_;  // by far the most
      if (*at_ != ' ' && *at_ != '\n' && *at_ != '\r' && *at_ != '\t') return *at_;
      ++at_;
    }
    return '\0';
  }
  /// Validates one value of any type at the current place and returns its bytes; empty on a fault.
  /// `nesting` is how many arrays and objects already surround the value.
  std::string_view value(std::uint32_t nesting = 0) noexcept;
  /// Validates one string at the current place; returns its bytes *without* the quotes, escapes as
  /// they are. `escaped` tells whether there was a backslash. Check `error()`: empty is a valid
  /// string.
  std::string_view string(bool* escaped = nullptr) noexcept;
  /// Consumes `c` after white space; false (and no fault) if something else stands there.
  bool take(char c) noexcept {
    if (peek() != c || at_ == end_) return false;
    ++at_;
    return true;
  }
  /// Records a fault, unless there is one already. Afterwards nothing is consumed any more.
  void fail(fault f) noexcept {
    if (ok()) fault_ = f;
    end_ = at_;
  }
  /// Nothing but white space is left? Otherwise `fault::trailing`.
  void finish() noexcept;

  fault error() const noexcept { return fault_; }
  bool ok() const noexcept { return fault_ == fault::none; }
  /// Bytes consumed so far; after a fault, roughly where it is.
  std::size_t offset() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

 private:
  std::string_view long_value(std::uint32_t nesting) noexcept;
  std::string_view long_string(bool* escaped) noexcept;

  const char* at_;
  const char* end_;  ///< after a fault, where that is
  const char* begin_;
  limits limits_;
  fault fault_ = fault::none;
};

/// Walks the members of the object at `c`. For each, `f(key, c)` is called with `c` at the member's
/// value, which `f` must consume (`c.value(nesting + 1)`, or a nested `members`). `key` is raw: the
/// bytes between the quotes. Faults end the walk; see `c.error()`.
template <class F>
void members(cursor& c, F&& f) {
  if (!c.take('{')) return c.fail(fault::syntax);
  if (c.take('}')) return;
  do {
    if (c.peek() != '"') return c.fail(fault::syntax);
    auto key = c.string();
    if (!c.ok()) return;
    if (!c.take(':')) return c.fail(fault::syntax);
    f(key, c);
    if (!c.ok()) return;
  } while (c.take(','));
  if (!c.take('}')) c.fail(fault::syntax);
}

/// Walks the elements of the array at `c`; `f(c)` must consume one value.
template <class F>
void elements(cursor& c, F&& f) {
  if (!c.take('[')) return c.fail(fault::syntax);
  if (c.take(']')) return;
  do {
    c.peek();
    f(c);
    if (!c.ok()) return;
  } while (c.take(','));
  if (!c.take(']')) c.fail(fault::syntax);
}

/// Is `text` exactly one valid value?
fault validate(std::string_view text, limits l = {}) noexcept;

/// Do two raw scalars mean the same? Strings are compared by their characters, however these are
/// escaped (`"a\/b"` is `"a/b"`); all else byte for byte. Allocates only for strings with escapes.
bool same_scalar(std::string_view a, std::string_view b);

/// Is `raw` a JSON string that says `text`?
bool says(std::string_view raw, std::string_view text) noexcept;

/// A raw string in the one spelling that `append_quoted` has; anything else as it is.
std::string canonical(std::string_view raw);

/// The same as `same_key` for a key that is longer than `name`: an escape is longer than what it
/// stands for.
bool same_escaped_key(std::string_view raw, std::string_view name) noexcept;
/// Does a raw key, escapes resolved, spell `name`? A peer reads `"m\u0065thod"` as `"method"`, so
/// must everybody who looks for a member by its name.
inline bool same_key(std::string_view raw, std::string_view name) noexcept {
  return raw.size() <= name.size() ? raw == name : same_escaped_key(raw, name);
}

/// The raw value of member `key` of the object `text`, or empty if it is absent or `text` is not a
/// well-formed object. With duplicate keys, the first. Bounds are those of text only passed on:
/// depth `deepest`, any bytes in strings.
std::string_view member(std::string_view text, std::string_view key) noexcept;

/// Several members, each as `member` finds it, in one walk.
template <std::size_t N>
std::array<std::string_view, N> pick(std::string_view text,
                                     const std::array<std::string_view, N>& names) noexcept {
  cursor c(text, {deepest, false});
  std::array<std::string_view, N> found;
  members(c, [&](std::string_view key, cursor& at) {
    const auto value = at.value(1);
    for (std::size_t i = 0; i < N; ++i)
      if (found[i].empty() && same_key(key, names[i])) found[i] = value;
  });
  c.finish();
  return c.ok() ? found : std::array<std::string_view, N>{};
}

/// If `raw` is a JSON string, its content with escapes resolved; lone surrogates become U+FFFD.
/// False (and `out` unspecified) if `raw` is not exactly one valid string in UTF-8.
bool unquote(std::string_view raw, std::string& out);

/// The same of a string that a scanner has returned and nobody needs to look at again.
void unquote_valid(std::string_view raw, std::string& out);

/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
void append_quoted(std::string& out, std::string_view text);
std::string quoted(std::string_view text);

}  // namespace gate::json
