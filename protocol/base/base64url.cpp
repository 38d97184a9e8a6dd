#include "protocol/base/base64url.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gate {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint8_t;

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Marks what is no digit; its high bit survives when the values of a group are or-ed.
constexpr uint8_t none = 0x80;

constexpr auto values = [] {
  std::array<uint8_t, 256> table{};
  table.fill(none);
  for (size_t i = 0; i < alphabet.size(); ++i)
    table[static_cast<uint8_t>(alphabet[i])] = static_cast<uint8_t>(i);
  return table;
}();

uint32_t value_of(char c) {
  return values[static_cast<uint8_t>(c)];
}

uint32_t byte_of(char c) {
  return static_cast<uint8_t>(c);
}

char low_byte(uint32_t bits) {
  return static_cast<char>(bits & 0xFF);
}

}  // namespace

std::optional<std::string> base64url_decode(std::string_view text) {
  const size_t rest = text.size() % 4;
  if (rest == 1) return {};  // six bits are no byte
  std::string out(text.size() / 4 * 3 + (rest == 0 ? 0 : rest - 1), '\0');
  char* to = out.data();
  size_t i = 0;
  for (; i + 4 <= text.size(); i += 4) {
    const uint32_t a = value_of(text[i]), b = value_of(text[i + 1]), c = value_of(text[i + 2]),
                   d = value_of(text[i + 3]);
    if ((a | b | c | d) & none) return {};
    const uint32_t bits = a << 18 | b << 12 | c << 6 | d;
    *to++ = low_byte(bits >> 16);
    *to++ = low_byte(bits >> 8);
    *to++ = low_byte(bits);
  }
  if (rest == 0) return out;
  const uint32_t a = value_of(text[i]), b = value_of(text[i + 1]);
  const uint32_t c = rest == 3 ? value_of(text[i + 2]) : 0;
  if ((a | b | c) & none) return {};
  const uint32_t bits = a << 18 | b << 12 | c << 6;
  // What the last digit says beyond the last byte: were it ignored, a text would have a twin.
  if (bits & (rest == 2 ? 0xFFFF : 0xFF)) return {};
  *to++ = low_byte(bits >> 16);
  if (rest == 3) *to++ = low_byte(bits >> 8);
  return out;
}

std::string base64url_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() * 4 + 2) / 3);
  const auto put = [&out](uint32_t bits, int digits) {
    for (int shift = 18; digits-- > 0; shift -= 6) out += alphabet[bits >> shift & 0x3F];
  };
  size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3)
    put(byte_of(bytes[i]) << 16 | byte_of(bytes[i + 1]) << 8 | byte_of(bytes[i + 2]), 4);
  if (bytes.size() - i == 1) put(byte_of(bytes[i]) << 16, 2);
  if (bytes.size() - i == 2) put(byte_of(bytes[i]) << 16 | byte_of(bytes[i + 1]) << 8, 3);
  return out;
}

}  // namespace gate
