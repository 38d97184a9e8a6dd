#pragma once
/// Whom `gate doctor` visits: an EXAMINATION for each address that a document names, in the
/// document's order. Nothing is asked here. Pure.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/doctor/upstream_visit.hpp"
#include "config/document.hpp"
#include "transport/clock.hpp"

namespace gate::doctor {

struct visits {
  std::vector<examination_ptr> all;
  /// Those of `all` that are to upstreams, in their order.
  std::vector<const upstream_visit*> upstreams;
};

/// Of a document without problems. Secrets that are not set, or of no use, are told elsewhere: what
/// needs them is asked without, or not at all.
visits visits_of(const config::document& doc, const secret_source& secrets, const wall_clock& wall);

}  // namespace gate::doctor
