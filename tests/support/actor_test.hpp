#pragma once
/// A stage as a fixture; tests that need many actor systems make stages themselves.
#include <gtest/gtest.h>

#include "simulations/world/actor_stage.hpp"

namespace gate::sim {

class actor_test : public ::testing::Test, public actor_stage {};

}  // namespace gate::sim
