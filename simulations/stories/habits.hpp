#pragma once
/// What stories are drawn from: acts with their names and weights, and how long they wait. Pure.
#include <array>
#include <cstdint>
#include <string_view>

#include "simulations/stories/scenario.hpp"
#include "simulations/stories/setting.hpp"

namespace gate::churn {

template <class Act>
struct habit {
  Act what;
  std::string_view name;
  std::uint32_t weight;
  std::string_view about;
};
template <class Act>
habit(Act, std::string_view, std::uint32_t, std::string_view) -> habit<Act>;

/// Does the table have a row for each act up to the last one, in their order?
template <class Act, std::size_t N>
constexpr bool in_order(const std::array<habit<Act>, N>& all, Act last) {
  for (std::size_t i = 0; i < N; ++i)
    if (static_cast<std::size_t>(all[i].what) != i) return false;
  return N == static_cast<std::size_t>(last) + 1;
}

/// The same as settings of a scenario file, with others behind them.
template <class Act, std::size_t N, std::size_t M>
constexpr auto with_habits(const std::array<habit<Act>, N>& acts,
                           const std::array<stories::setting, M>& others) {
  std::array<stories::setting, N + M> out{};
  for (std::size_t i = 0; i < N; ++i)
    out[i] = {"acts", acts[i].name,         stories::unit::weight, acts[i].weight,
              0,      stories::most_weight, acts[i].about};
  for (std::size_t i = 0; i < M; ++i) out[N + i] = others[i];
  return out;
}

/// One of the rows, as often as its weight says.
inline std::size_t draw(dice& d, std::span<const std::uint32_t> weights) {
  return stories::weighed(weights, d.below(stories::sum_of(weights)));
}

/// In milliseconds: from `least` on, `more` at most beyond it.
struct span_of_time {
  std::uint32_t least, more;
};
/// Most waits are short, two of eight are longer; one is long enough for whatever takes its time.
inline std::uint32_t some_time(dice& d, std::uint32_t brief, span_of_time longer,
                               span_of_time longest) {
  switch (d.below(8)) {
    case 0:
      return longest.least + d.below(longest.more);
    case 1:
    case 2:
      return longer.least + d.below(longer.more);
    default:
      return d.below(brief);
  }
}

}  // namespace gate::churn
