#pragma once
/// What gate-up writes for who runs the servers without it: the gateway's document, a systemd unit
/// (systemd.service(5)) for each process, and files with their environments. Secrets may stand in
/// all of them, as addresses and arguments have some: they are for their owner alone. Pure.
#include <cstdint>
#include <string>
#include <vector>

#include "config/clients/plan.hpp"

namespace gate::clients {

struct written_file {
  std::string name;
  std::string text;
};

struct unit_place {
  std::string programs;   ///< absolute: where gate and gate-stdio are
  std::string folder;     ///< absolute: where the files will be
  std::string workspace;  ///< absolute: what relative paths of servers are relative to
  std::string path, home;
  std::string host;
  std::uint16_t port = 0;
};

/// Servers get the ports from `limits::written_port` on. Units are those of a user
/// (`systemctl --user`).
struct written_units {
  std::vector<written_file> files;
  std::vector<std::string> notes;  ///< as those of a plan
  std::string problem;             ///< the same
};
written_units units_of(const std::vector<planned_server>& servers, std::string_view base,
                       const unit_place& at);

/// A word of a command line as systemd reads it back: in quotes if it needs them.
std::string unit_word(std::string_view word);
/// The line of an EnvironmentFile.
std::string environment_line(std::string_view name, std::string_view value);

}  // namespace gate::clients
