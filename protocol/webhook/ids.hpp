#pragma once
/// Names of webhooks, events and deliveries: a prefix and a ULID, 26 digits of Crockford's base32
/// that are 48 bits of milliseconds and 80 of chance. Those of one kind sort by their time. Pure:
/// time and randomness are handed in.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/webhook/records.hpp"

namespace gate::webhook {

enum class id_kind : std::uint8_t { webhook, event, delivery };

/// `hook_`, `evt_`, `dlv_`
std::string_view prefix_of(id_kind k) noexcept;

inline constexpr std::size_t ulid_random_bytes = 10;
/// Times before 1970 and from the year 10889 on are taken for the nearest that a ULID can tell.
std::string ulid(wall_time at, std::span<const std::uint8_t, ulid_random_bytes> random);

/// Is it an id of ours, in the one spelling that they have (capitals, no more than 128 bits)? What
/// is none needs no look into the store.
bool is_id(id_kind k, std::string_view text) noexcept;

/// Makes ids, some hundred of one draw of randomness. Not for several threads.
class id_maker {
 public:
  using random = std::function<void(std::span<std::uint8_t>)>;
  explicit id_maker(random from) : from_(std::move(from)) {}

  std::string operator()(id_kind k, wall_time now);

 private:
  random from_;
  std::array<std::uint8_t, 100 * ulid_random_bytes> drawn_{};
  std::size_t used_ = sizeof(drawn_);
};

}  // namespace gate::webhook
