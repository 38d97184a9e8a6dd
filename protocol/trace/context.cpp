#include "protocol/trace/context.hpp"

#include <algorithm>
#include <optional>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"

namespace gate::trace {
namespace {

constexpr std::string_view parent_name = header_names[0], state_name = header_names[1],
                           baggage_name = header_names[2];

bool is_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}
bool digits(std::string_view text) {
  return std::ranges::all_of(text, is_digit);
}
bool zeros(std::string_view text) {
  return text.find_first_not_of('0') == text.npos;
}
bool printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

bool is_state_key(std::string_view key) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("_-*/@").find(c) != std::string_view::npos;
  };
  return !key.empty() && key.size() <= limits::trace_state_part_bytes &&
         std::ranges::all_of(key, plain) &&
         (is_digit(key.front()) || (key.front() >= 'a' && key.front() <= 'z'));
}

bool is_state_value(std::string_view value) {
  return !value.empty() && value.size() <= limits::trace_state_part_bytes && printable(value) &&
         value.find('=') == value.npos;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// What was said, in one place or the other.
struct context {
  std::string parent, state, baggage;
  std::size_t parents = 0;
};

void join(std::string& to, std::string_view more) {
  if (!to.empty()) to += ',';
  to += more;
}

void read_headers(const std::vector<http::header>& headers, context& out) {
  for (const auto& h : headers) {
    // These are looked at with every request: mostly the length says enough.
    if (h.name.size() == parent_name.size() && http::same_name(h.name, parent_name)) {
      if (out.parents++ == 0) out.parent = h.value;
    } else if (h.name.size() == state_name.size() && http::same_name(h.name, state_name)) {
      join(out.state, h.value);
    } else if (h.name.size() == baggage_name.size() && http::same_name(h.name, baggage_name)) {
      join(out.baggage, h.value);
    }
  }
}

void read_meta(std::string_view meta, context& out) {
  json::cursor c(meta, {limits::json_depth, true});
  json::members(c, [&](std::string_view key, json::cursor& at) {
    const auto value = at.value(1);
    const auto take = [&](std::string_view name, std::string& to) {
      if (json::same_key(key, name) && value.starts_with('"') && !json::unquote(value, to))
        to.clear();
    };
    take(parent_name, out.parent);
    take(state_name, out.state);
    take(baggage_name, out.baggage);
  });
}

void append_line(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

bool is_traceparent(std::string_view text) noexcept {
  if (text.size() < traceparent_bytes || text.size() > limits::trace_parent_bytes) return false;
  const auto version = text.substr(0, 2), trace = text.substr(3, 32), parent = text.substr(36, 16),
             flags = text.substr(53, 2), rest = text.substr(traceparent_bytes);
  if (text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
  if (!digits(version) || !digits(trace) || !digits(parent) || !digits(flags)) return false;
  if (version == "ff" || zeros(trace) || zeros(parent)) return false;
  return rest.empty() || (version != "00" && rest.front() == '-' && printable(rest));
}

bool is_tracestate(std::string_view text) noexcept {
  if (text.empty() || text.size() > limits::trace_state_bytes) return false;
  std::size_t members = 0;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    const auto member = trimmed(text.substr(0, comma));
    more = comma != text.npos;
    if (more) text.remove_prefix(comma + 1);
    if (member.empty()) continue;  // §3.3.1.1 allows these
    const auto equals = member.find('=');
    if (equals == member.npos || !is_state_key(member.substr(0, equals)) ||
        !is_state_value(member.substr(equals + 1)))
      return false;
    if (++members > limits::trace_state_members) return false;
  }
  return members > 0;
}

bool is_baggage(std::string_view text) noexcept {
  return !text.empty() && text.size() <= limits::baggage_bytes && printable(text);
}

carried read(const std::vector<http::header>& headers, std::string_view meta) {
  context outer, inner;
  read_headers(headers, outer);
  if (!meta.empty()) read_meta(meta, inner);
  if (outer.parents != 1 || !is_traceparent(outer.parent)) outer.parent.clear();
  carried out;
  const bool own = is_traceparent(inner.parent);
  auto& of = own ? inner : outer;
  if (own && outer.parent != inner.parent) out.other = std::move(outer.parent);
  if (!of.parent.empty()) {
    out.parent = std::move(of.parent);
    if (is_tracestate(of.state)) out.state = std::move(of.state);
  }
  if (is_baggage(inner.baggage))
    out.baggage = std::move(inner.baggage);
  else if (is_baggage(outer.baggage))
    out.baggage = std::move(outer.baggage);
  return out;
}

std::string header_lines(std::string_view parent, std::string_view state,
                         std::string_view baggage) {
  constexpr std::size_t each = baggage_name.size() + parent_name.size();  // a name, `: `, CRLF
  std::string out;
  if (const auto texts = parent.size() + state.size() + baggage.size()) {
    const std::size_t lines = 1 + (state.empty() ? 0 : 1) + (baggage.empty() ? 0 : 1);
    out.reserve(lines * each + texts);
  }
  if (!parent.empty()) append_line(out, parent_name, parent);
  if (!state.empty()) append_line(out, state_name, state);
  if (!baggage.empty()) append_line(out, baggage_name, baggage);
  return out;
}

bool are_header_lines(std::string_view text) {
  const auto value = [&text](std::string_view name) -> std::optional<std::string_view> {
    if (!text.starts_with(name) || !text.substr(name.size()).starts_with(": ")) return {};
    const auto begin = name.size() + 2, end = text.find("\r\n", begin);
    if (end == text.npos) return {};
    const auto out = text.substr(begin, end - begin);
    text.remove_prefix(end + 2);
    return out;
  };
  const auto parent = value(parent_name);
  if (parent && !is_traceparent(*parent)) return false;
  if (const auto state = parent ? value(state_name) : std::nullopt; state && !is_tracestate(*state))
    return false;
  if (const auto baggage = value(baggage_name); baggage && !is_baggage(*baggage)) return false;
  return text.empty();
}

span_context span_in(std::string_view lines) noexcept {
  constexpr std::string_view begin = "traceparent: ";
  if (!lines.starts_with(begin)) return {};
  const auto named = read_parent(lines.substr(begin.size(), traceparent_bytes));
  return named.value_or(span_context{});
}

std::string in_meta(std::string_view meta, std::string_view lines) {
  std::string out = "{";
  const auto add = [&out](std::string_view key, std::string_view value) {
    out.append(out.size() > 1 ? ",\"" : "\"").append(key).append("\":").append(value);
  };
  json::cursor c(meta, {json::deepest, false});
  json::members(c, [&](std::string_view key, json::cursor& at) {
    const auto value = at.value(1);
    const auto same = [&](std::string_view name) { return json::same_key(key, name); };
    if (std::ranges::none_of(header_names, same)) add(key, value);
  });
  while (!lines.empty()) {
    const auto colon = lines.find(": "), end = lines.find("\r\n", colon);
    if (end == lines.npos) break;
    add(lines.substr(0, colon), json::quoted(lines.substr(colon + 2, end - colon - 2)));
    lines.remove_prefix(end + 2);
  }
  return out += '}';
}

std::string_view parent_in(std::string_view meta) {
  std::string_view found;
  bool odd = false;
  json::cursor c(meta, {limits::json_depth, true});
  json::members(c, [&](std::string_view key, json::cursor& at) {
    const auto value = at.value(1);
    if (!json::same_key(key, parent_name)) return;
    odd = odd || !found.empty();
    found = value;
  });
  if (odd || found.size() < 2 || found.front() != '"') return {};
  return found.substr(1, found.size() - 2);
}

}  // namespace gate::trace
