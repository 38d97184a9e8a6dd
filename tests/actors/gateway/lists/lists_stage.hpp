#pragma once
/// What tests of lists look at: the notice that the tools have changed, the tools that a client was
/// shown, and whose are missing from them.
#include "simulations/world/world.hpp"

namespace gate {

inline constexpr auto changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
inline constexpr auto both = R"([{"name":"a__1"},{"name":"b__2"}])";

inline std::string tools(const sim::receipt_ptr& r) {
  return sim::at(r->last(), "result", "tools");
}
inline std::string failed(const sim::receipt_ptr& r) {
  return sim::at(r->last(), "result", "_meta", "gate/partialFailure", "failedUpstreams");
}

}  // namespace gate
