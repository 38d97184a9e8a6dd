#pragma once
/// A Service as an upstream of the discovery document, or why it can not be one. What it says is
/// judged by the gateway's own reader and rules, each Service alone, so that one which is wrong
/// takes nobody along. Pure; asked by SERVICE TABLE.
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "config/discovery/containment.hpp"
#include "protocol/base/result.hpp"
#include "protocol/kubernetes/service.hpp"
#include "protocol/metrics.hpp"

namespace gate::kubernetes {

struct entry_rules {
  std::string domain = "cluster.local";       ///< of the cluster's names; empty: it is left out
  std::vector<std::string> reserved = {};     ///< namespaces of tools that no Service may take
  std::vector<std::string> secret_refs = {};  ///< variables of the gateway that Services may name
  /// Where the gateway allows upstreams; nothing: anywhere.
  std::optional<config::host_list> upstream_hosts = {};
  /// Whom it shows credentials; nothing: nobody.
  std::optional<config::host_list> credential_hosts = {};
};

struct upstream_entry {
  std::string id;     ///< NAMESPACE--NAME
  std::string space;  ///< of its tools
  std::string json;   ///< one element of `upstreams`
};

/// Why it can not be one.
struct unfit {
  absence kind = absence::invalid;
  std::string what;  ///< a sentence; it names no secret
};
[[noreturn]] inline void throw_exception_from_error(const unfit& u, const boost::source_location&) {
  throw std::runtime_error(u.what);
}
using entry_result = boost::system::result<upstream_entry, unfit>;

/// NAMESPACE--NAME: no other Service has the same, as no namespace with `--` in its name has any.
std::string id_of(const service& s);

entry_result entry_of(const service& s, const entry_rules& rules);

}  // namespace gate::kubernetes
