#pragma once
/// What was met lately, found again by its hash: at most `Most`, in memory from the first one on.
/// Each hash has a group of four places, where the latest push out the earliest: with one or two
/// places a few dozen that take turns would push out one another for ever. Pure.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace gate {

template <class T, std::size_t Most>
class recent {
 public:
  /// That one of this hash of which `is_it` is true, which is asked of empty places too; or null.
  /// Holds until the next `keep`.
  template <class Is>
  const T* find(std::uint64_t hash, Is&& is_it) const {
    if (groups_.empty()) return nullptr;
    const auto& here = groups_[hash % count];
    const auto at = std::ranges::find_if(here, is_it);
    return at == here.end() ? nullptr : &*at;
  }

  /// In the place of the one of which `is_it` is true, which it replaces, or of the earliest.
  template <class Is>
  const T& keep(std::uint64_t hash, T what, Is&& is_it) {
    if (groups_.empty()) groups_.resize(count);
    auto& here = groups_[hash % count];
    const auto same = std::ranges::find_if(here, is_it);
    const auto last = same == here.end() ? std::prev(same) : same;
    std::move_backward(here.begin(), last, std::next(last));
    return here.front() = std::move(what);
  }

 private:
  using group = std::array<T, 4>;
  static constexpr std::size_t count = Most / std::tuple_size_v<group>;

  std::vector<group> groups_;
};

}  // namespace gate
