// Headers that repeat what a request says: their values have one reading, what we write agrees with
// the body, and what agrees with the body is what an intermediary reads.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "protocol/http/received_head.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/stateless/headers.hpp"
#include "tests/fuzz/support.hpp"

using namespace gate;
using namespace gate::fuzz;
using namespace gate::mcp::stateless;

namespace {

constexpr std::string_view begin = "=?base64?", end = "?=";

/// Base64 bit by bit (RFC 4648 §4).
std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 6) {
    std::size_t digit = 0;
    for (std::size_t i = bit; i < bit + 6; ++i) {
      const auto byte = i / 8 < bytes.size() ? static_cast<unsigned char>(bytes[i / 8]) : 0U;
      digit = digit << 1 | (byte >> (7 - i % 8) & 1U);
    }
    out += digits[digit];
  }
  while (out.size() % 4 != 0) out += '=';
  return out;
}

std::string coded(std::string_view inside) {
  return std::string(begin).append(inside).append(end);
}

/// As a connection keeps them.
http::head_ptr head_of(const std::vector<http::header>& fields) {
  auto head = std::make_shared<http::received_head>();
  head->headers = fields;
  head->look_up(false);
  return head;
}

void values(std::string_view text) {
  require(header_value(coded(base64(text))) == text, "what is coded is not understood");
  const auto written = as_header_value(text);
  require(header_value(written) == text, "a value reads differently");
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  require(std::ranges::all_of(written, [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; }),
          "a header with what none may have");
  require(written.empty() || (!blank(written.front()) && !blank(written.back())),
          "blanks that do not arrive");
  require(written == text || written == coded(base64(text)), "a value in a third spelling");

  // Whatever is accepted has one spelling.
  const auto inside = header_value(coded(text));
  if (inside) require(base64(*inside) == text, "what is no Base64 was decoded");
  const auto as_it_is = header_value(text);
  if (text.starts_with(begin) && text.ends_with(end) && text.size() >= begin.size() + end.size())
    return;
  require(as_it_is == text, "a plain value was touched");
}

/// The fields of header lines, as a parser hands them over.
std::vector<http::header> fields_of(std::string_view lines) {
  std::vector<http::header> out;
  while (!lines.empty()) {
    const auto at = lines.find("\r\n");
    require(at != lines.npos, "a line without its end");
    const auto line = lines.substr(0, at);
    const auto colon = line.find(": ");
    require(colon != line.npos, "a line that is no field");
    require(line.find_first_of("\r\n") == line.npos, "a line within a line");
    out.push_back({line.substr(0, colon), line.substr(colon + 2)});
    lines.remove_prefix(at + 2);
  }
  return out;
}

/// What it is about, raw; or empty.
std::string_view named_by(const jsonrpc::message& m, const mcp::method* method) {
  if (!method) return {};
  switch (method->routing) {
    case mcp::routing::named:
      return m.name;
    case mcp::routing::owned:
      return m.uri;
    case mcp::routing::task:
      return m.task_id;
    default:
      return {};
  }
}

void agreement(const jsonrpc::message& m) {
  const auto* method = mcp::find_method(m.method, mcp::era::stateless);
  const auto named = named_by(m, method);
  std::string about, lines;
  if (!named.empty()) json::unquote(named, about);
  pen to(lines, 0);
  write_header_lines(to, m.method, about);
  lines.resize(to.size());
  // (The gateway refuses empty names before.)
  if (about.empty() && !named.empty()) return;
  auto fields = fields_of(lines);
  require(!fields.empty() && fields.size() <= 2, "too many fields");
  require(fields[0].name == "Mcp-Method" && fields[0].value == m.method, "another method");
  require(!disagreement(*head_of(fields), m, method), "what we write disagrees");

  std::string name;
  if (fields.size() == 2) {
    require(json::unquote(named, name), "a name from nowhere");
    const auto said = header_value(fields[1].value);
    require(said.has_value(), "a name that nobody can read");
    require(said == name, "another name");
    if (method->routing == mcp::routing::task)
      require(task_named_in(fields) == name, "another task");
  }
  // Neither one more nor one less nor another one.
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto less = fields;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
    require(disagreement(*head_of(less), m, method).has_value(), "a header is not missed");
    auto more = fields;
    more.push_back({fields[i].name, "=?base64?%?="});
    require(disagreement(*head_of(more), m, method).has_value(), "a second header is not seen");
    const auto changed = std::string(fields[i].value) + "x";
    auto another = fields;
    another[i].value = changed;
    require(disagreement(*head_of(another), m, method).has_value(), "another value is not seen");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  values(text);
  const auto m = jsonrpc::read(text);
  if (m && m->kind == jsonrpc::kind::request) agreement(*m);
  return 0;
}
