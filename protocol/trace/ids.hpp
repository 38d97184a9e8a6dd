#pragma once
/// Names of traces and spans (W3C Trace Context §3.2.2), and what a request says of the trace that
/// it belongs to. Ids of zeros only are none. Pure: randomness is handed in.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gate::trace {

using trace_id = std::array<std::uint8_t, 16>;
using span_id = std::array<std::uint8_t, 8>;

/// Is it one?
template <std::size_t N>
bool is_id(const std::array<std::uint8_t, N>& id) noexcept {
  for (const auto byte : id)
    if (byte != 0) return true;
  return false;
}

/// Small hexadecimal digits.
std::string hex(std::span<const std::uint8_t> bytes);

/// §3.2.2.5: whoever began the trace records it.
inline constexpr std::uint8_t sampled_flag = 1;

/// A span, as others name it.
struct span_context {
  trace_id trace{};
  span_id span{};
  std::uint8_t flags = 0;

  bool sampled() const noexcept { return (flags & sampled_flag) != 0; }
  bool operator==(const span_context&) const = default;
};

/// What a valid `traceparent` (context.hpp) says; nothing if it is none. Of versions to come, the
/// flags that version 00 has.
std::optional<span_context> read_parent(std::string_view text) noexcept;
/// `00-…-…-01`
inline constexpr std::size_t traceparent_bytes = 55;
using parent_text = std::array<char, traceparent_bytes>;
parent_text traceparent(const span_context& of) noexcept;
inline std::string_view text_of(const parent_text& t) noexcept {
  return {t.data(), t.size()};
}

/// Makes ids, some hundred of one draw of randomness. Not for several threads.
class id_source {
 public:
  using random = std::function<void(std::span<std::uint8_t>)>;
  explicit id_source(random from) : from_(std::move(from)) {}

  trace_id trace() { return next<trace_id>(); }
  span_id span() { return next<span_id>(); }

 private:
  template <class Id>
  Id next() {
    Id out{};
    while (!is_id(out)) take(out);
    return out;
  }
  void take(std::span<std::uint8_t> out);

  random from_;
  std::array<std::uint8_t, 2048> drawn_{};
  std::size_t used_ = sizeof(drawn_);
};

/// Decides of traces that begin here, by their ids alone: so much of them, from 0 to 1, that the
/// same trace is judged alike wherever it is (OpenTelemetry, TraceIdRatioBased).
class sampler {
 public:
  explicit sampler(double ratio);
  bool takes(const trace_id& id) const noexcept;

 private:
  std::uint64_t below_;  ///< of 2^56; more than all: every one
};

}  // namespace gate::trace
