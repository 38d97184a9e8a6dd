#include "actors/sessions/shares.hpp"

namespace gate::sessions {

void shares::leave_rank(holder& h) {
  if (!h.in) return;
  h.in->erase(h.at);
  h.in = nullptr;
  // It had as many as it has now, or one more or less.
  for (auto n = h.places.size() ? h.places.size() - 1 : 0; n <= h.places.size() + 1; ++n)
    if (const auto it = ranks_.find(n); it != ranks_.end() && it->second.empty()) ranks_.erase(it);
}

void shares::place_in_rank(holder& h) {
  leave_rank(h);
  if (h.places.empty()) return;
  h.in = &ranks_[h.places.size()];
  h.at = h.in->insert(h.in->end(), &h);
}

void shares::enter(place& p, std::string_view owner) {
  const auto [it, fresh] = holders_.try_emplace(std::string(owner));
  auto& h = it->second;
  p.of_ = &h;
  h.name = it->first;
  p.at_ = h.places.insert(h.places.end(), &p);
  ++taken_;
  place_in_rank(h);
}

void shares::used(place& p) {
  if (!p.of_) return;
  auto& h = *p.of_;
  h.places.splice(h.places.end(), h.places, p.at_);
  h.in->splice(h.in->end(), *h.in, h.at);
}

void shares::leave(place& p) {
  auto* h = std::exchange(p.of_, nullptr);
  if (!h) return;
  h->places.erase(p.at_);
  --taken_;
  place_in_rank(*h);
  if (h->places.empty()) holders_.erase(holders_.find(h->name));
}

}  // namespace gate::sessions
