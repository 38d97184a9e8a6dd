#include "protocol/json/text_writer.hpp"

#include <bit>

#include "protocol/json/scan.hpp"
#include "protocol/json/special.hpp"

namespace gate::json {
namespace {

/// Room beyond what is needed now: most lines fit.
constexpr std::size_t spare = 512;
constexpr std::size_t most_digits = 20;
/// "00" to "99".
consteval auto make_pairs() {
  std::array<char, 200> out{};
  for (std::size_t i = 0; i < 100; ++i) {
    out[2 * i] = static_cast<char>('0' + i / 10);
    out[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return out;
}
constexpr auto pairs = make_pairs();
/// 1, 10, 100, …
consteval auto make_powers() {
  std::array<std::uint64_t, most_digits> out{};
  std::uint64_t power = 1;
  for (auto& one : out) {
    one = power;
    power *= 10;
  }
  return out;
}
constexpr auto powers = make_powers();
/// How many digits a number has that is not 0: by its bits almost, by one look exactly.
std::size_t digits_of(std::uint64_t value) noexcept {
  constexpr std::size_t times = 1233, shift = 12;  // the logarithm of 2, of 4096 parts
  const auto about = static_cast<std::size_t>(std::bit_width(value)) * times >> shift;
  return about + (value >= powers[about] ? 1 : 0);
}
/// Longer texts are quoted run by run, without as much room as they might need.
constexpr std::size_t most_at_once = 64 * 1024;

#if defined(__SSE2__)
/// A bit for each of 16 bytes: is it a quote or a backslash?
unsigned marks_among(__m128i bytes) noexcept {
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(
      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')))));
}
__m128i block_at(const char* p) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
void write_block(char* to, __m128i bytes) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
}
#endif

}  // namespace

void text_writer::make_room(std::size_t bytes) {
  const auto size = static_cast<std::size_t>(to_ - out_.data());
  out_.resize(size + bytes + spare);
  to_ = out_.data() + size;
  end_ = out_.data() + out_.size();
}

void text_writer::quoted(std::string_view text) {
  if (quoted_if_simple(text)) return;
  done();
  append_quoted(out_, text);
  end_ = to_ = out_.data() + out_.size();
}

void text_writer::put_number(std::uint64_t value) {
  need(most_digits);
  to_ += digits_of(value);
  char* p = to_;
  for (; value >= 100; value /= 100) std::memcpy(p -= 2, pairs.data() + 2 * (value % 100), 2);
  if (value >= 10)
    std::memcpy(p - 2, pairs.data() + 2 * value, 2);
  else
    *--p = static_cast<char>('0' + value);
}

#if defined(__SSE2__)
/// At most 16 bytes: in two pieces, which may overlap, instead of by a call.
[[gnu::always_inline]] inline void copy_few(char* to, const char* p, std::size_t count) noexcept {
  const auto both = [to, p, count](auto piece) {
    std::memcpy(&piece, p, sizeof piece);
    std::memcpy(to, &piece, sizeof piece);
    std::memcpy(&piece, p + count - sizeof piece, sizeof piece);
    std::memcpy(to + count - sizeof piece, &piece, sizeof piece);
  };
  if (count >= 8) return both(std::uint64_t{});
  if (count >= 4) return both(std::uint32_t{});
  if (count >= 2) return both(std::uint16_t{});
  if (count == 1) *to = *p;
}

/// The 16 bytes at `p` as they are quoted, of which `count` belong to the text; null: they are not
/// simple. 16 bytes behind them may be read.
[[gnu::always_inline]] inline char* quote_block(char* to, const char* p, unsigned count) noexcept {
  const auto block = block_at(p);
  const auto within = (1u << count) - 1;
  auto marks = marks_among(block) & within;
  if ((special_among<true>(block) & within) != marks) return nullptr;
  write_block(to, block);
  // JSON has a quote every few bytes: for each, what follows is written once more, behind it.
  for (; marks != 0; marks &= marks - 1) {
    const auto at = __builtin_ctz(marks);
    to[at] = '\\';
    write_block(to + at + 1, block_at(p + at));
    ++to;
  }
  return to + count;
}
#endif

bool text_writer::quoted_if_simple(std::string_view text) {
  if (text.size() > most_at_once) return false;
  need(2 * text.size() + 2 + 32);  // whole blocks are written
  char* to = to_;
  const char* p = text.data();
  const char* const end = p + text.size();
  *to++ = '"';
#if defined(__SSE2__)
  for (; end - p >= 32; p += 16)
    if (!(to = quote_block(to, p, 16))) return false;
  if (end - p <= 16) {  // most texts that are short are so
    std::array<char, 32> rest{};
    copy_few(rest.data(), p, static_cast<std::size_t>(end - p));
    to = quote_block(to, rest.data(), static_cast<unsigned>(end - p));
    if (!to) return false;
  } else {
    std::array<char, 48> rest;  // behind which there is nothing to be read
    auto left = static_cast<std::size_t>(end - p);
    std::memset(rest.data(), ' ', rest.size());
    std::memcpy(rest.data(), p, left);
    if (!(to = quote_block(to, rest.data(), 16))) return false;
    left -= 16;
    to = quote_block(to, rest.data() + 16, static_cast<unsigned>(left));
    if (!to) return false;
  }
#else
  for (; p != end; ++p) {
    if (special<true>(*p)) {
      if (*p != '"' && *p != '\\') return false;
      *to++ = '\\';
    }
    *to++ = *p;
  }
#endif
  *to++ = '"';
  to_ = to;
  return true;
}

}  // namespace gate::json
