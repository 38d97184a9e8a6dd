#include "protocol/recording/line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "protocol/base/base64.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/json/special.hpp"

namespace gate::recording {
namespace {

/// For each kind, a bit for each field that it has.
consteval auto make_members() {
  static_assert(fields <= 64);
  std::array<std::uint64_t, kinds> out{};
  for (std::size_t k = 0; k < kinds; ++k)
    for (std::size_t f = 0; f < fields; ++f)
      if (has(static_cast<kind>(k), static_cast<field>(f))) out[k] |= std::uint64_t{1} << f;
  return out;
}
constexpr auto members_of = make_members();

/// `,"name":`
struct written_name {
  std::array<char, 20> text{};
  std::size_t size = 0;
};
consteval auto make_names() {
  std::array<written_name, fields> out{};
  for (std::size_t i = 0; i < fields; ++i) {
    auto& m = out[i];
    const auto put = [&m](std::string_view piece) {
      for (const char c : piece) m.text.at(m.size++) = c;
    };
    put(",\"");
    put(field_table[i].name);
    put("\":");
  }
  return out;
}
constexpr auto written = make_names();

bool is_ascii(std::string_view text) noexcept {
  const char* p = text.data();
  const char* const end = p + text.size();
  std::uint64_t seen = 0;
  for (; end - p >= 8; p += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, p, 8);
    seen |= eight;
  }
  for (; p != end; ++p) seen |= static_cast<unsigned char>(*p);
  return (seen & 0x8080808080808080u) == 0;
}

/// How many bytes the character at `at` has; 0: it is none (RFC 3629).
std::size_t character_bytes(std::string_view at) noexcept {
  const auto byte = [at](std::size_t i) {
    return i < at.size() ? static_cast<unsigned char>(at[i]) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0) {
    if (!follows(1) || !follows(2)) return 0;
    if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0)) return 0;
    return 3;
  }
  if (first >= 0xF0 && first < 0xF5) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90)) return 0;
    return 4;
  }
  return 0;
}

bool is_utf8(std::string_view text) noexcept {
  if (is_ascii(text)) return true;
  while (!text.empty()) {
    const auto n = character_bytes(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

/// Longer texts are quoted piece by piece, without as much room as they might need.
constexpr std::size_t most_at_once = 64 * 1024;

/// JSON has a quote every few bytes: written as it is read, not run by run. False, and nothing is
/// written: there is more in it to be escaped than quotes and backslashes.
bool append_simple(std::string& out, std::string_view text) {
  if (text.size() > most_at_once) return false;
  const auto before = out.size();
  out.resize(before + 2 * text.size() + 2 + 16);
  char* to = out.data() + before;
  const char* p = text.data();
  const char* const end = p + text.size();
  *to++ = '"';
  while (p != end) {
#if defined(__SSE2__)
    if (end - p >= 16) {
      const auto v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v);
      const auto mask = json::special_among<true>(v);
      const auto plain = mask ? __builtin_ctz(mask) : 16;
      p += plain;
      to += plain;
      if (mask == 0) continue;
    }
#endif
    if (json::special<true>(*p)) {
      if (*p != '"' && *p != '\\') {
        out.resize(before);
        return false;
      }
      *to++ = '\\';
    }
    *to++ = *p++;
  }
  *to++ = '"';
  out.resize(static_cast<std::size_t>(to - out.data()));
  return true;
}

void append_number(std::string& out, std::uint64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

/// JSON on one line. In strings there are no line feeds, so all that there are mean nothing.
void append_json(std::string& out, std::string_view value) {
  const auto from = out.size();
  out += value;
  // (Not `find_first_of`, which looks at one byte after the other.)
  if (value.find('\n') == std::string_view::npos && value.find('\r') == std::string_view::npos)
    return;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(from), out.end(),
      [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

}  // namespace

line::line(std::string& out, kind what, std::uint64_t at, std::uint64_t unit, std::uint64_t number)
    : out_(out), what_(what) {
  // Put together apart, and appended at once: each line has it.
  std::array<char, 128> head;
  char* to = head.data();
  const auto text = [&to](std::string_view piece) {
    to = std::copy(piece.begin(), piece.end(), to);
  };
  const auto digits = [&](std::uint64_t n) {
    to = std::to_chars(to, head.data() + head.size(), n).ptr;
  };
  text(R"({"t":)");
  digits(at);
  text(R"(,"u":)");
  digits(unit);
  text(R"(,"e":")");
  text(row(what).name);
  text(R"(","n":)");
  digits(number);
  out_.append(head.data(), static_cast<std::size_t>(to - head.data()));
}

void line::begin(field f, shape s) {
  // A reader would refuse the line, so it is a bug of whoever writes it.
  assert(members_of[static_cast<std::size_t>(what_)] >> static_cast<std::size_t>(f) & 1);
  assert(row(f).of == s);
  static_cast<void>(s);
  const auto& m = written[static_cast<std::size_t>(f)];
  out_.append(m.text.data(), m.size);
}

line& line::text(field f, std::string_view value) {
  begin(f, shape::text);
  if (!append_simple(out_, value)) json::append_quoted(out_, value);
  return *this;
}

line& line::bytes(field f, std::string_view value) {
  begin(f, shape::bytes);
  if (append_simple(out_, value)) return *this;
  if (is_utf8(value)) {
    json::append_quoted(out_, value);
    return *this;
  }
  out_.resize(out_.size() - 2);  // `":`
  out_ += R"(64":")";
  out_ += base64_encode(value);
  out_ += '"';
  return *this;
}

line& line::number(field f, std::uint64_t value) {
  begin(f, shape::number);
  append_number(out_, value);
  return *this;
}

line& line::flag(field f, bool value) {
  if (!value) return *this;
  begin(f, shape::flag);
  out_ += "true";
  return *this;
}

line& line::json(field f, std::string_view value) {
  begin(f, shape::json);
  append_json(out_, value);
  return *this;
}

line& line::written_headers(field f, std::string_view written) {
  begin(f, shape::headers);
  out_ += written;
  return *this;
}

line& line::events(field f, std::span<const sse::event> all) {
  begin(f, shape::events);
  out_ += '[';
  bool first = true;
  for (const auto& e : all) {
    out_ += first ? R"({"data":)" : R"(,{"data":)";
    first = false;
    json::append_quoted(out_, e.data);
    if (e.has_id) {
      out_ += R"(,"id":)";
      json::append_quoted(out_, e.id);
    }
    if (!e.type.empty()) {
      out_ += R"(,"event":)";
      json::append_quoted(out_, e.type);
    }
    out_ += '}';
  }
  out_ += ']';
  return *this;
}

void line::end() {
  out_ += "}\n";
}

void line::append_header(std::string& out, std::string_view name, std::string_view value) {
  if (out.back() != '[') out += ',';
  out += '[';
  json::append_quoted(out, name);
  out += ',';
  json::append_quoted(out, value);
  out += ']';
}

void append_preamble(std::string& out, const preamble& p) {
  out += R"({"gate_recording":)";
  append_number(out, format);
  out += R"(,"version":)";
  json::append_quoted(out, p.version);
  out += R"(,"started":)";
  json::append_quoted(out, p.started);
  out += R"(,"units":)";
  append_number(out, p.units);
  out += R"(,"clock":)";
  append_number(out, p.clock);
  out += R"(,"config":)";
  append_json(out, p.config);
  out += "}\n";
}

void append_ending(std::string& out, ending how) {
  for (const auto& [word, which] : endings)
    if (which == how) out.append(R"({"end":")").append(word).append("\"}\n");
}

}  // namespace gate::recording
