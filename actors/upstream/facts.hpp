#pragma once
/// What is known of an upstream from its configuration, as its sessions need it; immutable. Plain
/// data, made with the rest of `context`.
#include <memory>
#include <vector>

#include "config/snapshot/snapshot.hpp"
#include "transport/interfaces.hpp"

namespace gate::upstream {

struct facts {
  config::compiled_upstream config;
  std::vector<std::shared_ptr<const destination>> to;  ///< one per endpoint
};

}  // namespace gate::upstream
