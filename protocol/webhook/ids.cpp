#include "protocol/webhook/ids.hpp"

#include <algorithm>

namespace gate::webhook {
namespace {

constexpr std::string_view crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t time_digits = 10, random_digits = 16;
constexpr std::size_t ulid_digits = time_digits + random_digits;

/// The last 5 * `count` bits of `value`, the highest first.
void append_digits(std::string& out, std::uint64_t value, std::size_t count) {
  for (auto left = count; left-- > 0;) out += crockford[value >> (5 * left) & 31U];
}

}  // namespace

std::string_view prefix_of(id_kind k) noexcept {
  switch (k) {
    case id_kind::webhook:
      return "hook_";
    case id_kind::event:
      return "evt_";
    case id_kind::delivery:
      break;
  }
  return "dlv_";
}

std::string ulid(wall_time at, std::span<const std::uint8_t, ulid_random_bytes> random) {
  constexpr std::int64_t last = (std::int64_t{1} << 48) - 1;
  std::string out;
  out.reserve(ulid_digits);
  const auto ms = std::clamp<std::int64_t>(at.time_since_epoch().count(), 0, last);
  append_digits(out, static_cast<std::uint64_t>(ms), time_digits);
  for (std::size_t half = 0; half < 2; ++half) {  // five bytes are eight digits
    std::uint64_t bits = 0;
    for (const auto byte : random.subspan(5 * half, 5)) bits = bits << 8 | byte;
    append_digits(out, bits, random_digits / 2);
  }
  return out;
}

bool is_id(id_kind k, std::string_view text) noexcept {
  const auto prefix = prefix_of(k);
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  if (text.size() != ulid_digits || text.front() > '7') return false;  // 130 bits have no meaning
  return text.find_first_not_of(crockford) == text.npos;
}

std::string id_maker::operator()(id_kind k, wall_time now) {
  if (used_ == drawn_.size()) {
    from_(drawn_);
    used_ = 0;
  }
  const auto random = std::span(drawn_).subspan(used_).first<ulid_random_bytes>();
  used_ += ulid_random_bytes;
  return std::string(prefix_of(k)) + ulid(now, random);
}

}  // namespace gate::webhook
