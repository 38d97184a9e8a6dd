#include "protocol/recording/line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "protocol/base/base64.hpp"
#include "protocol/json/scan.hpp"

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

void append_number(std::string& out, std::uint64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

/// JSON on one line. In strings there are no line feeds, so all that there are mean nothing.
void append_json(std::string& out, std::string_view value) {
  const auto from = out.size();
  out += value;
  if (value.find_first_of("\r\n") == std::string_view::npos) return;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(from), out.end(),
      [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

}  // namespace

line::line(std::string& out, kind what, std::uint64_t at, std::uint64_t unit, std::uint64_t number)
    : out_(out), what_(what) {
  out_ += R"({"t":)";
  append_number(out_, at);
  out_ += R"(,"u":)";
  append_number(out_, unit);
  out_ += R"(,"e":")";
  out_ += row(what).name;
  out_ += R"(","n":)";
  append_number(out_, number);
}

void line::begin(field f, shape s) {
  // A reader would refuse the line, so it is a bug of whoever writes it.
  assert(members_of[static_cast<std::size_t>(what_)] >> static_cast<std::size_t>(f) & 1);
  assert(row(f).of == s);
  static_cast<void>(s);
  out_ += ",\"";
  out_ += row(f).name;
  out_ += "\":";
}

line& line::text(field f, std::string_view value) {
  begin(f, shape::text);
  json::append_quoted(out_, value);
  return *this;
}

line& line::bytes(field f, std::string_view value) {
  begin(f, shape::bytes);
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
