#pragma once
/// The catalogue: the federation's merged list of one kind, as pages that are serialised once and
/// written as they are. Merging is by configuration order, then by the upstream's own order, so
/// that it never depends on who answered first. Pure; part of ROUTER.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/federation/list_cache.hpp"
#include "config/snapshot/snapshot.hpp"
#include "protocol/mcp/methods.hpp"

namespace gate::federation {

/// What the catalogue wants fetched: upstream, fill number.
struct wanted {
  std::size_t upstream = 0;
  std::uint64_t fill = 0;
};

struct page {
  /// `{"tools":[…]`: everything but what differs between callers and the closing brace.
  std::shared_ptr<const std::string> head;
  std::optional<std::uint64_t> next;  ///< offset of the next page
  std::uint64_t count = 0;
};

class catalogue {
 public:
  catalogue(mcp::list_kind kind, std::shared_ptr<const config::snapshot> snapshot);

  /// Brings the lists up to date as far as possible at once. Appends what must be fetched; true if
  /// everything that can be served is there, false if somebody's first list is still on its way.
  bool prepare(time_point now, std::vector<wanted>& fetch);

  /// Is nobody's first list on its way any more?
  bool complete() const { return !cache_.anybody_waits(); }

  list_cache& cache() { return cache_; }
  mcp::list_kind kind() const { return kind_; }

  /// The page at `offset` of what is there now, complete or not; nothing if `offset` is beyond the
  /// end.
  std::optional<page> at(std::uint64_t offset);
  /// Identifies the merged list: a cursor of another one has expired.
  std::uint64_t digest();
  /// Ids of upstreams whose list is missing from it.
  const std::vector<std::string>& missing();
  /// Is there nothing but failures?
  bool all_missing();

  /// Who lists this name or URI; the first in configuration order.
  std::optional<std::size_t> owner(std::string_view key);
  /// Who lists a template that this URI could come from.
  std::optional<std::size_t> owner_by_template(std::string_view uri);

  /// Has somebody been served, and would now be served something else?
  bool differs_from_served();
  bool served() const { return served_.has_value(); }
  /// Whoever was served has been told that it no longer holds.
  void forget_served() { served_.reset(); }

 private:
  void merge();

  mcp::list_kind kind_;
  std::shared_ptr<const config::snapshot> snapshot_;
  list_cache cache_;
  time_point all_fresh_until_{};
  std::uint64_t checked_version_ = ~std::uint64_t{0};

  // The merged view of cache version `merged_version_`.
  std::uint64_t merged_version_ = ~std::uint64_t{0};
  std::vector<mcp::shared_items> sources_;  ///< keeps the items alive
  std::vector<const mcp::list_item*> items_;
  std::vector<std::size_t> owners_;                           ///< of `items_`
  std::unordered_map<std::string_view, std::size_t> by_key_;  ///< index in `items_`
  std::vector<std::string> missing_;
  std::uint64_t digest_ = 0;
  std::optional<std::uint64_t> served_;  ///< digest of the list when a page was last given out
  std::unordered_map<std::uint64_t, page> pages_;
};

}  // namespace gate::federation
