#pragma once
/// How gate-up runs each server and the gateway: command lines and environments. Pure.
#include <cstdint>
#include <string>
#include <vector>

#include "config/clients/plan.hpp"
#include "transport/programs.hpp"

namespace gate::up {

/// Where our programs are, and what all of them need.
struct programs {
  std::string folder;  ///< absolute
  std::string path, home;
};

/// The gate-stdio in front of a server.
program_spec stdio_of(const clients::planned_server& s, const programs& p, std::uint16_t port);
/// The gateway, with a document that is in a file.
program_spec gate_of(const std::string& document, const clients::named_values& secrets,
                     const programs& p, const std::string& host, std::uint16_t port);

}  // namespace gate::up
