#pragma once
/// The pieces that a protobuf message is made of (protobuf.dev/programming-guides/encoding): what
/// is written, and how long it will be, since a message says its length before it begins. Part of
/// protocol/trace.
#include <array>
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

// Written where there is surely room enough; what follows belongs where they return. (The pointer
// goes by value: through a reference each byte that is written might be the pointer's own.)
inline char* put(char* out, std::string_view text) {
  if (!text.empty()) std::memcpy(out, text.data(), text.size());
  return out + text.size();
}
inline char* varint(char* out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) *out++ = static_cast<char>(value | 0x80U);
  *out++ = static_cast<char>(value);
  return out;
}
/// Of a member that is bytes, a text or a message; what is in it follows.
inline char* head(char* out, unsigned field, std::size_t inside) {
  return varint(varint(out, tag(field, type::bytes)), inside);
}
inline char* text(char* out, unsigned field, std::string_view value) {
  return put(head(out, field, value.size()), value);
}
inline char* bytes(char* out, unsigned field, std::span<const std::uint8_t> value) {
  return text(out, field, {reinterpret_cast<const char*>(value.data()), value.size()});
}
inline char* number(char* out, unsigned field, std::uint64_t value) {
  return varint(varint(out, tag(field, type::varint)), value);
}
template <class N>
char* fixed(char* out, unsigned field, N value) {
  out = varint(out, tag(field, sizeof(N) == 8 ? type::fixed64 : type::fixed32));
  for (unsigned i = 0; i < sizeof(N); ++i) out[i] = static_cast<char>(value >> 8 * i & 0xFF);
  return out + sizeof(N);
}

/// The longest head of a member, and the longest number with its tag.
constexpr std::size_t head_most = 15, number_most = 15;

// To the end of a string.
inline void head(std::string& out, unsigned field, std::size_t inside) {
  std::array<char, head_most> room;
  out.append(room.data(), head(room.data(), field, inside));
}
inline void text(std::string& out, unsigned field, std::string_view value) {
  head(out, field, value.size());
  out += value;
}
inline void number(std::string& out, unsigned field, std::uint64_t value) {
  std::array<char, number_most> room;
  out.append(room.data(), number(room.data(), field, value));
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
