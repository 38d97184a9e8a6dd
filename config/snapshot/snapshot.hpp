#pragma once
/// The immutable compiled form of a valid document. Each request loads one snapshot and keeps it to
/// its end, so a reload never changes the rules under a call in flight. GATEWAY compiles and swaps
/// it; ROUTERs and UPSTREAMs read it.
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

struct compiled_upstream {
  std::size_t index = 0;  ///< place in configuration order, the order of merged lists
  std::string id;
  http::url endpoint;
  std::string prefix;  ///< namespace and separator; empty in passthrough
  milliseconds connect{};
  milliseconds request{};
  std::optional<milliseconds> cache_ttl;  ///< nothing: lists are not cached
  upstream_auth auth;
  /// The credential comes from the caller: so does what the upstream shows, and its lists are never
  /// cached.
  bool per_caller = false;
  std::size_t max_response_bytes = 0;
  std::optional<config::owner> owner;
  text_map labels;
};

struct snapshot {
  std::uint64_t generation = 0;
  document doc;
  std::vector<compiled_upstream> upstreams;
  std::string separator;
  std::optional<std::size_t> page_size;  ///< nothing: one merged page
  bool passthrough = false;  ///< one upstream, no namespace: names go through as they are
  config::policy policy;     ///< knows upstreams by their index
  tenant_index tenants;      ///< finds indexes into `doc.tenants`
  /// Namespace to index into `upstreams`.
  std::unordered_map<std::string, std::size_t, text_hash, std::equal_to<>> by_namespace;

  /// The upstream that owns `space`, or null.
  const compiled_upstream* find_namespace(std::string_view space) const;
};

/// `doc` must have passed validation: an unreadable URL here is a bug and throws.
std::shared_ptr<const snapshot> compile(document doc, std::uint64_t generation);

}  // namespace gate::config
