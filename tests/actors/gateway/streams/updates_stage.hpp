#pragma once
/// What tests of subscriptions say: the params that name a resource, and the notice that it is
/// another one now.
#include "simulations/world/world.hpp"

namespace gate {

inline std::string about(std::string_view uri) {
  return R"({"uri":")" + std::string(uri) + R"("})";
}
inline std::string updated(std::string_view uri) {
  return R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":)" + about(uri) +
         "}";
}

}  // namespace gate
