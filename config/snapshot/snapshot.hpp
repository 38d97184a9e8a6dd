#pragma once
/// The immutable compiled form of a valid document. Each request loads one snapshot and keeps it to
/// its end, so a reload never changes the rules under a call in flight. LOADER compiles it,
/// GATEWAY swaps it; ROUTERs and UPSTREAMs read it.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/document.hpp"
#include "config/policy/policy.hpp"
#include "config/tenants/tenants.hpp"
#include "config/text_hash.hpp"
#include "protocol/http/url.hpp"

namespace gate::config {

/// Keeps an upstream's number from being given to another.
struct number_lease {};

struct compiled_upstream {
  /// Its number, which it keeps over reloads as long as nothing changes but what `same_shape`
  /// leaves out. A changed upstream is another one and gets another number. (Not its place in the
  /// order: that is `snapshot::upstreams`.)
  std::size_t index = 0;
  std::shared_ptr<const number_lease> lease;  ///< shared by all who may mean it by its number
  std::string id;
  http::url endpoint;                ///< the first of `endpoints`
  std::vector<http::url> endpoints;  ///< replicas, equivalent; never empty
  std::string space;                 ///< its namespace; empty in passthrough
  std::string prefix;                ///< namespace and separator; empty in passthrough
  milliseconds connect{};
  milliseconds request{};
  milliseconds max_request{};  ///< of a call that goes on saying something
  milliseconds stream_idle{};  ///< 0: streams may be silent for any time
  circuit_breaker breaker;
  std::int64_t requests_per_minute = 0;  ///< 0: no limit
  std::optional<config::budget> budget;
  milliseconds probe_interval{};          ///< of active health checks; 0: health is passive
  std::optional<milliseconds> cache_ttl;  ///< nothing: lists are not cached
  /// The generation of MCP that it is spoken to in, or that this is found out.
  protocol_choice protocol = protocol_choice::session;
  upstream_auth auth;
  /// The credential comes from the caller: so does what the upstream shows, and its lists are never
  /// cached.
  bool per_caller = false;
  /// Lists come over the session of the client that sees them.
  bool per_client = false;
  std::size_t max_response_bytes = 0;
  std::optional<config::owner> owner;
  text_map labels;
  bool discovered = false;  ///< not of the operator's own document
};

struct snapshot {
  std::uint64_t generation = 0;
  /// The operator's document, with the discovered upstreams behind its own.
  document doc;
  std::size_t discovered_from = 0;  ///< those of `doc.upstreams` from here on are discovered
  /// In configuration order, the order of merged lists.
  std::vector<compiled_upstream> upstreams;
  /// Above all numbers of upstreams: tables by `compiled_upstream::index` have this size. Numbers
  /// in between may be free.
  std::size_t slots = 0;
  /// By number: the place in `upstreams`; `none` where the number is free.
  std::vector<std::size_t> places;
  static constexpr std::size_t none = ~std::size_t{0};
  std::string separator;
  std::optional<std::size_t> page_size;  ///< nothing: one merged page
  bool personal = false;                 ///< what some upstream shows depends on the caller
  bool per_client = false;               ///< some upstream's lists come over clients' sessions
  bool passthrough = false;  ///< one upstream, no namespace: names go through as they are
  config::policy policy;     ///< knows upstreams by their index
  tenant_index tenants;      ///< finds indexes into `doc.tenants`
  /// Namespace, and id, to index into `upstreams`.
  using by_name = std::unordered_map<std::string, std::size_t, text_hash, std::equal_to<>>;
  by_name by_namespace, by_id;

  /// The upstream that owns `space`, or null.
  const compiled_upstream* find_namespace(std::string_view space) const;
  /// The upstream with this number, or null.
  const compiled_upstream* at(std::size_t index) const {
    return index < places.size() && places[index] != none ? &upstreams[places[index]] : nullptr;
  }
  /// Where in `upstreams` the one with this id is; `none`: there is none.
  std::size_t place_of(std::string_view id) const;
  /// The upstream with this id, or null.
  const compiled_upstream* find(std::string_view id) const;
};
using snapshot_ptr = std::shared_ptr<const snapshot>;

/// Is nothing different but what connections do not depend on: labels, owner, rate limit, budget,
/// and how long lists are kept? What is left out here may change under an actor that was made for
/// the upstream: it is taken from the snapshot, or travels with the request.
bool same_shape(const upstream& a, const upstream& b);

/// Makes snapshots one after the other, so that what stays the same keeps its number. A number is
/// given away again when no copy of its `compiled_upstream` is left: neither a call that could mean
/// its former owner, nor an actor that could speak for it. Used by one thread.
class compiler {
 public:
  /// `doc` must have passed validation: an unreadable URL here is a bug and throws. Those of its
  /// upstreams from `discovered_from` on are not the operator's own. The generation is one above
  /// that of the snapshot before, which is the one that was made last.
  snapshot_ptr compile(document doc, std::size_t discovered_from = snapshot::none);
  /// Goes on behind a snapshot that another compiler made.
  void follow(const snapshot_ptr& made_elsewhere);
  const snapshot_ptr& latest() const { return latest_; }

 private:
  snapshot_ptr latest_;
  std::vector<std::weak_ptr<const number_lease>> leases_;  ///< by number
};

/// The first snapshot, of generation 1.
snapshot_ptr compile(document doc);

}  // namespace gate::config
