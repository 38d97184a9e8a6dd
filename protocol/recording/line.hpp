#pragma once
/// LINE: writes one event of a recording from views, behind whatever the string has already. No
/// `event` is built: a call makes about five of these. Pure.
///
///   line(out, kind::body, at, unit, 7).text(field::flaw, "timeout").bytes(field::body, b).end();
#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "protocol/recording/event.hpp"

namespace gate::recording {

/// Has an event of this kind such a member?
constexpr bool has(kind k, field f) {
  std::string_view left = row(f).in;
  while (!left.empty()) {
    const auto word = left.substr(0, left.find(' '));
    if (word == row(k).name) return true;
    left.remove_prefix(word.size() == left.size() ? word.size() : word.size() + 1);
  }
  return false;
}

class line {
 public:
  line(std::string& out, kind what, std::uint64_t at, std::uint64_t unit, std::uint64_t number);

  line& text(field f, std::string_view value);
  /// Of any bytes: where they are not UTF-8, as base64 in the member of the other name.
  line& bytes(field f, std::string_view value);
  line& number(field f, std::uint64_t value);
  /// Absent if it is false.
  line& flag(field f, bool value);
  /// `value`: exactly one JSON value; line feeds in it become blanks.
  line& json(field f, std::string_view value);
  template <class Header>
  line& headers(field f, std::span<const Header> all) {
    begin(f, shape::headers);
    append_headers(out_, all);
    return *this;
  }
  /// As `append_headers` has written them.
  line& written_headers(field f, std::string_view written);
  line& events(field f, std::span<const sse::event> all);
  /// The line is complete.
  void end();

  /// `[["name","value"],…]`.
  template <class Header>
  static void append_headers(std::string& out, std::span<const Header> all) {
    out += '[';
    for (const auto& h : all) append_header(out, h.name, h.value);
    out += ']';
  }
  /// One more; in an array that is begun.
  static void append_header(std::string& out, std::string_view name, std::string_view value);

 private:
  void begin(field f, shape s);

  std::string& out_;
  kind what_;
};

/// The first line of a recording, and the last.
void append_preamble(std::string& out, const preamble& p);
void append_ending(std::string& out, ending how);

}  // namespace gate::recording
