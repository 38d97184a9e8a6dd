#pragma once
/// The secrets that deliveries are signed with: those that callers give, and those that are made
/// here. Pure: randomness is handed in.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"
#include "protocol/limits/webhooks.hpp"

namespace gate::webhook {

/// Secrets that begin so say a key in base64 (Standard Webhooks 1.0.0); all others are their bytes.
inline constexpr std::string_view secret_prefix = "whsec_";

/// Refused: fewer or more bytes than `limits::webhook_secret_least` and `_most`, others than those
/// of printable ASCII, and behind `whsec_` what is no base64 with padding or stands for fewer or
/// more bytes than `limits::webhook_key_least` and `_most`. What is said never tells the secret.
result<void> check_secret(std::string_view secret);

/// `whsec_` and the base64 of these bytes.
std::string new_secret(std::span<const std::uint8_t, limits::webhook_key_new> random);

/// The key of `webhook-signature`.
std::string key_of(std::string_view secret);

/// The last four digits, by which its owner knows it again; empty without a secret.
std::string_view hint_of(std::string_view secret) noexcept;

}  // namespace gate::webhook
