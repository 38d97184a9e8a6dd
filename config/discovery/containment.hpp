#pragma once
/// What a discovery source may not do. Whoever writes its document chooses where the gateway
/// connects to and which secrets it shows there; the `allowed…` fields of section `discovery` bound
/// that. Pure; asked by config/discovery/discovered.hpp before anything else looks at the
/// upstreams.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/problem.hpp"

namespace gate::config {

/// A list of hosts, each exact or `*.suffix`, which means at least one label more.
class host_list {
 public:
  explicit host_list(const text_list& entries);
  /// `host` as http::url has it. Spellings of one host are equal; an address is no name.
  bool covers(std::string_view host) const;

 private:
  std::set<std::string, std::less<>> exact_;
  std::vector<std::string> suffixes_;  ///< with their leading dot
};

/// One problem for each place of `upstreams` that breaks a bound; pointers begin with `/upstreams`.
std::vector<config_problem> contain(const std::vector<upstream>& upstreams,
                                    const discovery_section& rules);

}  // namespace gate::config
