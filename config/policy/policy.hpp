#pragma once
/// The policy engine: who may invoke what on which upstream. Compiled with the snapshot, immutable.
///
/// Judging has two steps, so that most of the work is done once per kind of caller: a `view` is the
/// policy with everything about the caller already decided. Callers whom the same rules mean, and
/// who see the same upstreams, share one view; and so they share the filtered list pages.
///
/// The first rule in document order with a grant that fits allows, and is named; if none fits,
/// `defaultDecision` holds and no rule is named. Without a policy section everything is allowed.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/document.hpp"
#include "config/policy/glob.hpp"
#include "protocol/oauth/principal.hpp"

namespace gate::config {

/// Whether something is allowed, and by which rule.
struct judgement {
  bool allowed = false;
  std::string_view rule;  ///< valid as long as the view; empty: the default decided
};

/// What rules and grants became; only policy.cpp looks inside.
struct compiled_policy;
struct compiled_grant;

/// What one view says about one method of one upstream: for lists, whose names are many. Says the
/// same as `policy_view::judge`. Valid as long as the view.
class name_filter {
 public:
  /// A bare name or URI.
  judgement operator()(std::string_view name) const;
  /// Is there a URI that the template describes and that is allowed?
  judgement meets(std::string_view uri_template) const;

 private:
  friend class policy_view;
  struct entry {
    const glob* name;
    std::string_view rule;
    std::size_t order;
  };
  /// Small, since most patterns are done with by a look at what they need.
  struct pattern {
    std::uint64_t needs;
    std::size_t order;
  };
  void add(const compiled_grant& g);

  std::vector<entry> names_;       ///< in the order of the rules
  std::vector<pattern> patterns_;  ///< those with `*`; the others are looked up
  std::unordered_map<std::string_view, entry> exact_;
  judgement otherwise_;
};

/// What one kind of caller sees and may do. Immutable and shared.
class policy_view {
 public:
  /// Is upstream `u` there at all for this caller? (Tenants; judged before policy.)
  bool visible(std::size_t u) const noexcept;
  /// Visible, and there is something on it that the caller may invoke.
  bool reaches(std::size_t u) const noexcept;
  /// May `method` (an MCP method name) be invoked with this bare name or URI? On upstreams that are
  /// not visible nothing may.
  judgement judge(std::size_t u, std::string_view method, std::string_view name) const;
  /// The same for a URI template: is there a URI that it describes and that is allowed?
  judgement judge_template(std::size_t u, std::string_view method,
                           std::string_view uri_template) const;
  /// The same for many names.
  name_filter filter(std::size_t u, std::string_view method) const;
  /// Everything is visible and allowed, and there are no rules to be named: nothing needs to be
  /// filtered or judged.
  bool open() const noexcept { return open_; }
  /// Number of this view, as `make_view` was told.
  std::uint64_t id() const noexcept { return id_; }

 private:
  friend class policy;
  struct server {
    bool visible = true;
    std::vector<const compiled_grant*> grants;  ///< in document order
  };
  /// The first grant for `method` whose names satisfy `matches`, or the default.
  template <class F>
  judgement first_fit(std::size_t u, std::string_view method, F matches) const;

  std::shared_ptr<const compiled_policy> compiled_;  ///< grants and rule names are there
  std::vector<server> servers_;
  bool default_allows_ = true;
  bool open_ = true;
  std::uint64_t id_ = 0;
};
using view_ptr = std::shared_ptr<const policy_view>;

/// Part of the snapshot. The views that it has made are remembered by whoever asks (`view_key`).
class policy {
 public:
  /// `upstreams` are ids, by number; empty where a number is free.
  explicit policy(const std::optional<policy_section>& section = {},
                  const std::vector<std::string>& upstreams = {});

  /// What distinguishes the view of this caller from others': equal keys, equal views. Null `who`:
  /// anonymous. `tenant_upstreams` null: all are visible.
  std::string view_key(const oauth::principal* who, const text_list* tenant_upstreams) const;
  /// Asked for once a key. `id` is to be unique. Without a policy section, and with everything
  /// visible, the view is open.
  view_ptr make_view(const oauth::principal* who, const text_list* tenant_upstreams,
                     std::uint64_t id) const;

 private:
  std::shared_ptr<const compiled_policy> compiled_;
};

}  // namespace gate::config
