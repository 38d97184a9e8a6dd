#pragma once
/// Lists of upstreams that are equal are kept once: most servers show all kinds of clients the
/// same. Knows only what somebody else keeps alive. Made by ROUTER, asked by the list caches. Pure.
#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "protocol/mcp/stateless/tool_rules.hpp"

namespace gate::federation {

inline bool equal(const mcp::item_list& a, const mcp::item_list& b) {
  return std::ranges::equal(a, b, mcp::stateless::same_item);
}

class item_pool {
 public:
  /// The list that is equal to this one and was here before; else this one. `digest` of its items.
  mcp::shared_items same(mcp::shared_items items, std::uint64_t digest) {
    if (known_.size() >= sweep_at_) {
      std::erase_if(known_, [](const auto& x) { return x.second.expired(); });
      sweep_at_ = 2 * known_.size() + sweep_least;
    }
    auto& seen = known_[digest];
    if (auto before = seen.lock(); before && equal(*before, *items)) return before;
    seen = items;
    return items;
  }
  std::size_t size() const { return known_.size(); }

 private:
  static constexpr std::size_t sweep_least = 1000;
  std::unordered_map<std::uint64_t, std::weak_ptr<const mcp::item_list>> known_;
  std::size_t sweep_at_ = sweep_least;  ///< twice what was alive: the others are few
};

}  // namespace gate::federation
