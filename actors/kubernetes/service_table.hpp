#pragma once
/// SERVICE TABLE: the Services that want to be told of, what each is as an upstream or why it is
/// none, and the discovery document made of them. Pure; owned by REGISTRY.
///
/// The document depends on the Services alone, not on the order in which they became known: where
/// two want the same namespace, or there are too many, the older ones are in it.
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/kubernetes/upstream_entry.hpp"
#include "protocol/kubernetes/service.hpp"

namespace gate::kubernetes {

struct left_out {
  std::string service;  ///< namespace/name
  absence kind = absence::invalid;
  std::string why;
  bool operator==(const left_out&) const = default;
};

struct made_document {
  std::string text;
  std::size_t upstreams = 0;
  std::vector<left_out> out;  ///< in the order of their names
};

class service_table {
 public:
  explicit service_table(entry_rules rules) : rules_(std::move(rules)) {}

  /// It is so now; one that does not want to be told of any more is gone. False: nothing is other
  /// than before, as of all Services that have nothing to do with us.
  bool put(service s);
  bool remove(const service& s);
  /// There are no others.
  void replace(std::vector<service> all);

  std::size_t size() const { return known_.size(); }
  made_document document() const;

 private:
  struct known_service {
    std::string created;
    entry_result entry;
  };
  using key = std::pair<std::string, std::string>;  ///< namespace, name

  void drop_newest();

  entry_rules rules_;
  std::map<key, known_service> known_;
};

}  // namespace gate::kubernetes
