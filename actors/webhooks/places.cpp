#include "actors/webhooks/places.hpp"

#include <algorithm>

namespace gate::hooks {

void places::claim(std::uint64_t destination, const std::string& organization, std::size_t wanted) {
  const auto [it, is_new] = holders_.try_emplace(destination);
  auto& h = it->second;
  if (is_new) {
    h.by = &*owners_.try_emplace(organization).first;
    if (h.of().destinations++ == 0) h.of().number = ++last_owner_;
  }
  if (h.waits || wanted == 0) return drop_if_unused(it);
  h.waits = true;
  line_.push(h.of().number, {destination, wanted});
}

void places::give(std::uint64_t destination, std::size_t n) {
  const auto it = holders_.find(destination);
  if (it == holders_.end()) return;
  n = std::min(n, it->second.has);
  it->second.has -= n;
  it->second.of().has -= n;
  taken_ -= n;
  drop_if_unused(it);
}

void places::forget(std::uint64_t destination) {
  const auto it = holders_.find(destination);
  if (it == holders_.end()) return;
  if (it->second.waits)
    line_.erase_if(it->second.of().number,
                   [&](const waiting& w) { return w.destination == destination; });
  it->second.waits = false;
  give(destination, it->second.has);
}

std::optional<places::grant> places::next() {
  const auto may = [this](const waiting& w) {
    return within_share(holders_.at(w.destination).of().has, taken_, most_);
  };
  const auto w = line_.pop(may);
  if (!w) return {};
  auto& h = holders_.at(w->destination);
  h.waits = false;
  grant out{w->destination, 0};
  while (out.n < w->wanted && within_share(h.of().has, taken_, most_)) {
    ++out.n;
    ++h.has;
    ++h.of().has;
    ++taken_;
  }
  return out;
}

void places::drop_if_unused(holders::iterator it) {
  if (it->second.has > 0 || it->second.waits) return;
  auto* by = it->second.by;
  holders_.erase(it);
  if (--by->second.destinations > 0) return;
  const std::string name = by->first;  // the one there goes with its owner
  owners_.erase(name);
}

}  // namespace gate::hooks
