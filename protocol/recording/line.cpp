#include "protocol/recording/line.hpp"

#include <algorithm>
#include <array>
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

/// What lines say again and again.
struct written_words {
  std::array<char, 24> text{};
  std::size_t size = 0;
};
/// Of each row of a table, its name between these.
template <std::size_t N, class Table>
consteval auto write_names(const Table& of, std::string_view before, std::string_view after) {
  std::array<written_words, N> out{};
  for (std::size_t i = 0; i < N; ++i)
    for (const auto piece : {before, std::string_view(of[i].name), after})
      for (const char c : piece) out[i].text.at(out[i].size++) = c;
  return out;
}
/// `,"name":`
constexpr auto written_fields = write_names<fields>(field_table, ",\"", "\":");
/// `,"e":"name","n":`
constexpr auto written_kinds = write_names<kinds>(kind_table, R"(,"e":")", R"(","n":)");

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

/// JSON on one line. In strings there are no line feeds, so all that there are mean nothing.
void put_json(json::text_writer& out, std::string_view value) {
  // (Not `find_first_of`, which looks at one byte after the other.)
  if (value.find('\n') == std::string_view::npos && value.find('\r') == std::string_view::npos)
    return out.put(value);
  std::string flat(value);
  std::ranges::replace_if(
      flat, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  out.put(flat);
}

}  // namespace

void line::begin_line(std::uint64_t at, std::uint64_t unit, std::uint64_t number) {
  out_.put(R"({"t":)");
  out_.put(at);
  out_.put(R"(,"u":)");
  out_.put(unit);
  const auto& e = written_kinds[static_cast<std::size_t>(what_)];
  out_.put(e.text, e.size);
  out_.put(number);
}

void line::begin(field f, shape s) {
  // A reader would refuse the line, so it is a bug of whoever writes it.
  assert(members_of[static_cast<std::size_t>(what_)] >> static_cast<std::size_t>(f) & 1);
  assert(row(f).of == s);
  static_cast<void>(s);
  const auto& m = written_fields[static_cast<std::size_t>(f)];
  out_.put(m.text, m.size);
}

line& line::text(field f, std::string_view value) {
  begin(f, shape::text);
  out_.quoted(value);
  return *this;
}

line& line::bytes(field f, std::string_view value) {
  begin(f, shape::bytes);
  if (out_.quoted_if_simple(value)) return *this;
  if (is_utf8(value)) {
    out_.quoted(value);
    return *this;
  }
  out_.take_back(2);  // `":`
  out_.put(R"(64":")");
  out_.put(base64_encode(value));
  out_.put('"');
  return *this;
}

line& line::number(field f, std::uint64_t value) {
  begin(f, shape::number);
  out_.put(value);
  return *this;
}

line& line::flag(field f, bool value) {
  if (!value) return *this;
  begin(f, shape::flag);
  out_.put("true");
  return *this;
}

line& line::json(field f, std::string_view value) {
  begin(f, shape::json);
  put_json(out_, value);
  return *this;
}

line& line::written_headers(field f, std::string_view written) {
  begin(f, shape::headers);
  out_.put(written);
  return *this;
}

line& line::events(field f, std::span<const sse::event> all) {
  begin(f, shape::events);
  out_.put('[');
  bool first = true;
  for (const auto& e : all) {
    out_.put(first ? R"({"data":)" : R"(,{"data":)");
    first = false;
    out_.quoted(e.data);
    if (e.has_id) {
      out_.put(R"(,"id":)");
      out_.quoted(e.id);
    }
    if (!e.type.empty()) {
      out_.put(R"(,"event":)");
      out_.quoted(e.type);
    }
    out_.put('}');
  }
  out_.put(']');
  return *this;
}

line& line::members(std::string_view written) {
  out_.put(written);
  return *this;
}

std::string_view line::end() {
  out_.put("}\n");
  return out_.finish();
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
  gate::json::text_writer to(out);
  to.put(R"({"gate_recording":)");
  to.put(format);
  to.put(R"(,"version":)");
  to.quoted(p.version);
  to.put(R"(,"started":)");
  to.quoted(p.started);
  to.put(R"(,"units":)");
  to.put(p.units);
  to.put(R"(,"clock":)");
  to.put(p.clock);
  to.put(R"(,"config":)");
  put_json(to, p.config);
  to.put("}\n");
}

void append_ending(std::string& out, ending how) {
  for (const auto& [word, which] : endings)
    if (which == how) out.append(R"({"end":")").append(word).append("\"}\n");
}

}  // namespace gate::recording
