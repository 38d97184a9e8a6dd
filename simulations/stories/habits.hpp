#pragma once
/// What stories are drawn from: acts with their names and weights, and how long they wait. Pure.
#include <array>
#include <cstdint>
#include <string_view>

#include "simulations/stories/scenario.hpp"

namespace gate::churn {

template <class Act>
struct habit {
  Act what;
  std::string_view name;
  std::uint32_t weight;
};
template <class Act>
habit(Act, std::string_view, std::uint32_t) -> habit<Act>;

/// Does the table have a row for each act up to the last one, in their order?
template <class Act, std::size_t N>
constexpr bool in_order(const std::array<habit<Act>, N>& all, Act last) {
  for (std::size_t i = 0; i < N; ++i)
    if (static_cast<std::size_t>(all[i].what) != i) return false;
  return N == static_cast<std::size_t>(last) + 1;
}

/// One of them, as often as its weight says.
template <class Act, std::size_t N>
Act draw(dice& d, const std::array<habit<Act>, N>& all) {
  std::uint32_t total = 0;
  for (const auto& h : all) total += h.weight;
  auto at = d.below(total);
  const auto* h = all.data();
  while (at >= h->weight) at -= (h++)->weight;
  return h->what;
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
