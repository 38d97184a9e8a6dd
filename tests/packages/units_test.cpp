// The units of a package take at least what those take that gate-up writes.
#include <gtest/gtest.h>

#include "config/clients/hardening.hpp"
#include "tests/support/generated.hpp"

namespace gate::packages {
namespace {

TEST(packages, units_are_as_hardened_as_those_of_gate_up) {
  for (const std::string name : {"gate", "gate-hooks", "gate-stdio@"}) {
    const auto unit = testing::read_page("scripts/packaging/units/" + name + ".service");
    const bool of_servers = name == "gate-stdio@";
    for (const auto& s : clients::hardening)
      if (s.of_servers || !of_servers)
        EXPECT_NE(unit.find('\n' + std::string(s.line) + '\n'), std::string::npos)
            << name << " lacks " << s.line;
  }
}

}  // namespace
}  // namespace gate::packages
