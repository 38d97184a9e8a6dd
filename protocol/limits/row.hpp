#pragma once
/// What the documentation says of a bound: its name, how much it is, and what happens at it. Every
/// bound of protocol/limits/ has a row beside it (a test looks).
#include <chrono>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace gate::limits {

/// How much: so many, so many bytes, or microseconds.
struct amount {
  enum class unit : std::uint8_t { number, bytes, time } in = unit::number;
  std::uint64_t value = 0;

  template <class N>
  requires std::is_arithmetic_v<N>
  constexpr amount(N n) : value(static_cast<std::uint64_t>(n)) {}
  template <class R, class P>
  constexpr amount(std::chrono::duration<R, P> t)
      : in(unit::time),
        value(static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(t).count())) {}
};
template <class N>
constexpr amount bytes(N n) {
  amount out(n);
  out.in = amount::unit::bytes;
  return out;
}

struct row {
  std::string_view name;
  amount much;
  std::string_view at;  ///< what happens at it, or beyond
};

}  // namespace gate::limits
