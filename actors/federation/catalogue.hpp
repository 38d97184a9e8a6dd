#pragma once
/// The catalogue: the federation's lists of one kind, kept from what upstreams said
/// (list_sources.hpp), and merged for each kind of caller that asks (view_list.hpp). Pure; part of
/// ROUTER.
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "actors/federation/list_sources.hpp"
#include "actors/federation/view_list.hpp"
#include "config/snapshot/snapshot.hpp"

namespace gate::federation {

/// What lists are wanted for: to be shown, which waits for nobody who has nothing to show; or to
/// find out who owns a URI, which all that come before in configuration order have a say in.
enum class use : std::uint8_t { shown, owner };

class catalogue {
 public:
  using snapshot_ptr = std::shared_ptr<const config::snapshot>;

  /// `shared` not null: this catalogue is one caller's or client's, and outlived by that one.
  /// `everybodys`: upstreams whose lists depend on the caller are not asked, since there is none.
  /// `common` null: it is alone. `clients`: it is one client's, which sees upstreams with
  /// `listsPerClient` by its own session.
  catalogue(mcp::list_kind kind, snapshot_ptr snapshot, catalogue* shared = nullptr,
            bool everybodys = false, commons_ptr common = nullptr, bool clients = false);

  /// Brings the lists that this view needs up to date as far as possible at once. Appends what must
  /// be fetched; true if everything that can be served is there, false if somebody's first list is
  /// still on its way. One that failed the last time is only waited for if nobody else has listed.
  bool prepare(const config::view_ptr& view, time_point now, std::vector<wanted>& fetch,
               use what = use::shown);
  /// The same for all views that have been served or are waited for; but those upstreams that are
  /// `spared` are not asked.
  using which = std::function<bool(std::size_t)>;
  void prepare_all(time_point now, std::vector<wanted>& fetch, const which& spared);
  /// Is no first list that this view needs on its way any more?
  bool complete(const config::view_ptr& view, use what = use::shown);
  /// The list of this view, of what is there now, complete or not. Holds until the next call.
  view_list& list(const config::view_ptr& view);

  /// Who owns this URI, if that is certain without asking anybody: all that come before in
  /// configuration order have spoken.
  std::optional<std::size_t> known_owner(const config::view_ptr& view, std::string_view key,
                                         time_point now);

  /// The federation is another one now. What was cached of upstreams that stay is kept. Whoever was
  /// served by the first view of a pair sees by the second from now on; views that nobody is said
  /// to have any more are forgotten.
  using succession = std::vector<std::pair<config::view_ptr, config::view_ptr>>;
  void adopt(snapshot_ptr snapshot, const succession& views);
  /// The views whose callers were served something else, as far as that is known: those that miss
  /// nothing that is on its way. They are taken to be told.
  std::vector<std::uint64_t> take_changed_views();

  /// Was somebody served without this upstream, who may see it?
  bool lacks(std::size_t upstream);
  /// Asks those of whom nothing is known, though somebody was served what they may have listed
  /// then. Those that are `spared` are not asked, but returned.
  std::set<std::size_t> ask_unknown(time_point now, std::vector<wanted>& fetch,
                                    const which& spared);
  /// Where its lists come from.
  list_sources& sources() { return sources_; }
  const list_sources& sources() const { return sources_; }
  mcp::list_kind kind() const { return kind_; }
  /// Has anything come or gone since it was last compared with what was served?
  bool moved() const { return compared_ != sources_.version(); }
  /// Has somebody been served, and would now be served something else, and nothing is on its way?
  bool differs_from_served();
  bool served() const;
  /// Whoever was served and sees something of this upstream has been told that it no longer holds.
  void forget_served(std::size_t upstream);
  /// A client that was served by the first view, or waits to be, sees by the second from now on.
  /// True: that is another list, or may be one, as where it is not known (any more) what was
  /// served; else what it has counts as served by the second.
  bool pass_on(const config::policy_view& was, const config::view_ptr& is);
  /// Nobody sees this list by other views than these any more: nothing is asked for the sake of
  /// others.
  void keep_views(const std::vector<config::view_ptr>& these);

 private:
  bool asks(const view_list& l, const config::compiled_upstream& u) const;
  bool waits(const view_list& l);
  view_list& of(const config::view_ptr& view);
  view_list& merged(view_list& l);
  bool prepare(view_list& l, time_point now, std::vector<wanted>& fetch, use what,
               const which* spared = nullptr);
  bool differs_from_served(view_list& l);

  mcp::list_kind kind_;
  commons_ptr common_;
  list_sources sources_;
  std::uint64_t compared_ = ~std::uint64_t{0};
  std::map<std::uint64_t, view_list> views_;
  std::uint64_t uses_ = 0;
};

}  // namespace gate::federation
