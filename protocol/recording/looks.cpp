#include "protocol/recording/looks.hpp"

#include <algorithm>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gate::recording {
namespace {

bool of_base64url(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
         c == '_';
}
bool is_hex_digit(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/// Behind the part that begins at `at`.
std::size_t part_end(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && of_base64url(text[at])) ++at;
  return at;
}

}  // namespace

bool looks_harmless(std::string_view text) noexcept {
  // The third letter of each token, as below.
  const auto harmless = [](char c) { return c != 'J' && c != '\\'; };
  const char* p = text.data();
  const char* const end = p + text.size();
#if defined(__SSE2__)
  if (text.size() >= 16) {
    const auto odd = [](const char* at) {
      const auto block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      return _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('J')),
                          _mm_cmpeq_epi8(block, _mm_set1_epi8('\\')));
    };
    __m128i seen = odd(end - 16);  // what of it the others have, too, is looked at twice
    for (; end - p > 16; p += 16) seen = _mm_or_si128(seen, odd(p));
    if (_mm_movemask_epi8(seen) != 0) return false;
    p = end;
  }
#endif
  return std::all_of(p, end, harmless) && find_session(text, 0).at == std::string_view::npos;
}

look_found find_token(std::string_view text, std::size_t from) noexcept {
  // By its third letter, which is rare in JSON.
  for (auto at = from + 2; (at = text.find('J', at)) != std::string_view::npos; ++at) {
    if (text[at - 1] != 'y' || text[at - 2] != 'e') continue;
    auto end = part_end(text, at + 1);
    std::size_t parts = 1;
    while (parts < 5 && end < text.size() && text[end] == '.') {
      end = part_end(text, end + 1);
      ++parts;
    }
    if (parts >= 3) return {at - 2, end - (at - 2)};
    at = end - 1;  // what begins within these parts has no more of them
  }
  return {};
}

look_found find_session(std::string_view text, std::size_t from) noexcept {
  constexpr std::size_t digits = 34;
  // Whatever has so many digits has one here.
  for (auto at = from + digits - 1; at < text.size(); at += digits) {
    if (!is_hex_digit(text[at])) continue;
    auto begin = at, end = at + 1;
    while (begin > from && is_hex_digit(text[begin - 1])) --begin;
    while (end < text.size() && is_hex_digit(text[end])) ++end;
    if (end - begin == digits) return {begin, digits};
    at = end - 1;
  }
  return {};
}

}  // namespace gate::recording
