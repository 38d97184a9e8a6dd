#include "protocol/trace/export.hpp"

#include <algorithm>

#include "protocol/limits.hpp"
#include "protocol/trace/wire.hpp"

namespace gate::trace {
namespace {

// Numbers of collector/trace/v1, trace/v1, resource/v1 and common/v1.
namespace member {
constexpr unsigned resource_spans = 1;                  // of ExportTraceServiceRequest
constexpr unsigned resource = 1, scope_spans = 2;       // of ResourceSpans
constexpr unsigned attributes = 1;                      // of Resource
constexpr unsigned scope = 1;                           // of ScopeSpans
constexpr unsigned scope_name = 1, scope_version = 2;   // of InstrumentationScope
constexpr unsigned key = 1, value = 2, text = 1;        // of KeyValue, AnyValue
constexpr unsigned partial = 1;                         // of ExportTraceServiceResponse
constexpr unsigned rejected_spans = 1, error_text = 2;  // of ExportTracePartialSuccess
}  // namespace member

constexpr std::string_view scope_is = "gate";

std::string message(unsigned field, std::string_view inside) {
  std::string out;
  wire::text(out, field, inside);
  return out;
}

std::string named_text(std::string_view name, std::string_view what) {
  return message(member::attributes,
                 message(member::key, name) + message(member::value, message(member::text, what)));
}

/// What a stranger says, for the log.
std::string in_ascii(std::string_view said) {
  std::string out(said.substr(0, limits::audit_error_bytes));
  std::ranges::replace_if(
      out, [](char c) { return c < 0x20 || c >= 0x7F; }, '?');
  return out;
}

}  // namespace

resource::resource(std::string_view service, std::string_view version)
    : resource_(message(member::resource, named_text("service.name", service) +
                                              named_text("service.version", version))),
      scope_(message(member::scope, message(member::scope_name, scope_is) +
                                        message(member::scope_version, version))) {}

std::string resource::request(std::span<const std::shared_ptr<const std::string>> spans) const {
  std::size_t inner = scope_.size();
  for (const auto& s : spans) inner += s->size();
  const auto outer = resource_.size() + wire::bytes_size(member::scope_spans, inner);
  std::string out;
  out.reserve(wire::bytes_size(member::resource_spans, outer));
  wire::head(out, member::resource_spans, outer);
  out += resource_;
  wire::head(out, member::scope_spans, inner);
  out += scope_;
  for (const auto& s : spans) out += *s;
  return out;
}

verdict verdict_of(int status) noexcept {
  if (status / 100 == 2) return verdict::taken;
  const bool busy = status == 429 || status == 502 || status == 503 || status == 504;
  return busy ? verdict::again : verdict::refused;
}

partial_success read_answer(std::string_view body) {
  partial_success out;
  wire::reader whole(body);
  for (wire::reader::member m; whole.next(m);) {
    if (m.field != member::partial || m.type != wire::type::bytes) continue;
    wire::reader inside(m.inside);
    for (wire::reader::member at; inside.next(at);) {
      // (It is signed, and no number of spans if it is negative.)
      if (at.field == member::rejected_spans && at.type == wire::type::varint &&
          at.number >> 63U == 0)
        out.refused = at.number;
      if (at.field == member::error_text && at.type == wire::type::bytes)
        out.why = in_ascii(at.inside);
    }
  }
  return out;
}

}  // namespace gate::trace
