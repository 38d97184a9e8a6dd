#pragma once
/// A world with one client in it that has said hello, and the upstream that it mostly calls: what
/// many tests of calls begin with. A base of their fixtures.
#include "simulations/world/world.hpp"

namespace gate::sim {

struct one_client {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");

  one_client() { c.initialize(); }
};

}  // namespace gate::sim
