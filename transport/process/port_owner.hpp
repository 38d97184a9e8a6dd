#pragma once
/// Which process listens on a TCP port of this machine, as /proc tells: for whoever is told that an
/// address is in use. Boot only: it looks at every process.
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace gate::process {

struct port_owner {
  pid_t pid = 0;
  std::string name;  ///< of the program, at most 15 bytes
};

/// The first that is found. Nothing: nobody listens there, or somebody whose descriptors we may not
/// see, which are those of other users unless we are root.
std::optional<port_owner> find_port_owner(std::uint16_t port);

}  // namespace gate::process
