#pragma once
/// One merged list as one kind of caller sees it: filtered by policy, as pages that are serialised
/// once and written as they are. Merging is by configuration order, then by the upstream's own
/// order, so that it never depends on who answered first. Pure; part of the catalogue.
///
/// An item is shown exactly if the call that it invites is allowed (protocol/mcp/list_kinds.hpp); a
/// template if there is a URI that it describes and that may be read. Of a name or URI that occurs
/// twice, the first occurrence counts for both: who is asked, and whether it is shown.
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/federation/commons.hpp"
#include "actors/federation/list_cache.hpp"
#include "config/snapshot/snapshot.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/list.hpp"
#include "protocol/mcp/list_kinds.hpp"

namespace gate::federation {

/// Is a list of this kind, as a caller with this view sees it, made of this upstream's too?
/// Resources of all that are visible: their owner must be known before it can be said that a read
/// is denied. But whoever may do nothing there does not show an upstream a token, nor opens a
/// session there.
bool is_listed(mcp::list_kind kind, const config::compiled_upstream& u,
               const config::policy_view& by);

/// Compares a URI with the templates of one upstream. Hostile ones must not hold the thread, nor
/// hide those of other upstreams: what costs more than an upstream may is not looked at.
class template_match {
 public:
  explicit template_match(std::string_view uri) : uri_(uri) {}
  bool operator()(std::string_view uri_template);

 private:
  std::string_view uri_;
  std::size_t left_ = limits::template_steps;
};

class view_list {
 public:
  using snapshot_ptr = std::shared_ptr<const config::snapshot>;
  /// What upstream `i` lists; without items: nothing is known.
  using source = std::function<const list_cache::listing&(std::size_t)>;

  view_list(mcp::list_kind kind, snapshot_ptr snapshot, config::view_ptr view,
            const commons_ptr& common)
      : kind_(kind),
        snapshot_(std::move(snapshot)),
        view_(std::move(view)),
        pages_{kept_pages(std::shared_ptr<page_store>(common, &common->pages)),
               kept_pages(std::shared_ptr<page_store>(common, &common->pages))} {}

  bool needs(const config::compiled_upstream& u) const { return is_listed(kind_, u, *view_); }
  /// Is there something on it for this caller?
  bool reaches(const config::compiled_upstream& u) const { return view_->reaches(u.index); }
  /// Brings the list up to date with what upstreams list, which is of this version.
  void merge(std::uint64_t version, const source& of);
  /// … and with how long these hold, which alone may have changed.
  void hold(std::uint64_t version, const source& of);

  /// The page at `offset`, for clients of this generation; nothing if that is beyond the end.
  std::optional<page> at(std::uint64_t offset, mcp::era of = mcp::era::session);
  /// Identifies the list: a cursor of another one has expired.
  std::uint64_t digest() const { return digest_; }
  /// Ids of upstreams whose list is missing from it.
  const std::vector<std::string>& missing() const { return missing_; }
  /// What upstreams say beside their lists.
  const mcp::merged_rest& beside() const { return beside_; }
  /// A URI that two upstreams list: whose it is, and who lists it in vain. One for each pair.
  struct duplicate {
    std::size_t owner, other;
    std::string key;
  };
  std::vector<duplicate> take_duplicates() { return std::exchange(duplicates_, {}); }
  /// Is there nothing but failures?
  bool all_missing() const { return !missing_.empty() && missing_.size() == reached_; }

  /// Who lists this name or URI.
  std::optional<std::size_t> owner(std::string_view key) const;
  /// Who lists a template that this URI could come from.
  std::optional<std::size_t> owner_by_template(std::string_view uri) const;

  /// Somebody was served something, and would now be served something else. (Of several who were
  /// served differently, one at most has what there is now.)
  bool differs_from_served() const { return served_ && (owed_ || *served_ != shown_now()); }
  bool served() const { return served_.has_value(); }
  /// Would somebody whom the other list served be served something else by this one?
  bool is_news_after(const view_list& other) const {
    return other.served_ && (other.owed_ || *other.served_ != shown_now());
  }
  /// What there is now has been given out, be it that there is nothing.
  void note_served() {
    owed_ |= served_ && *served_ != shown_now();
    served_ = shown_now();
  }
  void forget_served() {
    served_.reset();
    owed_ = false;
  }
  /// Those whom the other list served see this one from now on.
  void inherit_served(const view_list& other) {
    owed_ |= other.owed_ || (served_ && served_ != other.served_);
    served_ = other.served_;
  }

  // Kept by the catalogue: everything was there and fresh, with these doubts, until this time.
  std::uint64_t checked = ~std::uint64_t{0};
  std::chrono::steady_clock::time_point fresh_until{};
  std::uint64_t last_use = 0;

 private:
  /// What is given out if nobody has listed anything: an error.
  static constexpr std::uint64_t nothing = 0;
  std::uint64_t shown_now() const { return all_missing() ? nothing : digest_; }
  void note_duplicate(std::size_t owner, std::size_t other, const std::string& key);

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
  struct {
    std::uint64_t version = ~std::uint64_t{0}, holds = ~std::uint64_t{0};
  } of_;                                    ///< what it was made of
  std::vector<mcp::shared_items> sources_;  ///< keeps the items alive
  std::vector<listed> all_;
  std::vector<const mcp::list_item*> items_;                  ///< those that are shown
  std::unordered_map<std::string_view, std::size_t> by_key_;  ///< index in `all_`
  std::vector<std::string> missing_;
  mcp::merged_rest beside_;
  std::vector<duplicate> duplicates_;
  std::size_t reached_ = 0;
  std::uint64_t digest_ = 0;
  std::optional<std::uint64_t> served_;  ///< what there was when a page was last given out
  bool owed_ = false;                    ///< somebody before got something else, and was not told
  bool wraps_ = false;  ///< some tool is another one to clients of the session generation
  /// The second ones are for clients of the other one, if there is such a tool.
  std::array<kept_pages, 2> pages_;
};

}  // namespace gate::federation
