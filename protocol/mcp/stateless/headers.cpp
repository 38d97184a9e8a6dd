#include "protocol/mcp/stateless/headers.hpp"

#include <algorithm>

#include "protocol/base/base64url.hpp"
#include "protocol/json/scan.hpp"

namespace gate::mcp::stateless {
namespace {

constexpr std::string_view method_header = "Mcp-Method";
constexpr std::string_view name_header = "Mcp-Name";
constexpr std::string_view coded_begin = "=?base64?", coded_end = "?=";

std::optional<std::string> base64_decode(std::string_view text) {
  // The same as base64url, but for two characters and what fills it up to a multiple of four.
  if (text.size() % 4 != 0) return {};
  if (text.find_first_of("-_") != text.npos) return {};
  for (int fill = 0; fill < 2 && text.ends_with('='); ++fill) text.remove_suffix(1);
  std::string url(text);
  std::ranges::replace(url, '+', '-');
  std::ranges::replace(url, '/', '_');
  return base64url_decode(url);
}

bool is_coded(std::string_view raw) {
  return raw.size() >= coded_begin.size() + coded_end.size() && raw.starts_with(coded_begin) &&
         raw.ends_with(coded_end);
}

bool says(std::string_view raw, std::string_view wanted) {
  return is_coded(raw) ? header_value(raw) == wanted : raw == wanted;
}

/// Does every header of this name say this, and is there one?
bool all_say(std::span<const http::header> headers, std::string_view name, std::string_view wanted,
             bool coded) {
  bool there = false;
  for (const auto& h : headers) {
    // These are looked at with every request: mostly the length says enough.
    if (h.name.size() != name.size() || !http::same_name(h.name, name)) continue;
    there = true;
    if (!(coded ? says(h.value, wanted) : h.value == wanted)) return false;
  }
  return there;
}

/// What the request names, raw; empty: its method names nothing.
std::string_view named_by(const jsonrpc::message& request, const method& m) {
  switch (m.routing) {
    case routing::named:
      return request.name;
    case routing::owned:
      return request.uri;
    case routing::task:
      return request.task_id;
    default:
      return {};
  }
}

std::string wrong(std::string_view header, std::string_view what) {
  return "the header " + std::string(header) + " is missing or is not " + std::string(what);
}

}  // namespace

std::optional<std::string> header_value(std::string_view raw) {
  if (!is_coded(raw)) return std::string(raw);
  raw.remove_prefix(coded_begin.size());
  raw.remove_suffix(coded_end.size());
  return base64_decode(raw);
}

std::optional<std::string> task_named_in(std::span<const http::header> headers) {
  bool of_task = false;
  std::string_view name;
  for (const auto& h : headers) {
    if (http::same_name(h.name, method_header)) of_task = task_step_of(h.value) != task_step::none;
    if (http::same_name(h.name, name_header)) name = h.value;
  }
  if (!of_task || name.empty()) return {};
  return header_value(name);
}

std::string as_header_value(std::string_view text) {
  const auto plain = [](char c) { return (c >= 0x20 && c < 0x7f) || c == '\t'; };
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool as_it_is = std::ranges::all_of(text, plain) &&
                        (text.empty() || (!blank(text.front()) && !blank(text.back()))) &&
                        !(text.starts_with(coded_begin) && text.ends_with(coded_end));
  if (as_it_is) return std::string(text);
  auto coded = base64url_encode(text);
  std::ranges::replace(coded, '-', '+');
  std::ranges::replace(coded, '_', '/');
  coded.append((4 - coded.size() % 4) % 4, '=');
  return std::string(coded_begin) + coded + std::string(coded_end);
}

void write_header_lines(pen& to, std::string_view method, std::string_view name) {
  to << method_header << ": " << method << "\r\n";
  if (!name.empty()) to << name_header << ": " << as_header_value(name) << "\r\n";
}

std::optional<std::string> disagreement(const http::received_head& head,
                                        const jsonrpc::message& request, const method* m) {
  const bool called = head.names_repeated
                          ? all_say(head.headers, method_header, request.method, false)
                          : head.method_named == request.method;
  if (!called) return wrong(method_header, "the request's method");
  const auto raw = m ? named_by(request, *m) : std::string_view{};
  std::string name;
  // Without a name there is nothing to compare: its handler says what is missing.
  if (raw.empty() || !json::unquote(raw, name)) return {};
  const bool named = head.names_repeated ? all_say(head.headers, name_header, name, true)
                                         : head.target_named && says(*head.target_named, name);
  if (!named) return wrong(name_header, "what the request names");
  return {};
}

}  // namespace gate::mcp::stateless
