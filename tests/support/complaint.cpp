// A complaint of the simulated world fails the test that runs.
#include <gtest/gtest.h>

#include "simulations/world/complaint.hpp"

namespace gate::sim {
namespace {

const bool told = [] {
  on_complaint([](const std::string& what) { ADD_FAILURE() << what; });
  return true;
}();

}  // namespace
}  // namespace gate::sim
