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

constexpr std::string_view hex_digits = "0123456789abcdef";

char* write_hex(char* out, std::span<const std::uint8_t> bytes) {
  for (const auto byte : bytes) {
    *out++ = hex_digits[byte >> 4U];
    *out++ = hex_digits[byte & 15U];
  }
  return out;
}

}  // namespace

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string out(2 * bytes.size(), '0');
  write_hex(out.data(), bytes);
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

parent_text traceparent(const span_context& of) noexcept {
  parent_text out;
  auto* at = out.data();
  *at++ = '0';
  *at++ = '0';
  *at++ = '-';
  at = write_hex(at, of.trace);
  *at++ = '-';
  at = write_hex(at, of.span);
  *at++ = '-';
  write_hex(at, {&of.flags, 1});
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
