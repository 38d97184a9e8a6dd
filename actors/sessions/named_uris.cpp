#include "actors/sessions/named_uris.hpp"

#include "protocol/limits.hpp"

namespace gate::sessions {

void named_uris::add(std::string_view uri, std::string_view upstream,
                     const std::function<bool(std::string_view, std::string_view)>& precedes) {
  if (uri.empty() || uri.size() > limits::uri_bytes) return;
  if (const auto known = by_uri_.find(uri); known != by_uri_.end()) {
    const auto it = known->second;
    all_.splice(all_.end(), all_, it);
    if (it->upstream == upstream || !precedes(upstream, it->upstream)) return;
    const auto before = it->bytes();
    it->upstream = upstream;
    bytes_ += it->bytes() - before;
    *total_ += it->bytes() - before;
    return;
  }
  all_.push_back({std::string(uri), std::string(upstream)});
  auto& made = all_.back();
  by_uri_.emplace(made.uri, std::prev(all_.end()));
  bytes_ += made.bytes();
  *total_ += made.bytes();
  while (!all_.empty() && (all_.size() > limits::named_uris || bytes_ > limits::named_uri_bytes ||
                           *total_ > limits::named_uri_total))
    drop_oldest();
}

std::string_view named_uris::find(std::string_view uri) {
  const auto known = by_uri_.find(uri);
  if (known == by_uri_.end()) return {};
  all_.splice(all_.end(), all_, known->second);
  return known->second->upstream;
}

void named_uris::drop_oldest() {
  const auto size = all_.front().bytes();
  bytes_ -= size;
  *total_ -= size;
  by_uri_.erase(all_.front().uri);
  all_.pop_front();
}

void named_uris::clear() {
  while (!all_.empty()) drop_oldest();
}

}  // namespace gate::sessions
