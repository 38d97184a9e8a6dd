#include "actors/sessions/named_uris.hpp"

namespace gate::sessions {

void named_pool::settle(named_uris& n, std::size_t was) {
  bytes_ += n.bytes_ - was;
  if (was) by_size_.erase({was, &n});
  if (n.bytes_) by_size_.emplace(n.bytes_, &n);
}

void named_pool::make_room() {
  while (bytes_ > most_ && !by_size_.empty()) by_size_.rbegin()->second->drop_oldest();
}

void named_uris::add(std::string_view uri, std::string_view upstream,
                     const std::function<bool(std::string_view, std::string_view)>& precedes) {
  if (uri.empty() || uri.size() > limits::uri_bytes) return;
  if (const auto known = by_uri_.find(uri); known != by_uri_.end()) {
    const auto it = known->second;
    all_.splice(all_.end(), all_, it);
    if (it->upstream == upstream || !precedes(upstream, it->upstream)) return;
    const auto before = it->bytes();
    it->upstream = upstream;
    resize(bytes_ - before + it->bytes());
  } else {
    all_.push_back({std::string(uri), std::string(upstream)});
    auto& made = all_.back();
    by_uri_.emplace(made.uri, std::prev(all_.end()));
    resize(bytes_ + made.bytes());
  }
  while (all_.size() > limits::named_uris || bytes_ > limits::named_uri_bytes) drop_oldest();
  all_of_unit_->make_room();
}

std::string_view named_uris::find(std::string_view uri) {
  const auto known = by_uri_.find(uri);
  if (known == by_uri_.end()) return {};
  all_.splice(all_.end(), all_, known->second);
  return known->second->upstream;
}

void named_uris::drop_oldest() {
  const auto size = all_.front().bytes();
  by_uri_.erase(all_.front().uri);
  all_.pop_front();
  resize(bytes_ - size);
}

void named_uris::resize(std::size_t bytes) {
  const auto was = std::exchange(bytes_, bytes);
  all_of_unit_->settle(*this, was);
}

void named_uris::clear() {
  while (!all_.empty()) drop_oldest();
}

}  // namespace gate::sessions
