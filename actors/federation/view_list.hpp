#pragma once
/// One merged list as one kind of caller sees it: filtered by policy, as pages that are serialised
/// once and written as they are. Merging is by configuration order, then by the upstream's own
/// order, so that it never depends on who answered first. Pure; part of the catalogue.
///
/// An item is shown exactly if the call that it invites is allowed: a tool if `tools/call` is, a
/// prompt if `prompts/get` is, a resource if `resources/read` is, a template if there is a URI that
/// it describes and that may be read. Of a name or URI that occurs twice, the first occurrence
/// counts for both: who is asked, and whether it is shown.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/snapshot/snapshot.hpp"
#include "protocol/mcp/list.hpp"
#include "protocol/mcp/methods.hpp"

namespace gate::federation {

struct page {
  /// `{"tools":[…]`: everything but what differs between callers and the closing brace.
  std::shared_ptr<const std::string> head;
  std::optional<std::uint64_t> next;  ///< offset of the next page
  std::uint64_t count = 0;
};

class view_list {
 public:
  using snapshot_ptr = std::shared_ptr<const config::snapshot>;
  /// What upstream `i` lists; null: nothing is known.
  using source = std::function<const mcp::shared_items&(std::size_t)>;

  view_list(mcp::list_kind kind, snapshot_ptr snapshot, config::view_ptr view)
      : kind_(kind), snapshot_(std::move(snapshot)), view_(std::move(view)) {}

  /// Is this upstream's list needed? Resources of all that are visible: their owner must be known
  /// before it can be said that a read is denied.
  bool needs(const config::compiled_upstream& u) const;
  /// Brings the list up to date with what upstreams list, which is of this version.
  void merge(std::uint64_t version, const source& of);

  /// The page at `offset`; nothing if that is beyond the end.
  std::optional<page> at(std::uint64_t offset);
  /// Identifies the list: a cursor of another one has expired.
  std::uint64_t digest() const { return digest_; }
  /// Ids of upstreams whose list is missing from it.
  const std::vector<std::string>& missing() const { return missing_; }
  /// Is there nothing but failures?
  bool all_missing() const { return !missing_.empty() && missing_.size() == reached_; }

  /// Who lists this name or URI.
  std::optional<std::size_t> owner(std::string_view key) const;
  /// Who lists a template that this URI could come from.
  std::optional<std::size_t> owner_by_template(std::string_view uri) const;

  /// Somebody was served, and would now be served something else.
  bool differs_from_served() const { return served_ && *served_ != digest_; }
  bool served() const { return served_.has_value(); }
  void forget_served() { served_.reset(); }
  /// Those whom the other list served see this one from now on.
  void inherit_served(const view_list& other) {
    // Of two that served differently, at most one can have been right.
    constexpr std::uint64_t neither = 0;
    served_ = served_ && served_ != other.served_ ? std::optional(neither) : other.served_;
  }

  // Kept by the catalogue: everything was there and fresh at this version, until this time.
  std::uint64_t checked_version = ~std::uint64_t{0};
  std::chrono::steady_clock::time_point fresh_until{};
  std::uint64_t last_use = 0;

 private:
  struct listed {
    const mcp::list_item* item;
    std::size_t upstream;
    bool shown;
  };
  bool shows(const config::name_filter& allows, const config::compiled_upstream& of,
             const mcp::list_item& item) const;

  mcp::list_kind kind_;
  snapshot_ptr snapshot_;
  config::view_ptr view_;
  std::uint64_t version_ = ~std::uint64_t{0};
  std::vector<mcp::shared_items> sources_;  ///< keeps the items alive
  std::vector<listed> all_;
  std::vector<const mcp::list_item*> items_;                  ///< those that are shown
  std::unordered_map<std::string_view, std::size_t> by_key_;  ///< index in `all_`
  std::vector<std::string> missing_;
  std::size_t reached_ = 0;
  std::uint64_t digest_ = 0;
  std::optional<std::uint64_t> served_;  ///< digest of the list when a page was last given out
  std::unordered_map<std::uint64_t, page> pages_;
};

}  // namespace gate::federation
