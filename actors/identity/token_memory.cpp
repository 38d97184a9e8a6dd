#include "actors/identity/token_memory.hpp"

namespace gate::identity {

namespace {

/// What an entry costs, about.
std::size_t cost(const token_memory::entry& e) {
  std::size_t out = 512;
  if (const auto& c = e.access->caller)
    out += c->token.capacity() + c->who.claims.capacity() + 64 * c->who.groups.capacity();
  return out;
}

}  // namespace

token_memory::token_memory(std::size_t most, std::size_t most_bytes)
    : most_(most), most_bytes_(most_bytes) {}

token_memory::entry* token_memory::find(const digest& d,
                                        std::chrono::system_clock::time_point now) {
  if (auto it = young_.find(d); it != young_.end()) {
    if (now < it->second.until) return &it->second;
    young_.erase(it);
    return nullptr;
  }
  auto it = old_.find(d);
  if (it == old_.end()) return nullptr;
  auto node = old_.extract(it);
  if (now >= node.mapped().until) return nullptr;
  remember(d, std::move(node.mapped()));
  return &young_.find(d)->second;
}

void token_memory::remember(const digest& d, entry e) {
  if (young_.size() >= most_ / 2 || young_bytes_ >= most_bytes_ / 2) {
    old_ = std::move(young_);
    young_ = {};
    young_bytes_ = 0;
  }
  young_bytes_ += cost(e);
  young_.insert_or_assign(d, std::move(e));
}

void token_memory::forget_issuer(std::size_t issuer) {
  const auto of_it = [&](const auto& x) { return x.second.issuer == issuer; };
  std::erase_if(young_, of_it);
  std::erase_if(old_, of_it);
}

}  // namespace gate::identity
