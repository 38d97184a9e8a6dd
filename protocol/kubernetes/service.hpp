#pragma once
/// What gate-discovery reads of a Service of Kubernetes (core/v1): where it is, how it is reached,
/// and our annotations. All else, and whatever later versions add, is skipped. Pure.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"

namespace gate::kubernetes {

/// Ours begin so.
inline constexpr std::string_view annotation_prefix = "gate.mcp/";

struct service_port {
  std::string name;  ///< empty: the only one may have none
  std::uint16_t number = 0;
  std::string protocol = "TCP";
  std::uint16_t target = 0;  ///< the port of the pods; 0: it is a name, which each pod resolves
};

struct service {
  std::string name;
  std::string space;      ///< the namespace of the cluster that it is in
  std::string created;    ///< creationTimestamp, RFC 3339 in UTC: its text is in the order of time
  std::string version;    ///< resourceVersion
  std::string type;       ///< ClusterIP unless it says otherwise
  bool headless = false;  ///< its name is that of its pods: nothing maps ports
  std::vector<service_port> ports;
  /// Ours, without their prefix. Of values beyond `limits::cluster_annotation_bytes` the beginning.
  std::map<std::string, std::string, std::less<>> annotations;
  bool too_much = false;  ///< a value was beyond that, or there were too many

  /// Wants to be told of: `enabled` is there, and does not say "false".
  bool wanted() const;
};

/// A name as namespaces and Services have: a label of the DNS (RFC 1123).
bool is_dns_label(std::string_view text) noexcept;

/// `raw` is one JSON value, which was found to be valid. Errors: it is no Service.
result<service> read_service(std::string_view raw);

}  // namespace gate::kubernetes
