#include "protocol/trace/span.hpp"

#include <algorithm>
#include <cstring>
#include <forward_list>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/trace/wire.hpp"

namespace gate::trace {
namespace {

// Numbers of trace/v1/trace.proto and common/v1/common.proto.
namespace field {
constexpr unsigned spans = 2;  // of ScopeSpans
constexpr unsigned trace = 1, id = 2, state = 3, parent = 4, name = 5, kind = 6, start = 7, end = 8,
                   attributes = 9, links = 13, status = 15, flags = 16;  // of Span
constexpr unsigned link_flags = 6;                                       // of Link
constexpr unsigned status_message = 2, status_code = 3;                  // of Status
constexpr unsigned key = 1, value = 2;                                   // of KeyValue
constexpr unsigned text = 1;                                             // of AnyValue
}  // namespace field

constexpr std::uint64_t status_error = 2;
/// `SpanFlags`: it is known whether the parent is another process's; it is.
constexpr std::uint32_t remote_known = 0x100, remote = 0x200;

/// Eight at a time: whatever is written is looked at.
bool is_ascii(std::string_view text) {
  constexpr std::uint64_t high = 0x8080808080808080U;
  std::uint64_t all = 0;
  while (text.size() >= sizeof all) {
    std::uint64_t some = 0;
    std::memcpy(&some, text.data(), sizeof some);
    all |= some;
    text.remove_prefix(sizeof some);
  }
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return (all & high) == 0;
}

/// Keeps what had to be changed for as long as the span is written.
using room = std::forward_list<std::string>;

/// As it may stand in a span, where it can not stand as it is.
std::string_view mended(std::string_view text, room& kept) {
  const bool cut = text.size() > limits::trace_text_bytes;
  if (cut) {
    auto end = limits::trace_text_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text = text.substr(0, end);
  }
  auto& out = kept.emplace_front();
  if (!json::unquote(json::quoted(text), out)) out.clear();
  if (cut) out += " …";
  return out;
}

/// As it may stand in a span: most texts may as they are.
void fit(std::string_view& text, room& kept) {
  if (text.size() > limits::trace_text_bytes || !is_ascii(text)) text = mended(text, kept);
}

char* write(char* out, const attribute& a) {
  const auto value = wire::bytes_size(field::text, a.text.size());
  out = wire::head(
      out, field::attributes,
      wire::bytes_size(field::key, a.key.size()) + wire::bytes_size(field::value, value));
  out = wire::text(out, field::key, a.key);
  return wire::text(wire::head(out, field::value, value), field::text, a.text);
}

char* write_ids(char* out, const span_context& c) {
  return wire::bytes(wire::bytes(out, field::trace, c.trace), field::id, c.span);
}

constexpr std::size_t ids_size =
    wire::bytes_size(field::trace, sizeof(trace_id)) + wire::bytes_size(field::id, sizeof(span_id));
constexpr std::size_t link_size = ids_size + wire::varint_size(field::link_flags << 3U) + 4;

char* write_link(char* out, const span_context& to) {
  out = write_ids(wire::head(out, field::links, link_size), to);
  return wire::fixed(out, field::link_flags, std::uint32_t{to.flags});
}

char* write_failure(char* out, std::string_view why) {
  const auto said = why.empty() ? 0 : wire::bytes_size(field::status_message, why.size());
  out = wire::head(out, field::status, said + wire::varint_size(status_error) + 1);
  if (!why.empty()) out = wire::text(out, field::status_message, why);
  return wire::number(out, field::status_code, status_error);
}

/// Not less than what `write` writes of it: its texts, which are fitted, and what is around them
/// (45 bytes of one, 13 of an attribute, 2 of a link, if none is longer than 2 MiB).
std::size_t room_for(const span& s) {
  constexpr std::size_t own = 64, of_attribute = 20, of_link = 4;
  auto out = own + ids_size + sizeof(span_id) + s.state.size() + s.lead.size() + s.name.size() +
             s.why.size();
  for (const auto& a : s.attributes()) out += of_attribute + a.key.size() + a.text.size();
  return out + s.links.size() * (link_size + of_link);
}

std::uint64_t nanoseconds(wall_time t) {
  using std::chrono::nanoseconds;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<nanoseconds>(t.time_since_epoch()).count());
}

char* write(char* out, const span& s) {
  out = write_ids(out, s.self);
  if (!s.state.empty()) out = wire::text(out, field::state, s.state);
  if (is_id(s.parent)) out = wire::bytes(out, field::parent, s.parent);
  out = wire::head(out, field::name, s.lead.size() + s.name.size());
  out = wire::put(wire::put(out, s.lead), s.name);
  out = wire::number(out, field::kind, static_cast<unsigned>(s.kind));
  out = wire::fixed(out, field::start, nanoseconds(s.began));
  out = wire::fixed(out, field::end, nanoseconds(s.ended));
  for (const auto& a : s.attributes()) out = write(out, a);
  for (const auto& l : s.links) out = write_link(out, l);
  if (s.failed) out = write_failure(out, s.why);
  return wire::fixed(out, field::flags,
                     s.self.flags | remote_known | (s.remote_parent ? remote : std::uint32_t{0}));
}

}  // namespace

/// A message says its length before it begins, which is known when it is written: nearly always it
/// takes as many digits as are left free for it.
void append(std::string& into, span s) {
  constexpr std::size_t head_usual = 3;
  room kept;
  fit(s.name, kept);
  fit(s.why, kept);
  for (auto& a : s.attributes()) fit(a.text, kept);
  s.links = s.links.first(std::min(s.links.size(), limits::trace_links));
  const auto begin = into.size();
  into.resize(begin + wire::head_most + room_for(s));
  auto* const head = into.data() + begin;
  auto* const body = head + head_usual;
  const auto size = static_cast<std::size_t>(write(body, s) - body);
  const auto head_size = wire::bytes_size(field::spans, size) - size;
  if (head_size != head_usual) std::memmove(head + head_size, body, size);
  wire::head(head, field::spans, size);
  into.resize(begin + head_size + size);
}

std::string encode(span s) {
  std::string out;
  append(out, s);
  return out;
}

}  // namespace gate::trace
