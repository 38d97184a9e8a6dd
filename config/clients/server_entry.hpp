#pragma once
/// MCP servers as the files of MCP clients list them: one form for all clients. Pure data, made by
/// config/clients/client_file.hpp, whose variables config/clients/variables.hpp replaces.
#include <string>
#include <utility>
#include <vector>

#include "config/problem.hpp"

namespace gate::clients {

/// In the file's order.
using named_values = std::vector<std::pair<std::string, std::string>>;

/// Whose file it is: what its variables look like, and where its servers stand.
enum class family { any, claude_desktop, claude_code, cursor, windsurf, vs_code, codex, gate };

/// A header whose value, or the end of it, stands in an environment variable.
struct variable_header {
  std::string name, before, variable;
  bool operator==(const variable_header&) const = default;
};

struct server_entry {
  std::string name;
  std::string pointer;               ///< where in its file
  std::vector<std::string> command;  ///< of a stdio server, with arguments; empty: it has a `url`
  named_values environment;          ///< of the command
  /// Variables that the command gets of whoever starts it, where they are set.
  std::vector<std::string> inherited;
  std::string environment_file;                   ///< `NAME=value` lines; empty: none
  std::string directory;                          ///< working directory; empty: that of gate-up
  std::string url;                                ///< of a server over streamable HTTP
  named_values headers;                           ///< for each request to it
  std::vector<variable_header> variable_headers;  ///< the same, when variables are replaced
  std::vector<std::string>
      remarks;  ///< what of it is not taken over, as sentences without a full stop
  bool operator==(const server_entry&) const = default;
};

/// A value that a file leaves to whoever starts its servers.
struct input {
  std::string id;
  std::string question;
  std::string otherwise;               ///< what an empty answer means
  std::vector<std::string> choices{};  ///< if it is one of these
  bool secret = false;
};

struct client_file {
  family of = family::any;
  std::vector<server_entry> servers;
  std::vector<input> inputs;
  /// Of entries that are left out, and why; the other ones are good.
  std::vector<config::config_problem> problems;
};

}  // namespace gate::clients
