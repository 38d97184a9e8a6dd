#include "actors/federation/view_list.hpp"

#include "protocol/limits.hpp"
#include "protocol/mcp/app_resources.hpp"
#include "protocol/mcp/cursor.hpp"
#include "protocol/mcp/uri_path.hpp"
#include "protocol/mcp/uri_template.hpp"

namespace gate::federation {
namespace {

bool is_named(mcp::list_kind k) {
  return mcp::row(k).by == mcp::keyed::by_name;
}

}  // namespace

bool is_listed(mcp::list_kind kind, const config::compiled_upstream& u,
               const config::policy_view& by) {
  const bool whole = !is_named(kind) && !u.per_caller && !u.per_client;
  return whole ? by.visible(u.index) : by.reaches(u.index);
}

bool template_match::operator()(std::string_view uri_template) {
  const auto start = uri_template.substr(0, uri_template.find('{'));
  const auto cost =
      uri_.starts_with(start) ? uri_template.size() * uri_.size() : uri_template.size();
  if (cost > left_) return false;
  left_ -= cost;
  return mcp::matches_template(uri_template, uri_);
}

void view_list::merge(std::uint64_t version, const source& of) {
  if (std::exchange(of_.version, version) == version) return;
  sources_.clear();
  all_.clear();
  items_.clear();
  by_key_.clear();
  missing_.clear();
  beside_ = {};
  duplicates_.clear();
  for (auto& pages : pages_) pages.clear();
  wraps_ = false;
  reached_ = 0;
  digest_ = mcp::digest_start;
  of_.holds = ~std::uint64_t{0};
  for (const auto& u : snapshot_->upstreams) {
    const bool reached = view_->reaches(u.index);
    reached_ += reached;
    if (!needs(u)) continue;
    const auto& [items, digests, rest, bytes, annotated] = of(u.index);
    if (!items) {
      if (reached) missing_.push_back(u.id);
      continue;
    }
    const auto allows = view_->filter(u.index, mcp::row(kind_).invites);
    for (std::size_t n = 0; n < items->size(); ++n) {
      const auto& item = (*items)[n];
      // A name twice: the first upstream in configuration order has it, and there its first.
      const auto [first, fresh] = by_key_.emplace(item.key, all_.size());
      if (!fresh) {
        note_duplicate(all_[first->second].upstream, u.index, item.key);
        continue;
      }
      const bool shown = view_->open() || (reached && shows(allows, u, item));
      all_.push_back({&item, u.index, shown});
      if (!shown) continue;
      items_.push_back(&item);
      wraps_ |= item.rules && !item.rules->wrapped.empty();
      digest_ = mcp::extend_digest(digest_, digests[n]);
    }
    sources_.push_back(items);
    if (reached) beside_.add(u.id, rest, snapshot_->passthrough && items_.size() == all_.size());
  }
}

void view_list::hold(std::uint64_t version, const source& of) {
  if (std::exchange(of_.holds, version) == version) return;
  mcp::list_caching least{{}, true};
  for (const auto& u : snapshot_->upstreams) {
    if (!needs(u) || !view_->reaches(u.index)) continue;
    const auto& listed = of(u.index);
    if (listed.items) least.add(listed.rest ? listed.rest->caching : mcp::list_caching{});
  }
  beside_.hold(least);
}

/// Once for each pair, of a few pairs.
void view_list::note_duplicate(std::size_t owner, std::size_t other, const std::string& key) {
  if (owner == other || duplicates_.size() >= limits::list_duplicates) return;
  for (const auto& d : duplicates_)
    if (d.owner == owner && d.other == other) return;
  duplicates_.push_back({owner, other, key});
}

bool view_list::shows(const config::name_filter& allows, const config::compiled_upstream& of,
                      const mcp::list_item& item) const {
  if (is_named(kind_)) return allows(std::string_view(item.key).substr(of.prefix.size())).allowed;
  const auto uri = mcp::own_uri(of.space, item.key);
  if (mcp::row(kind_).by == mcp::keyed::by_template) return allows.meets(uri).allowed;
  return allows(mcp::judged_uri(uri)).allowed;
}

std::optional<page> view_list::at(std::uint64_t offset, mcp::era of) {
  note_served();
  const bool plain = wraps_ && of == mcp::era::stateless;
  auto& pages = pages_[plain];
  if (const auto* kept = pages.find(offset)) return *kept;
  if (offset > items_.size() || (offset == items_.size() && offset != 0)) return {};
  const auto size = snapshot_->page_size.value_or(items_.size());
  const auto end = std::min<std::uint64_t>(items_.size(), offset + size);
  auto text = std::make_shared<std::string>(R"({")");
  *text += mcp::shape(kind_).member;
  *text += R"(":[)";
  for (auto i = offset; i < end; ++i) {
    if (i != offset) *text += ',';
    const auto& item = *items_[i];
    const bool wrapped = !plain && item.rules && !item.rules->wrapped.empty();
    *text += wrapped ? item.rules->wrapped : item.raw;
  }
  *text += ']';
  if (offset == 0) *text += beside_.members();
  page out{std::move(text), {}, end - offset};
  if (end < items_.size()) out.next = end;
  pages.keep(offset, out);
  return out;
}

std::optional<std::size_t> view_list::owner(std::string_view key) const {
  auto it = by_key_.find(key);
  if (it == by_key_.end()) return {};
  return all_[it->second].upstream;
}

std::optional<std::size_t> view_list::owner_by_template(std::string_view uri) const {
  template_match matches(uri);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (i && all_[i].upstream != all_[i - 1].upstream) matches = template_match(uri);
    if (matches(all_[i].item->key)) return all_[i].upstream;
  }
  return {};
}

}  // namespace gate::federation
