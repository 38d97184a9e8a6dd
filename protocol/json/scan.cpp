#include "protocol/json/scan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "protocol/json/special.hpp"

namespace gate::json {

namespace {

using std::size_t;

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// The value of a hexadecimal digit, or -1.
int hex(char c) noexcept {
  if (is_digit(c)) return c - '0';
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

[[gnu::always_inline]] inline void skip_space(const char*& p, const char* end) noexcept {
  if (p != end && static_cast<unsigned char>(*p) > ' ') return;  // by far the most
  while (p != end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) ++p;
}

/// Moves `p` from a backslash behind its escape; false if it is none.
bool skip_escape(const char*& p, const char* end) noexcept {
  if (end - p < 2) return false;
  switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      p += 2;
      return true;
    case 'u':
      if (end - p < 6) return false;
      for (int i = 2; i < 6; ++i)
        if (hex(p[i]) < 0) return false;
      p += 6;
      return true;
    default:
      return false;
  }
}

/// Moves `p` from behind an opening quote to behind the closing one.
template <bool Utf8>
[[gnu::always_inline]] inline fault skip_string(const char*& p, const char* end,
                                                bool& escaped) noexcept {
  for (;;) {
    p = find_special<Utf8>(p, end);
    if (p == end) return fault::syntax;
    if (*p == '"') {
      ++p;
      return fault::none;
    }
    if (*p == '\\') {
      escaped = true;
      if (end - p >= 2 && p[1] == '"') {  // by far the most
        p += 2;
        continue;
      }
      if (!skip_escape(p, end)) return fault::syntax;
    } else if (static_cast<unsigned char>(*p) < 0x20) {
      return fault::syntax;
    } else {
      do {  // text in other scripts comes in runs
        size_t length = utf8_length(p, end);
        if (length == 0) return fault::encoding;
        p += length;
      } while (p != end && static_cast<unsigned char>(*p) >= 0x80);
    }
  }
}

bool skip_digits(const char*& p, const char* end) noexcept {
  if (p == end || !is_digit(*p)) return false;
  do ++p;
  while (p != end && is_digit(*p));
  return true;
}

fault skip_number(const char*& p, const char* end) noexcept {
  if (*p == '-') ++p;
  if (p != end && *p == '0') {
    ++p;
  } else if (!skip_digits(p, end)) {
    return fault::syntax;
  }
  if (p != end && *p == '.') {
    ++p;
    if (!skip_digits(p, end)) return fault::syntax;
  }
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p != end && (*p == '+' || *p == '-')) ++p;
    if (!skip_digits(p, end)) return fault::syntax;
  }
  return fault::none;
}

fault skip_literal(const char*& p, const char* end, std::string_view word) noexcept {
  if (static_cast<size_t>(end - p) < word.size() || std::memcmp(p, word.data(), word.size()) != 0)
    return fault::syntax;
  p += word.size();
  return fault::none;
}

/// Anything but an array or object.
template <bool Utf8>
[[gnu::always_inline]] inline fault skip_scalar(const char*& p, const char* end) noexcept {
  bool escaped = false;
  switch (*p) {
    case '"':
      return skip_string<Utf8>(++p, end, escaped);
    case 't':
      return skip_literal(p, end, "true");
    case 'f':
      return skip_literal(p, end, "false");
    case 'n':
      return skip_literal(p, end, "null");
    default:
      return *p == '-' || is_digit(*p) ? skip_number(p, end) : fault::syntax;
  }
}

/// `"key" :`, white space before it allowed.
template <bool Utf8>
[[gnu::always_inline]] inline fault skip_key(const char*& p, const char* end) noexcept {
  bool escaped = false;
  skip_space(p, end);
  if (p == end || *p != '"') return fault::syntax;
  if (auto f = skip_string<Utf8>(++p, end, escaped); f != fault::none) return f;
  skip_space(p, end);
  if (p == end || *p != ':') return fault::syntax;
  ++p;
  return fault::none;
}

/// The open arrays and objects, a bit each: 1 for an object. The innermost 64 are in one register.
class open_set {
 public:
  std::uint32_t depth() const noexcept { return depth_; }
  bool in_object() const noexcept { return bits_ & 1; }
  void push(bool object) noexcept {
    if (depth_ % 64 == 0 && depth_ != 0) outer_[depth_ / 64 - 1] = bits_;
    bits_ = bits_ << 1 | static_cast<std::uint64_t>(object);
    ++depth_;
  }
  void pop() noexcept {
    --depth_;
    bits_ >>= 1;
    if (depth_ % 64 == 0 && depth_ != 0) bits_ = outer_[depth_ / 64 - 1];
  }

 private:
  std::uint64_t bits_ = 0;
  std::uint32_t depth_ = 0;
  std::array<std::uint64_t, deepest / 64> outer_;  // written before it is read
};

/// Moves `p` behind one value that may open `room` arrays and objects inside each other.
template <bool Utf8>
fault skip_value(const char*& p, const char* end, std::uint32_t room) noexcept {
  open_set open;
  for (;;) {
    skip_space(p, end);
    if (p == end) return fault::syntax;
    if (*p == '{' || *p == '[') {
      if (open.depth() == room) return fault::depth;
      bool object = *p++ == '{';
      skip_space(p, end);
      if (p == end) return fault::syntax;
      if (*p != (object ? '}' : ']')) {
        open.push(object);
        if (object)
          if (auto f = skip_key<Utf8>(p, end); f != fault::none) return f;
        continue;
      }
      ++p;  // an empty one is over at once
    } else if (auto f = skip_scalar<Utf8>(p, end); f != fault::none) {
      return f;
    }
    // A value has ended: close what ends with it, or go on to its next sibling.
    for (;;) {
      if (open.depth() == 0) return fault::none;
      skip_space(p, end);
      if (p == end) return fault::syntax;
      char c = *p;
      if (c == ',') {
        ++p;
        if (open.in_object())
          if (auto f = skip_key<Utf8>(p, end); f != fault::none) return f;
        break;
      }
      if (c != (open.in_object() ? '}' : ']')) return fault::syntax;
      ++p;
      open.pop();
    }
  }
}

size_t encode_utf8(std::uint32_t code, char* out) noexcept {
  auto tail = [&](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out[0] = static_cast<char>(code);
    return 1;
  }
  if (code < 0x800) {
    out[0] = static_cast<char>(0xC0 | code >> 6);
    out[1] = tail(0);
    return 2;
  }
  if (code < 0x10000) {
    out[0] = static_cast<char>(0xE0 | code >> 12);
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | code >> 18);
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

std::uint32_t hex4(const char* p) noexcept {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 4 | static_cast<std::uint32_t>(hex(p[i]));
  return value;
}

/// Resolves the escape at `p` into `out` (UTF-8) and moves `p` behind it: the number of bytes, or 0
/// if there is no valid escape.
size_t decode_escape(const char*& p, const char* end, char* out) noexcept {
  const char* start = p;
  if (!skip_escape(p, end)) return 0;
  constexpr std::string_view letters = "bfnrt", controls = "\b\f\n\r\t";
  if (start[1] != 'u') {
    auto i = letters.find(start[1]);
    out[0] = i == letters.npos ? start[1] : controls[i];
    return 1;
  }
  std::uint32_t code = hex4(start + 2);
  if (code < 0xD800 || code > 0xDFFF) return encode_utf8(code, out);
  const char* second = p;
  if (code < 0xDC00 && skip_escape(second, end) && p[1] == 'u') {
    std::uint32_t low = hex4(p + 2);
    if (low >= 0xDC00 && low <= 0xDFFF) {
      p = second;
      return encode_utf8(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), out);
    }
  }
  std::copy(replacement.begin(), replacement.end(), out);
  return replacement.size();
}

/// Of a valid string, without its quotes.
void unescape(std::string_view inner, std::string& out) {
  // An escape is longer than what it stands for; whole blocks are written.
  out.resize(inner.size() + 16);
  char* to = out.data();
  const char* p = inner.data();
  const char* end = p + inner.size();
  while (p != end) {
#if defined(__SSE2__)
    if (end - p >= 16) {
      const auto v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v);
      const auto mask =
          static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
      const auto plain = mask ? __builtin_ctz(mask) : 16;
      p += plain;
      to += plain;
      if (mask == 0) continue;
    }
#endif
    if (*p != '\\') {
      *to++ = *p++;
    } else if (p[1] == '"') {  // by far the most
      *to++ = '"';
      p += 2;
    } else {
      to += decode_escape(p, end, to);
    }
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
}

}  // namespace

std::string_view describe(fault f) noexcept {
  switch (f) {
    case fault::none:
      return "JSON is valid";
    case fault::syntax:
      return "not valid JSON";
    case fault::depth:
      return "JSON is nested too deeply";
    case fault::encoding:
      return "a JSON string is not UTF-8";
    case fault::trailing:
      return "something follows the JSON value";
    case fault::stopped:
      return "JSON was refused";
  }
  return "not valid JSON";
}

std::string_view cursor::value(std::uint32_t nesting) noexcept {
  // Most are plain strings.
  if (peek() == '"')
    if (const char* p = find_special<true>(at_ + 1, end_); p != end_ && *p == '"') {
      const char* begin = std::exchange(at_, p + 1);
      return {begin, static_cast<size_t>(at_ - begin)};
    }
  return long_value(nesting);
}

std::string_view cursor::long_value(std::uint32_t nesting) noexcept {
  if (!ok()) return {};
  const char* begin = at_;
  std::uint32_t most = std::min(limits_.depth, deepest);
  std::uint32_t room = nesting < most ? most - nesting : 0;
  const char* p = at_;
  auto f = limits_.utf8 ? skip_value<true>(p, end_, room) : skip_value<false>(p, end_, room);
  at_ = p;
  if (f == fault::none) return {begin, static_cast<size_t>(p - begin)};
  fail(f);
  return {};
}

std::string_view cursor::string(bool* escaped) noexcept {
  if (peek() != '"') {
    fail(fault::syntax);
    return {};
  }
  const char* begin = ++at_;
  const char* p = find_special<true>(begin, end_);
  if (p == end_ || *p != '"') return long_string(escaped);
  at_ = p + 1;
  if (escaped) *escaped = false;
  return {begin, static_cast<size_t>(p - begin)};
}

/// One with escapes, or in another script; or none.
std::string_view cursor::long_string(bool* escaped) noexcept {
  bool found = false;
  const char* begin = at_;
  const char* p = at_;
  auto f = limits_.utf8 ? skip_string<true>(p, end_, found) : skip_string<false>(p, end_, found);
  at_ = p;
  if (escaped) *escaped = found;
  if (f == fault::none) return {begin, static_cast<size_t>(p - begin) - 1};
  fail(f);
  return {};
}

void cursor::finish() noexcept {
  peek();
  if (at_ != end_) fail(fault::trailing);
}

fault validate(std::string_view text, limits l) noexcept {
  cursor c(text, l);
  c.value();
  c.finish();
  return c.error();
}

bool same_escaped_key(std::string_view raw, std::string_view name) noexcept {
  if (raw.find('\\') == raw.npos) return false;
  const char* p = raw.data();
  const char* end = p + raw.size();
  while (p != end) {
    char bytes[4] = {*p};
    size_t length = 1;
    if (*p == '\\') {
      length = decode_escape(p, end, bytes);
      if (length == 0) return false;
    } else {
      ++p;
    }
    if (!name.starts_with(std::string_view(bytes, length))) return false;
    name.remove_prefix(length);
  }
  return name.empty();
}

bool same_scalar(std::string_view a, std::string_view b) {
  if (a == b) return true;
  if (!a.starts_with('"') || !b.starts_with('"')) return false;
  if (a.find('\\') == a.npos && b.find('\\') == b.npos) return false;
  std::string left, right;
  return unquote(a, left) && unquote(b, right) && left == right;
}

bool says(std::string_view raw, std::string_view text) noexcept {
  return raw.size() >= 2 && raw.front() == '"' && same_key(raw.substr(1, raw.size() - 2), text);
}

std::string canonical(std::string_view raw) {
  std::string text;
  if (raw.find('\\') == raw.npos || !unquote(raw, text)) return std::string(raw);
  return quoted(text);
}

std::string_view member(std::string_view text, std::string_view key) noexcept {
  cursor c(text, {deepest, false});
  std::string_view found;
  members(c, [&](std::string_view k, cursor& at) {
    auto v = at.value(1);
    if (found.empty() && same_key(k, key)) found = v;
  });
  c.finish();
  return c.ok() ? found : std::string_view{};
}

bool unquote(std::string_view raw, std::string& out) {
  if (raw.empty() || raw.front() != '"') return false;
  cursor c(raw, {});
  bool escaped = false;
  auto inner = c.string(&escaped);
  if (!c.ok() || c.offset() != raw.size()) return false;
  if (escaped)
    unescape(inner, out);
  else
    out.assign(inner);
  return true;
}

void unquote_valid(std::string_view raw, std::string& out) {
  const auto inner = raw.substr(1, raw.size() - 2);
  if (inner.find('\\') == inner.npos)
    out.assign(inner);
  else
    unescape(inner, out);
}

}  // namespace gate::json
