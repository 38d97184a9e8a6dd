#include "actors/federation/page_store.hpp"

#include <algorithm>

namespace gate::federation {

const page* page_store::find(std::uint64_t list, std::uint64_t offset) const {
  const auto h = holders_.find(list);
  if (h == holders_.end()) return nullptr;
  const auto p = h->second.pages.find(offset);
  return p == h->second.pages.end() ? nullptr : &p->second;
}

void page_store::keep(std::uint64_t list, std::uint64_t offset, const page& p) {
  const auto size = cost(p);
  if (size > share_ || size > most_) return;
  auto& mine = holders_[list];
  if (!mine.pages.emplace(offset, p).second) return;
  mine.order.push_back(offset);
  mine.bytes += size;
  bytes_ += size;
  while (mine.bytes > share_) give_up_oldest(mine);
  while (bytes_ > most_)
    give_up_oldest(std::ranges::max_element(holders_, {}, [](const auto& h) {
                     return h.second.bytes;
                   })->second);
}

void page_store::give_up_oldest(holder& h) {
  const auto it = h.pages.find(h.order.front());
  h.order.pop_front();
  const auto size = cost(it->second);
  h.bytes -= size;
  bytes_ -= size;
  h.pages.erase(it);
}

void page_store::drop(std::uint64_t list) {
  const auto h = holders_.find(list);
  if (h == holders_.end()) return;
  bytes_ -= h->second.bytes;
  holders_.erase(h);
}

}  // namespace gate::federation
