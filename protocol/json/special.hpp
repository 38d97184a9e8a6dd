#pragma once
/// SPECIAL: the bytes at which a scanner of strings stops: a quote, a backslash, what may not stand
/// in a string, and if it looks for UTF-8 all that is not ASCII. Pure; part of the scanner.
#include <cstddef>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gate::json {

/// Must a string scanner stop at `c`? With `Utf8` also at bytes outside ASCII.
template <bool Utf8>
constexpr bool special(char c) noexcept {
  auto u = static_cast<unsigned char>(c);
  return u == '"' || u == '\\' || u < 0x20 || (Utf8 && u >= 0x80);
}

#if defined(__SSE2__)
/// A bit for each of 16 bytes: is it special?
template <bool Utf8>
[[gnu::always_inline]] inline unsigned special_among(__m128i bytes) noexcept {
  __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                             _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
  if constexpr (Utf8) {  // signed: bytes from 0x80 are negative and so below 0x20 as well
    hit = _mm_or_si128(hit, _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)));
  } else {
    const __m128i last_control = _mm_set1_epi8(0x1F);
    hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_max_epu8(bytes, last_control), last_control));
  }
  return static_cast<unsigned>(_mm_movemask_epi8(hit));
}
#endif

/// The first special byte in [p, end), or `end`.
template <bool Utf8>
[[gnu::always_inline]] inline const char* find_special(const char* p, const char* end) noexcept {
#if defined(__SSE2__)
  for (; end - p >= 16; p += 16) {
    const auto v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    if (const auto mask = special_among<Utf8>(v)) return p + __builtin_ctz(mask);
  }
  if (end - p >= 8) {
    const auto v = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    if (const auto mask = special_among<Utf8>(v) & 0xFF) return p + __builtin_ctz(mask);
    p += 8;
  }
#endif
  while (p != end && !special<Utf8>(*p)) ++p;
  return p;
}

/// Length of the well-formed UTF-8 sequence at `p` (Unicode 15, table 3-7), or 0.
[[gnu::always_inline]] inline std::size_t utf8_length(const char* p, const char* end) noexcept {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(p[i]); };
  auto tail = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  auto room = static_cast<std::size_t>(end - p);
  if (room == 0) return 0;
  unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xE0) return first >= 0xC2 && room >= 2 && tail(1) ? 2 : 0;
  if (room < 3) return 0;
  // Overlong forms, surrogates and what lies beyond U+10FFFF show in the first two bytes.
  unsigned two = first << 8 | byte(1);
  if (first < 0xF0)
    return tail(1) && tail(2) && two >= 0xE0A0 && (two < 0xEDA0 || two > 0xEDBF) ? 3 : 0;
  return room >= 4 && tail(1) && tail(2) && tail(3) && two >= 0xF090 && two <= 0xF48F ? 4 : 0;
}

}  // namespace gate::json
