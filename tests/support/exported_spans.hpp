#pragma once
/// The spans that a collector of a simulated world has got.
#include <algorithm>
#include <vector>

#include "simulations/world/fake_egress.hpp"
#include "tests/support/decoded_span.hpp"
#include "tests/support/inflated.hpp"

namespace gate::testing {

/// Of one export.
inline std::vector<decoded_span> spans_of(const sim::sight& export_) {
  std::vector<decoded_span> out;
  each_member(inflated(export_.body), [&](const auto& group) {
    each_member(group.inside, [&](const auto& m) {
      if (m.field != 2) return;
      each_member(m.inside, [&](const auto& of_scope) {
        if (of_scope.field == 2) out.push_back(decode_inside(of_scope.inside));
      });
    });
  });
  return out;
}

/// Of all, as they came.
inline std::vector<decoded_span> spans_of(const sim::fake_upstream& collector) {
  std::vector<decoded_span> out;
  for (const auto& s : collector.seen()) {
    auto more = spans_of(*s);
    std::move(more.begin(), more.end(), std::back_inserter(out));
  }
  return out;
}

}  // namespace gate::testing
