#pragma once
/// What units (systemd.exec(5)) take from the programs that they run. The units of a package are in
/// scripts/packaging/units; they have these settings and, as they are of the system, more: a
/// user's units can have those only that the kernel needs nobody's permission for.
#include <array>
#include <string_view>

namespace gate::clients {

struct unit_setting {
  std::string_view line;
  /// Also of those that run servers. Of these nobody knows what they need: interpreters write code,
  /// browsers make namespaces.
  bool of_servers;
};

inline constexpr std::array hardening{
    unit_setting{"UMask=0077", false},
    unit_setting{"LockPersonality=yes", true},
    unit_setting{"MemoryDenyWriteExecute=yes", false},
    unit_setting{"NoNewPrivileges=yes", true},
    unit_setting{"RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX", false},
    unit_setting{"RestrictNamespaces=yes", false},
    unit_setting{"RestrictRealtime=yes", true},
    unit_setting{"RestrictSUIDSGID=yes", true},
    unit_setting{"SystemCallArchitectures=native", true},
    unit_setting{"SystemCallErrorNumber=EPERM", false},
    unit_setting{"SystemCallFilter=@system-service", false},
    unit_setting{"SystemCallFilter=~@privileged @resources", false},
};

}  // namespace gate::clients
