#pragma once
/// The pieces that a protobuf message is made of (protobuf.dev/programming-guides/encoding): what
/// is written, and how long it will be, since a message says its length before it begins. Part of
/// protocol/trace.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace gate::trace::wire {

enum class type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

constexpr std::uint32_t tag(unsigned field, type t) {
  return field << 3U | static_cast<unsigned>(t);
}
constexpr std::size_t varint_size(std::uint64_t value) {
  std::size_t out = 1;
  for (; value >= 0x80; value >>= 7U) ++out;
  return out;
}
/// Of a member that is bytes, a text or a message.
constexpr std::size_t bytes_size(unsigned field, std::size_t inside) {
  return varint_size(tag(field, type::bytes)) + varint_size(inside) + inside;
}

// Written to the end of a string, or where a pointer is to room that is surely large enough: then
// it is moved on.
inline void put(std::string& out, std::string_view text) {
  out += text;
}
inline void put(char*& out, std::string_view text) {
  if (!text.empty()) std::memcpy(out, text.data(), text.size());
  out += text.size();
}
inline void put(std::string& out, char c) {
  out += c;
}
inline void put(char*& out, char c) {
  *out++ = c;
}

template <class Out>
void varint(Out& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) put(out, static_cast<char>(value | 0x80U));
  put(out, static_cast<char>(value));
}
template <class Out>
void head(Out& out, unsigned field, std::size_t inside) {
  varint(out, tag(field, type::bytes));
  varint(out, inside);
}
template <class Out>
void text(Out& out, unsigned field, std::string_view value) {
  head(out, field, value.size());
  put(out, value);
}
template <class Out>
void bytes(Out& out, unsigned field, std::span<const std::uint8_t> value) {
  text(out, field, {reinterpret_cast<const char*>(value.data()), value.size()});
}
template <class Out>
void number(Out& out, unsigned field, std::uint64_t value) {
  varint(out, tag(field, type::varint));
  varint(out, value);
}
template <class Out, class N>
void fixed(Out& out, unsigned field, N value) {
  varint(out, tag(field, sizeof(N) == 8 ? type::fixed64 : type::fixed32));
  for (unsigned i = 0; i < sizeof(N); ++i) put(out, static_cast<char>(value >> 8 * i & 0xFF));
}

/// Reads one; every length is checked. Groups, which nobody writes any more, end it.
class reader {
 public:
  explicit reader(std::string_view text) : left_(text) {}

  struct member {
    unsigned field = 0;
    wire::type type = type::varint;
    std::uint64_t number = 0;  ///< of a varint, or of fixed ones
    std::string_view inside;   ///< of bytes
  };
  /// False: it is at its end, or goes on in no valid form.
  bool next(member& out);

 private:
  bool take(std::uint64_t& out);

  std::string_view left_;
};

}  // namespace gate::trace::wire
