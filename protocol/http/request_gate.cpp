#include "protocol/http/request_gate.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/http/ascii.hpp"
#include "protocol/limits.hpp"

namespace gate::http {

namespace {

/// RFC 9110 §5.6.2.
constexpr auto token_bytes = [] {
  std::array<bool, 256> out{};
  for (int c = 0; c < 128; ++c) {
    const char l = lower(static_cast<char>(c));
    out[static_cast<std::size_t>(c)] =
        (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') ||
        std::string_view("!#$%&'*+-.^_`|~").find(l) != std::string_view::npos;
  }
  return out;
}();

bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return token_bytes[static_cast<unsigned char>(c)];
  });
}

/// RFC 9110 §5.5: no control bytes but the tab; bytes outside ASCII are opaque.
bool is_field_value(std::string_view text) noexcept {
  // Tokens are long: whole blocks without a branch, which compilers turn into vector instructions.
  constexpr std::size_t block = 32;
  const auto bad = [](char c) -> unsigned {
    const auto u = static_cast<unsigned char>(c);
    return (unsigned{u < 0x20} & unsigned{u != '\t'}) | unsigned{u == 0x7F};
  };
  for (; text.size() >= block; text.remove_prefix(block)) {
    unsigned found = 0;
    for (std::size_t i = 0; i < block; ++i) found |= bad(text[i]);
    if (found) return false;
  }
  return std::ranges::none_of(text, [&](char c) { return bad(c) != 0; });
}

defect check_line(std::string_view line) noexcept {
  if (line.front() == ' ' || line.front() == '\t') return defect::folding;
  auto colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon)) ||
      !is_field_value(line.substr(colon + 1)))
    return defect::malformed;
  return defect::none;
}

defect check_lines(std::string_view block) noexcept {
  std::size_t count = 0;
  for (bool first = true;; first = false) {
    const auto line = block.substr(0, block.find('\n') - 1);
    block.remove_prefix(line.size() + 2);
    if (line.empty()) break;
    if (first && !is_field_value(line)) return defect::malformed;
    if (first) continue;
    if (++count > limits::header_lines) return defect::header_too_large;
    if (auto d = check_line(line); d != defect::none) return d;
  }
  return block.empty() ? defect::none : defect::malformed;  // it goes on behind the empty line
}

/// The raw block: parsers repair what is looked for here, so it does not show in the headers.
defect check_block(std::string_view block) noexcept {
  if (block.size() > limits::header_bytes) return defect::header_too_large;
  for (auto lf = block.find('\n'); lf != block.npos; lf = block.find('\n', lf + 1))
    if (lf == 0 || block[lf - 1] != '\r') return defect::bare_line_feed;
  if (!block.ends_with("\r\n\r\n") || block.starts_with("\r\n")) return defect::malformed;
  return check_lines(block);
}

bool is_known_method(std::string_view method) noexcept {
  return method == "GET" || method == "POST" || method == "DELETE" || method == "OPTIONS" ||
         method == "PATCH";
}

/// RFC 9112 §3.2.1. A fragment is never sent, so `#` has no meaning here.
bool is_origin_form(std::string_view target) noexcept {
  return target.starts_with('/') &&
         std::ranges::all_of(target, [](char c) { return c > 0x20 && c < 0x7F && c != '#'; });
}

bool is_length(std::string_view value) noexcept {
  std::uint64_t number = 0;
  auto end = value.data() + value.size();
  return all_digits(value) && std::from_chars(value.data(), end, number).ec == std::errc{};
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) noexcept {
  return a == b || same_text(a, b);  // mostly they are spelled alike
}

std::string_view describe(defect d) noexcept {
  switch (d) {
    case defect::none:
      return "the request is fine";
    case defect::malformed:
      return "not a valid HTTP/1.1 request";
    case defect::host:
      return "exactly one Host header is required";
    case defect::method:
      return "the method is not GET, POST, PATCH, DELETE or OPTIONS";
    case defect::content_length:
      return "Content-Length is repeated or not a number";
    case defect::transfer_encoding:
      return "Transfer-Encoding is not exactly chunked, or not allowed here";
    case defect::folding:
      return "a header is folded over several lines";
    case defect::target:
      return "the request target is not a path of printable ASCII";
    case defect::bare_line_feed:
      return "a header line ends without a carriage return";
    case defect::header_too_large:
      return "the request header is too large, or has too many lines";
    case defect::body_too_large:
      return "the request body is too large";
    case defect::timeout:
      return "the request took too long to arrive";
    case defect::crowded:
      return "too many request bodies are being read at the moment";
  }
  return "not a valid HTTP/1.1 request";
}

defect check(const request_head& head) noexcept {
  if (auto d = check_block(head.block); d != defect::none) return d;
  if (head.version != 10 && head.version != 11) return defect::malformed;
  if (!is_known_method(head.method)) return defect::method;
  if (!is_origin_form(head.target)) return defect::target;
  int hosts = 0, lengths = 0, encodings = 0;
  bool length_ok = true, encoding_ok = true;
  for (const auto& h : head.headers) {
    if (!is_token(h.name) || !is_field_value(h.value)) return defect::malformed;
    if (same_name(h.name, "Host")) {
      ++hosts;
    } else if (same_name(h.name, "Content-Length")) {
      ++lengths;
      length_ok = is_length(h.value);
    } else if (same_name(h.name, "Transfer-Encoding")) {
      ++encodings;
      encoding_ok = h.value == "chunked";
    }
  }
  if (hosts != 1) return defect::host;
  if (lengths > 1 || !length_ok) return defect::content_length;
  if (encodings > 1 || !encoding_ok) return defect::transfer_encoding;
  if (encodings == 1 && (lengths != 0 || head.version == 10)) return defect::transfer_encoding;
  return defect::none;
}

std::string_view find(std::span<const header> headers, std::string_view name) noexcept {
  for (const auto& h : headers)
    if (same_name(h.name, name)) return h.value;
  return {};
}

}  // namespace gate::http
