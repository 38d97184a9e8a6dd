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

#include "protocol/json/text_writer.hpp"
#include "protocol/recording/event.hpp"

namespace gate::recording {

class line {
 public:
  line(std::string& out, kind what, std::uint64_t at, std::uint64_t unit, std::uint64_t number)
      : out_(out), what_(what) {
    begin_line(at, unit, number);
  }
  /// In a string that is used for each line: what `end` returns is the line.
  line(std::string& room, gate::json::text_writer::again, kind what, std::uint64_t at,
       std::uint64_t unit, std::uint64_t number)
      : out_(room, gate::json::text_writer::again{}), what_(what) {
    begin_line(at, unit, number);
  }
  /// Only members, to be written into many lines.
  line(std::string& out, kind what) : out_(out), what_(what) {}

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
    std::string written;
    append_headers(written, all);
    return written_headers(f, written);
  }
  /// As `append_headers` has written them.
  line& written_headers(field f, std::string_view written);
  line& events(field f, std::span<const sse::event> all);
  /// Members of an event of this kind, as another one has written them.
  line& members(std::string_view written);
  /// The line is complete: all that is in the string now.
  std::string_view end();

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
  void begin_line(std::uint64_t at, std::uint64_t unit, std::uint64_t number);
  void begin(field f, shape s);

  gate::json::text_writer out_;
  kind what_;
};

/// The first line of a recording, and the last.
void append_preamble(std::string& out, const preamble& p);
void append_ending(std::string& out, ending how);

}  // namespace gate::recording
