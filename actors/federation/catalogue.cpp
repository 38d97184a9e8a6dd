#include "actors/federation/catalogue.hpp"

#include "protocol/limits.hpp"
#include "protocol/mcp/cursor.hpp"
#include "protocol/mcp/uri_template.hpp"

namespace gate::federation {

catalogue::catalogue(mcp::list_kind kind, std::shared_ptr<const config::snapshot> snapshot)
    : kind_(kind), snapshot_(std::move(snapshot)), cache_(snapshot_->upstreams.size()) {}

bool catalogue::prepare(time_point now, std::vector<wanted>& fetch) {
  // The common case: nothing has changed and nothing has expired since the last look.
  if (checked_version_ == cache_.version() && now < all_fresh_until_) return true;
  bool ready = true;
  for (const auto& u : snapshot_->upstreams) {
    const auto look = cache_.ask(u.index, now, u.cache_ttl);
    if (look.fetch) fetch.push_back({u.index, look.fill});
    if (look.wait) ready = false;
  }
  if (ready) {
    checked_version_ = cache_.version();
    all_fresh_until_ = cache_.fresh_until();
  }
  return ready;
}

std::optional<page> catalogue::at(std::uint64_t offset) {
  merge();
  served_ = digest_;
  if (auto it = pages_.find(offset); it != pages_.end()) return it->second;
  if (offset > items_.size() || (offset == items_.size() && offset != 0)) return {};
  const auto size = snapshot_->page_size.value_or(items_.size());
  const auto end = std::min<std::uint64_t>(items_.size(), offset + size);
  auto text = std::make_shared<std::string>(R"({")");
  *text += mcp::shape(kind_).member;
  *text += R"(":[)";
  for (auto i = offset; i < end; ++i) {
    if (i != offset) *text += ',';
    *text += items_[i]->raw;
  }
  *text += ']';
  page out{std::move(text), {}, end - offset};
  if (end < items_.size()) out.next = end;
  if (pages_.size() < limits::cached_pages) pages_.emplace(offset, out);
  return out;
}

std::uint64_t catalogue::digest() {
  merge();
  return digest_;
}

const std::vector<std::string>& catalogue::missing() {
  merge();
  return missing_;
}

bool catalogue::all_missing() {
  merge();
  return !missing_.empty() && missing_.size() == snapshot_->upstreams.size();
}

std::optional<std::size_t> catalogue::owner(std::string_view key) {
  merge();
  auto it = by_key_.find(key);
  if (it == by_key_.end()) return {};
  return owners_[it->second];
}

std::optional<std::size_t> catalogue::owner_by_template(std::string_view uri) {
  merge();
  // Hostile templates must not hold the thread, nor hide those of other upstreams: what costs more
  // than its upstream may is not looked at.
  constexpr std::size_t most = 1'000'000;
  std::size_t budget = most;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (i && owners_[i] != owners_[i - 1]) budget = most;
    const auto& key = items_[i]->key;
    const auto cost = uri.starts_with(std::string_view(key).substr(0, key.find('{')))
                          ? key.size() * uri.size()
                          : key.size();
    if (cost > budget) continue;
    budget -= cost;
    if (mcp::matches_template(key, uri)) return owners_[i];
  }
  return {};
}

bool catalogue::differs_from_served() {
  merge();
  return served_ && *served_ != digest_;
}

void catalogue::merge() {
  if (merged_version_ == cache_.version()) return;
  merged_version_ = cache_.version();
  sources_.clear();
  items_.clear();
  owners_.clear();
  by_key_.clear();
  missing_.clear();
  pages_.clear();
  digest_ = mcp::digest_start;
  for (const auto& u : snapshot_->upstreams) {
    auto items = cache_.items(u.index);
    if (!items) {
      missing_.push_back(u.id);
      continue;
    }
    for (const auto& item : *items) {
      // A name twice: the first upstream in configuration order has it, and there its first.
      if (!by_key_.emplace(item.key, items_.size()).second) continue;
      items_.push_back(&item);
      owners_.push_back(u.index);
      digest_ = mcp::extend_digest(digest_, item.raw);
    }
    sources_.push_back(std::move(items));
  }
}

}  // namespace gate::federation
