#include "protocol/http/received_head.hpp"

#include <algorithm>
#include <charconv>

#include "protocol/http/ascii.hpp"
#include "protocol/http/media.hpp"
#include "protocol/http/repeated.hpp"
#include "protocol/limits.hpp"
#include "protocol/trace/context.hpp"

namespace gate::http {

void received_head::look_up(bool recognisable) {
  contradiction = http::contradiction(headers);
  session_id = find(headers, "mcp-session-id");
  version_named = find(headers, "mcp-protocol-version");
  sends_json = is_media_type(find(headers, "content-type"), json_type);
  accepts_json = accepts(headers, json_type);
  accepts_events = accepts(headers, events_type);
  shown = read_bearer(headers);
  look_for_names();
  const auto says = [&](std::string_view name) {
    return std::ranges::any_of(headers, [&](const header& h) { return same_name(h.name, name); });
  };
  plain = !says("origin") && std::ranges::none_of(trace::header_names, says);
  const bool small = block.capacity() <= limits::known_header_bytes &&
                     headers.capacity() <= limits::known_header_lines;
  if (recognisable && small && version == 11 && !says("transfer-encoding") && !says("expect"))
    length = find(headers, "content-length");
}

void received_head::look_for_names() {
  constexpr std::string_view prefix = "mcp-param-";
  const auto note = [this](std::optional<std::string_view>& where, std::string_view value) {
    names_repeated |= where.has_value();
    if (!where) where = value;
  };
  for (const auto& h : headers) {
    if (same_name(h.name, "mcp-method")) note(method_named, h.value);
    if (same_name(h.name, "mcp-name")) note(target_named, h.value);
    names_params |=
        h.name.size() > prefix.size() && same_name(h.name.substr(0, prefix.size()), prefix);
  }
}

const head_ptr& no_head() {
  static const head_ptr none = std::make_shared<received_head>();
  return none;
}

std::optional<std::uint64_t> announced_body(const received_head& head) noexcept {
  const auto digits = find(head.headers, "content-length");
  std::uint64_t length = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (digits.empty() || read.ec != std::errc{}) return {};
  return length;
}

std::optional<recognised> recognise(std::string_view block, std::string_view length,
                                    std::string_view bytes, std::size_t max_body) noexcept {
  if (length.empty()) return {};
  const auto at = static_cast<std::size_t>(length.data() - block.data());
  if (bytes.substr(0, at) != block.substr(0, at)) return {};
  bytes.remove_prefix(at);
  std::size_t announced = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), announced);
  if (error != std::errc{} || announced > max_body) return {};
  const auto digits = static_cast<std::size_t>(end - bytes.data());
  const auto rest = block.substr(at + length.size());
  if (!bytes.substr(digits).starts_with(rest)) return {};
  return recognised{at + digits + rest.size(), announced};
}

std::optional<recognised> recognise(const received_head& last, std::string_view bytes,
                                    std::size_t max_body) noexcept {
  return recognise(last.block, last.length, bytes, max_body);
}

}  // namespace gate::http
