#include "protocol/trace/span.hpp"

#include <algorithm>
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

/// Keeps what had to be changed for as long as the span is written.
using room = std::forward_list<std::string>;

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; });
}

/// As it may stand in a span: most texts may as they are.
std::string_view fit(std::string_view text, room& kept) {
  const bool cut = text.size() > limits::trace_text_bytes;
  if (!cut && is_ascii(text)) return text;
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

std::size_t value_size(const attribute& a) {
  return wire::bytes_size(field::text, a.text.size());
}
std::size_t attribute_size(const attribute& a) {
  return wire::bytes_size(field::key, a.key.size()) + wire::bytes_size(field::value, value_size(a));
}

void write(char*& out, const attribute& a) {
  wire::head(out, field::attributes, attribute_size(a));
  wire::text(out, field::key, a.key);
  wire::head(out, field::value, value_size(a));
  wire::text(out, field::text, a.text);
}

constexpr std::size_t ids_size =
    wire::bytes_size(field::trace, sizeof(trace_id)) + wire::bytes_size(field::id, sizeof(span_id));
constexpr std::size_t link_size = ids_size + wire::varint_size(field::link_flags << 3U) + 4;

void write_ids(char*& out, const span_context& c) {
  wire::bytes(out, field::trace, c.trace);
  wire::bytes(out, field::id, c.span);
}

/// A span with its texts as they are written.
struct fitted {
  const span& it;
  std::string_view state, name, why;
  std::array<attribute, span::most> attributes;
  std::size_t count = 0;
  std::span<const span_context> links;

  std::size_t name_size() const { return it.lead.size() + name.size(); }
  std::size_t status_size() const {
    return wire::varint_size(status_error) + 1 +
           (why.empty() ? 0 : wire::bytes_size(field::status_message, why.size()));
  }
  std::size_t size() const;
};

std::size_t fitted::size() const {
  std::size_t out = ids_size + wire::bytes_size(field::name, name_size());
  if (!state.empty()) out += wire::bytes_size(field::state, state.size());
  if (is_id(it.parent)) out += wire::bytes_size(field::parent, sizeof(span_id));
  out += 2 * (1 + sizeof(std::uint64_t)) + 2;  // start, end; kind
  for (std::size_t i = 0; i < count; ++i)
    out += wire::bytes_size(field::attributes, attribute_size(attributes[i]));
  out += links.size() * wire::bytes_size(field::links, link_size);
  if (it.failed) out += wire::bytes_size(field::status, status_size());
  return out + wire::varint_size(wire::tag(field::flags, wire::type::fixed32)) + 4;
}

fitted fit(const span& s, room& kept) {
  fitted out{s, s.state, fit(s.name, kept), fit(s.why, kept), {}, 0, {}};
  for (const auto& a : s.attributes()) out.attributes[out.count++] = {a.key, fit(a.text, kept)};
  out.links = s.links.first(std::min(s.links.size(), limits::trace_links));
  return out;
}

std::uint64_t nanoseconds(wall_time t) {
  using std::chrono::nanoseconds;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<nanoseconds>(t.time_since_epoch()).count());
}

}  // namespace

void append(std::string& into, const span& s) {
  room kept;
  const auto f = fit(s, kept);
  const auto size = f.size();
  const auto begin = into.size();
  into.resize(begin + wire::bytes_size(field::spans, size));
  auto* out = into.data() + begin;
  wire::head(out, field::spans, size);
  write_ids(out, s.self);
  if (!f.state.empty()) wire::text(out, field::state, f.state);
  if (is_id(s.parent)) wire::bytes(out, field::parent, s.parent);
  wire::head(out, field::name, f.name_size());
  wire::put(out, s.lead);
  wire::put(out, f.name);
  wire::number(out, field::kind, static_cast<unsigned>(s.kind));
  wire::fixed(out, field::start, nanoseconds(s.began));
  wire::fixed(out, field::end, nanoseconds(s.ended));
  for (std::size_t i = 0; i < f.count; ++i) write(out, f.attributes[i]);
  for (const auto& l : f.links) {
    wire::head(out, field::links, link_size);
    write_ids(out, l);
    wire::fixed(out, field::link_flags, std::uint32_t{l.flags});
  }
  if (s.failed) {
    wire::head(out, field::status, f.status_size());
    if (!f.why.empty()) wire::text(out, field::status_message, f.why);
    wire::number(out, field::status_code, status_error);
  }
  wire::fixed(out, field::flags,
              s.self.flags | remote_known | (s.remote_parent ? remote : std::uint32_t{0}));
}

std::string encode(const span& s) {
  std::string out;
  append(out, s);
  return out;
}

}  // namespace gate::trace
