#pragma once
/// What a client reads in the error that refuses its request. Raw JSON values; empty if there is no
/// error, or nothing of that name in it.
#include "simulations/world/guarded_world.hpp"

namespace gate::sim {

inline std::string code(const receipt_ptr& r) {
  return at(r->last(), "error", "code");
}
inline std::string message(const receipt_ptr& r) {
  return at(r->last(), "error", "message");
}
/// Of `data.gate`, which names the scope and says when it is better.
inline std::string told(const receipt_ptr& r, std::string_view key) {
  return at(r->last(), "error", "data", "gate", key);
}

}  // namespace gate::sim
