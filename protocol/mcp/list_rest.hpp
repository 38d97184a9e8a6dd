#pragma once
/// What an upstream's list result says beside the list. Where there is one upstream and nothing is
/// rewritten, it reaches the client as it is. An upstream that is a gateway too names its own
/// upstreams that its list lacks; in a federation these are ours to name, behind its id.
///
///   a member                                   passes
///   any other                                  as it is, up to `limits::list_rest_bytes` in all
///   the list, `nextCursor`                     no: they are ours to say
///   `resultType`, `ttlMs`, `cacheScope`        no: what is merged of several, and filtered, holds
///   as
///                                              the least of them says (MCP 2026-07-28
///                                              /server/utilities/caching)
///   one that some decoder takes for these      no: it would hide what we say
///   or for `_meta`
///   `_meta`, twice                             no: which one counts nobody knows
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gate::mcp {

/// How long a list holds, and for whom.
struct list_caching {
  std::optional<std::chrono::milliseconds> ttl{};  ///< nothing: nobody says
  bool everybodys = false;  ///< whoever lists says that it is the same for everybody
  bool operator==(const list_caching&) const = default;
  /// Beside this one stands another.
  void add(const list_caching& other) {
    if (other.ttl) ttl = std::min(ttl.value_or(*other.ttl), *other.ttl);
    everybodys = everybodys && other.everybodys;
  }
};

struct list_rest {
  std::string members;              ///< raw: `,"key":value` for each
  bool meta = false;                ///< `_meta` is one of them
  std::vector<std::string> failed;  ///< `_meta["gate/partialFailure"].failedUpstreams`
  list_caching caching{};
  bool operator==(const list_rest&) const = default;
  bool empty() const { return *this == list_rest{}; }
  /// Does it say the same of the list, however long that holds? (`ttlMs` may count down.)
  bool says_as(const list_rest& o) const {
    return members == o.members && meta == o.meta && failed == o.failed;
  }
};
using shared_rest = std::shared_ptr<const list_rest>;

/// Gathers it from the members of one result.
class rest_reader {
 public:
  /// `list`: the member that is the list. `whole`: members are kept, not only what they say of
  /// missing upstreams.
  rest_reader(std::string_view list, bool whole) : list_(list), whole_(whole) {}

  /// A member: its key as it stands between the quotes, its raw value, which is valid JSON.
  void member(std::string_view raw_key, std::string_view value);
  list_rest take();

 private:
  void note(std::size_t which, std::string_view value);

  std::string_view list_;
  bool whole_;
  list_rest out_;
  std::string_view meta_;  ///< the first
  std::size_t metas_ = 0;  ///< how many there are
  std::size_t scopes_ = 0;
  std::pair<std::size_t, std::size_t> kept_{};  ///< where it stands in `members`, and its length
};

/// What is said beside a merged list, of what its upstreams say.
class merged_rest {
 public:
  /// `whole`: this upstream is the only one, its names are as they are, and its list hides nothing
  /// from the caller. (Else what it says beside it may speak of what is hidden.)
  void add(std::string_view upstream, const shared_rest& rest, bool whole);
  /// As in `list_rest`; for the first page.
  std::string_view members() const { return whole_ ? whole_->members : std::string_view{}; }
  /// `_meta` is one of these.
  bool meta() const { return whole_ && whole_->meta; }
  /// What the lists of upstreams that are gateways lack, as it is called here: `id/theirs`.
  const std::vector<std::string>& nested() const { return nested_; }
  /// The least of what they say. A server that says nothing may list something else to another
  /// client.
  const list_caching& caching() const { return caching_; }
  /// They say so now, and all else is as it was.
  void hold(const list_caching& now) { caching_ = now; }

 private:
  list_caching caching_{{}, true};
  shared_rest whole_;
  std::vector<std::string> nested_;
};

/// `,"_meta":{"gate/partialFailure":…}` for upstreams that a list lacks, and for those that the
/// lists of upstreams lack; nothing if there are none.
std::string partial_failure(const std::vector<std::string>& missing,
                            const std::vector<std::string>& nested);

}  // namespace gate::mcp
