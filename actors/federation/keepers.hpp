#pragma once
/// KEEPERS: whose lists go first when there is no room for one more client's own: of whoever has
/// most of them (a principal; all anonymous callers are one) those that are kept for longest. Lists
/// that a call waits for are left alone. Pure; part of ROUTER.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace gate::federation {

struct keeper {
  std::uint64_t client = 0;
  std::uint64_t owner = 0;  ///< its principal
  std::chrono::steady_clock::time_point since{};
  bool awaited = false;
};

/// The client; nothing if a call waits for each. Only of those who have more than `so_many`.
inline std::optional<std::uint64_t> first_to_go(const std::vector<keeper>& all,
                                                std::size_t so_many = 0) {
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (const auto& k : all) ++counts[k.owner];
  const keeper* out = nullptr;
  const auto before = [&](const keeper& a, const keeper& b) {
    const auto of_a = counts[a.owner], of_b = counts[b.owner];
    return of_a != of_b ? of_a > of_b : a.since < b.since;
  };
  for (const auto& k : all)
    if (!k.awaited && counts[k.owner] > so_many && (!out || before(k, *out))) out = &k;
  return out ? std::optional(out->client) : std::nullopt;
}

}  // namespace gate::federation
