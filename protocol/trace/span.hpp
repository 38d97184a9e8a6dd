#pragma once
/// A span, and how it is written: one `spans` member of a `ScopeSpans` in the protobuf of OTLP
/// (opentelemetry-proto v1, trace/v1/trace.proto). By hand: the numbers of its fields do not
/// change. Pure; texts are views, which have to last until it is written.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "protocol/trace/ids.hpp"

namespace gate::trace {

using wall_time = std::chrono::system_clock::time_point;

/// `SpanKind`; its numbers.
enum class kind : std::uint8_t { server = 2, client = 3 };

struct attribute {
  std::string_view key;
  std::string_view text;
};

class span {
 public:
  span_context self;
  span_id parent{};            ///< zeros: it is the trace's root
  bool remote_parent = false;  ///< it is another process's
  std::string_view state;      ///< `tracestate`
  std::string_view lead;       ///< of its name
  std::string_view name;
  trace::kind kind = kind::server;
  wall_time began, ended;
  std::span<const span_context> links;  ///< `limits::trace_links` of them at most
  bool failed = false;
  std::string_view why;  ///< of one that failed; may be empty

  /// Left out if the text is empty. More than `most` are none: each kind of span has less.
  void add(std::string_view key, std::string_view text) {
    if (!text.empty() && count_ < attributes_.size()) attributes_[count_++] = {key, text};
  }
  std::span<const attribute> attributes() const { return {attributes_.data(), count_}; }
  std::span<attribute> attributes() { return {attributes_.data(), count_}; }

  static constexpr std::size_t most = 20;

 private:
  std::array<attribute, most> attributes_;
  std::size_t count_ = 0;
};

/// Texts that are too long (`limits::trace_text_bytes`) are cut, and what is not UTF-8 in them is
/// replaced: one such byte, and a collector refuses all that comes with it.
void append(std::string& out, span s);
std::string encode(span s);

}  // namespace gate::trace
