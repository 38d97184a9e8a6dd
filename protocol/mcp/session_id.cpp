#include "protocol/mcp/session_id.hpp"

namespace gate::mcp {

namespace {

constexpr std::size_t id_length = 34;

int digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void append_hex(std::string& out, std::uint8_t byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += digits[byte >> 4];
  out += digits[byte & 0xF];
}

}  // namespace

std::string make_session_id(const std::array<std::uint8_t, 16>& random, std::uint8_t unit) {
  std::string id;
  id.reserve(id_length);
  for (auto byte : random) append_hex(id, byte);
  append_hex(id, unit);
  return id;
}

std::optional<std::uint8_t> unit_of(std::string_view id) noexcept {
  if (id.size() != id_length) return {};
  for (char c : id)
    if (digit(c) < 0) return {};
  return static_cast<std::uint8_t>(digit(id[id_length - 2]) << 4 | digit(id[id_length - 1]));
}

}  // namespace gate::mcp
