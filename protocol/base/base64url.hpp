#pragma once
/// base64url without padding (RFC 4648 §5, RFC 7515 §2), strictly: one spelling for each content.
#include <optional>
#include <string>
#include <string_view>

namespace gate {

/// Nothing if there is a character outside the alphabet (padding and white space included), an
/// impossible length, or a spare bit that is not zero.
std::optional<std::string> base64url_decode(std::string_view text);
std::string base64url_encode(std::string_view bytes);

}  // namespace gate
