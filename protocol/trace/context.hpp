#pragma once
/// Trace context on its way through: what a client says of the trace that its request belongs to
/// (W3C Trace Context, W3C Baggage), in header lines or in `_meta` of the params, as header lines
/// for an upstream. What is not in the valid form is left out: of `_meta` nothing else may get into
/// a header.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/http/request_gate.hpp"
#include "protocol/limits.hpp"
#include "protocol/trace/ids.hpp"

namespace gate::trace {

/// The headers that say something of it.
inline constexpr std::array<std::string_view, 3> header_names{"traceparent", "tracestate",
                                                              "baggage"};

/// W3C Trace Context §3.2: version, trace id, parent id and flags, in small hexadecimal digits,
/// neither id all zeros. Of versions to come, what follows a further hyphen is taken as well.
bool is_traceparent(std::string_view text) noexcept;
/// §3.3: at most 32 members, `key=value`, and `limits::trace_state_bytes`.
bool is_tracestate(std::string_view text) noexcept;
/// Printable ASCII, `limits::baggage_bytes` at most: its members are nobody's business here.
bool is_baggage(std::string_view text) noexcept;

/// What a request came with, each valid or empty.
struct carried {
  std::string parent, state;
  std::string baggage;
  /// A valid `traceparent` of the header that is not `parent`: that of `_meta` goes before it.
  std::string other;

  bool empty() const { return parent.empty() && baggage.empty(); }
};
/// A valid `traceparent` of `meta` (raw object, or empty) goes before the header's and brings its
/// own `tracestate`; without a valid one there is no `tracestate`. Two `traceparent` headers are
/// none (§3.2.1); several of the others are one, joined. Nothing is allocated if there is nothing.
carried read(const std::vector<http::header>& headers, std::string_view meta);

/// The lines `traceparent`, `tracestate` and `baggage` as far as there are any, each ending in
/// CRLF.
std::string header_lines(std::string_view parent, std::string_view state, std::string_view baggage);
inline std::string header_lines(const carried& what) {
  return header_lines(what.parent, what.state, what.baggage);
}

/// Is this what `header_lines` writes? Of what another process says nothing else may get into a
/// header.
bool are_header_lines(std::string_view text);

/// The most bytes that such lines can have.
inline constexpr std::size_t header_lines_bytes = [] {
  std::size_t n = limits::trace_parent_bytes + limits::trace_state_bytes + limits::baggage_bytes;
  for (const auto name : header_names) n += name.size() + std::string_view(": \r\n").size();
  return n;
}();

/// The span that such lines name, and its trace; zeros: they name none.
span_context span_in(std::string_view lines) noexcept;
inline trace_id trace_in(std::string_view lines) noexcept {
  return span_in(lines).trace;
}

/// `meta` (raw object) with what such lines say in the place of what it says itself.
std::string in_meta(std::string_view meta, std::string_view lines);

/// Where the value of `traceparent` stands in `meta` (raw object), if it is one that a reader could
/// take: without its quotes. Empty: it is not there, or is none.
std::string_view parent_in(std::string_view meta);

}  // namespace gate::trace
