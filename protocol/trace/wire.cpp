#include "protocol/trace/wire.hpp"

namespace gate::trace::wire {

bool reader::take(std::uint64_t& out) {
  out = 0;
  for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    out |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool reader::next(member& out) {
  std::uint64_t key = 0;
  if (!take(key)) return false;
  out = {static_cast<unsigned>(key >> 3U), static_cast<type>(key & 7U), 0, {}};
  std::size_t fixed = 0;
  switch (out.type) {
    case type::varint:
      return take(out.number);
    case type::bytes: {
      std::uint64_t size = 0;
      if (!take(size) || size > left_.size()) return false;
      out.inside = left_.substr(0, static_cast<std::size_t>(size));
      left_.remove_prefix(out.inside.size());
      return true;
    }
    case type::fixed64:
      fixed = 8;
      break;
    case type::fixed32:
      fixed = 4;
      break;
    default:
      return false;
  }
  if (left_.size() < fixed) return false;
  for (std::size_t i = 0; i < fixed; ++i)
    out.number |= std::uint64_t{static_cast<std::uint8_t>(left_[i])} << 8 * i;
  left_.remove_prefix(fixed);
  return true;
}

}  // namespace gate::trace::wire
