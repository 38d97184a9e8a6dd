#pragma once
/// base64 with padding (RFC 4648 §4), strictly: one spelling for each content. As Basic credentials
/// and signatures of webhooks have it.
#include <optional>
#include <string>
#include <string_view>

namespace gate {

/// Nothing if there is a character outside the alphabet, if padding is missing or too much, or a
/// spare bit is not zero.
std::optional<std::string> base64_decode(std::string_view text);
std::string base64_encode(std::string_view bytes);

}  // namespace gate
