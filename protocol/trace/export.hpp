#pragma once
/// What is said to a collector, and what it answers: OTLP over HTTP with protobuf bodies
/// (opentelemetry.io/docs/specs/otlp; collector/trace/v1/trace_service.proto). Pure.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gate::trace {

/// Where to of a base URL that has no path.
inline constexpr std::string_view export_path = "/v1/traces";
inline constexpr std::string_view protobuf_type = "application/x-protobuf";

/// What all spans have in common, written once.
class resource {
 public:
  resource(std::string_view service, std::string_view version);
  /// An `ExportTraceServiceRequest` of spans as `encode` (span.hpp) writes them.
  std::string request(std::span<const std::shared_ptr<const std::string>> spans) const;

 private:
  std::string resource_, scope_;  ///< members of ResourceSpans and ScopeSpans
};

/// What a collector says of an export.
enum class verdict : std::uint8_t {
  taken,
  again,    ///< 429, 502, 503 or 504: not now
  refused,  ///< any other status: not in this form, whenever
};
verdict verdict_of(int status) noexcept;

/// `ExportTraceServiceResponse.partial_success` of a collector that has taken the others.
struct partial_success {
  std::uint64_t refused = 0;  ///< spans
  std::string why;            ///< what it says of them, printable; empty: nothing
};
/// Nothing is refused by an answer that can not be read.
partial_success read_answer(std::string_view body);

}  // namespace gate::trace
