#pragma once
/// A hash of `scope_key`, for the tables of RATE LIMITER and BUDGET: all bits of kind, name and
/// number count, and neighbours do not stay neighbours. Pure.
#include <cstddef>
#include <functional>
#include <string_view>

#include "actors/messages/guards.hpp"

namespace gate::guards {

struct scope_hash {
  std::size_t operator()(const scope_key& k) const noexcept {
    std::uint64_t h = k.number + (static_cast<std::uint64_t>(k.what) + 1) * 0x9e3779b97f4a7c15ULL;
    if (!k.name.empty()) h ^= std::hash<std::string_view>{}(k.name);
    // The finaliser of splitmix64: each bit of the input moves about half of the bits.
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
    return h ^ (h >> 31);
  }
};

}  // namespace gate::guards
