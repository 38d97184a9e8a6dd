#include "protocol/trace/ids.hpp"

#include <algorithm>

#include "protocol/trace/context.hpp"

namespace gate::trace {
namespace {

/// The digits of traces that are random are their last 56 bits (W3C Trace Context Level 2
/// §3.2.2.3).
constexpr unsigned random_bits = 56;

std::uint8_t hex_digit(char c) {
  return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10);
}

void read_hex(std::string_view text, std::span<std::uint8_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint8_t>(hex_digit(text[2 * i]) << 4U | hex_digit(text[2 * i + 1]));
}

}  // namespace

void append_hex(std::string& out, std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const auto byte : bytes) {
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
  }
}

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string out;
  out.reserve(2 * bytes.size());
  append_hex(out, bytes);
  return out;
}

std::optional<span_context> read_parent(std::string_view text) noexcept {
  if (!is_traceparent(text)) return {};
  span_context out;
  read_hex(text.substr(3), out.trace);
  read_hex(text.substr(36), out.span);
  read_hex(text.substr(53), {&out.flags, 1});
  return out;
}

std::string traceparent(const span_context& of) {
  std::string out;
  out.reserve(traceparent_bytes);
  out += "00-";
  append_hex(out, of.trace);
  out += '-';
  append_hex(out, of.span);
  out += '-';
  append_hex(out, {&of.flags, 1});
  return out;
}

void id_source::take(std::span<std::uint8_t> out) {
  if (used_ + out.size() > drawn_.size()) {
    from_(drawn_);
    used_ = 0;
  }
  std::copy_n(drawn_.begin() + static_cast<std::ptrdiff_t>(used_), out.size(), out.begin());
  used_ += out.size();
}

sampler::sampler(double ratio)
    : below_(static_cast<std::uint64_t>(std::clamp(ratio, 0.0, 1.0) *
                                        static_cast<double>(std::uint64_t{1} << random_bits))) {}

bool sampler::takes(const trace_id& id) const noexcept {
  std::uint64_t drawn = 0;
  for (std::size_t i = id.size() - random_bits / 8; i < id.size(); ++i) drawn = drawn << 8U | id[i];
  return drawn < below_;
}

}  // namespace gate::trace
