#pragma once
/// TEXT WRITER: appends to a string piece by piece, and looks at its room once for many of them.
/// For texts that are put together for each call: lines of recordings and of the audit trail. What
/// it has appended is in the string when it is done. Pure.
#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace gate::json {

class text_writer {
 public:
  explicit text_writer(std::string& out) : out_(out), to_(out.data() + out.size()), end_(to_) {}
  /// `room` is used again and again: what is written begins at its beginning and is what
  /// `finish` returns; its size says nothing.
  struct again {};
  text_writer(std::string& room, again)
      : out_(room), to_(room.data()), end_(to_ + room.size()), trims_(false) {}
  ~text_writer() {
    if (trims_) done();
  }
  text_writer(const text_writer&) = delete;
  text_writer& operator=(const text_writer&) = delete;

  void put(std::string_view piece) {
    if (piece.empty()) return;  // of nothing there may be no address
    need(piece.size());
    std::memcpy(to_, piece.data(), piece.size());
    to_ += piece.size();
  }
  void put(char c) {
    need(1);
    *to_++ = c;
  }
  /// The first `size` bytes of a text whose room is known.
  template <std::size_t N>
  void put(const std::array<char, N>& text, std::size_t size) {
    need(N);
    std::memcpy(to_, text.data(), N);
    to_ += size;
  }
  template <std::unsigned_integral Number>
  void put(Number value) {
    if (value < 10) return put(static_cast<char>('0' + value));
    put_number(value);
  }
  /// As a JSON string, as `append_quoted` has it.
  void quoted(std::string_view text);
  /// The same if nothing in it has to be escaped but quotes and backslashes. Else false, and
  /// nothing is written.
  bool quoted_if_simple(std::string_view text);
  /// The last bytes were not meant.
  void take_back(std::size_t bytes) { to_ -= bytes; }

  /// What was written is in the string, and nothing else; more may be.
  void done() {
    out_.resize(static_cast<std::size_t>(to_ - out_.data()));
    end_ = to_;
  }
  /// All of it. Nothing more is written, and the string is its owner's again.
  std::string_view finish() {
    if (std::exchange(trims_, false)) done();
    return {out_.data(), static_cast<std::size_t>(to_ - out_.data())};
  }

 private:
  void need(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - to_) < bytes) make_room(bytes);
  }
  void make_room(std::size_t bytes);
  void put_number(std::uint64_t value);

  std::string& out_;
  char* to_;
  char* end_;  ///< of the room
  bool trims_ = true;
};

}  // namespace gate::json
