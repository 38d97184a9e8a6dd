#include "actors/fleet/scope_names.hpp"

#include <array>

namespace gate::fleet {

std::string hex(std::uint64_t n) {
  std::array<std::uint8_t, 8> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(n >> (56 - 8 * i));
  return hex(std::span<const std::uint8_t>(bytes));
}

std::string hex(std::span<const std::uint8_t> bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const auto b : bytes) {
    out += digits[b >> 4U];
    out += digits[b & 15U];
  }
  return out;
}

std::string scope_name(const scope_key& key) {
  switch (key.what) {
    case scope::server:
      break;
    case scope::tenant:
      return "tenant:" + key.name;
    case scope::principal:
      return "principal:" + hex(key.number);
    case scope::upstream:
      return "upstream:" + key.name;
  }
  return "server";
}

}  // namespace gate::fleet
