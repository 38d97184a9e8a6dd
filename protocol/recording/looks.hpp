#pragma once
/// LOOKS: what is a secret by what it looks like: a signed token (three parts of base64url, the
/// first of which is JSON: `eyJ…`), and a session id of this gateway (34 hexadecimal digits). Part
/// of the redactor. Pure.
#include <cstddef>
#include <string_view>

namespace gate::recording {

struct look_found {
  std::size_t at = std::string_view::npos;  ///< npos: nothing was found
  std::size_t size = 0;
};

/// Surely neither, nor a backslash, behind which something may hide: most texts are so, and this is
/// one look at each byte. (Others may be, too.)
bool looks_harmless(std::string_view text) noexcept;

// Each: the first in `text` from `from` on.
look_found find_token(std::string_view text, std::size_t from) noexcept;
look_found find_session(std::string_view text, std::size_t from) noexcept;

}  // namespace gate::recording
