#include "simulations/world/complaint.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace gate::sim {
namespace {

std::function<void(const std::string&)>& listener() {
  static std::function<void(const std::string&)> to;
  return to;
}

}  // namespace

void complain(const std::string& what) {
  if (listener()) return listener()(what);
  std::fprintf(stderr, "The simulated world failed: %s\n", what.c_str());
  std::abort();
}

void on_complaint(std::function<void(const std::string&)> to) {
  listener() = std::move(to);
}

}  // namespace gate::sim
