#pragma once
/// What gate-up makes of the servers that files list: an id for each, a gate-stdio in front of each
/// that is a command, and one document for the gateway in front of all. Secrets go into variables
/// that the document names, never into it. Pure.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/clients/server_entry.hpp"
#include "protocol/base/result.hpp"

namespace gate::clients {

/// A server that gate-up serves. Its variables are replaced.
struct planned_server {
  std::string id;      ///< of the upstream, and its namespace; unique
  std::string name;    ///< as its file has it
  std::string source;  ///< the file, and where in it
  server_entry entry;
  bool started() const { return !entry.command.empty(); }
};

/// Ids of servers by these names: small letters, digits and dashes, at most
/// `limits::client_id_bytes`, each once and none of `taken`; where a name leaves nothing, `server`.
std::vector<std::string> ids_of(const std::vector<std::string>& names,
                                const std::vector<std::string>& taken = {});

/// The environment of a stdio server's gate-stdio, and what of it the server may see: PATH and HOME
/// of ours, and what its entry says, which wins.
struct child_environment {
  named_values all;
  std::vector<std::string> passed;  ///< names for --env-passthrough
};
child_environment environment_of(const server_entry& e, std::string_view path,
                                 std::string_view home);

/// Lines `NAME=value` of an `envFile`: comments by `#`, `export` before a name, quotes around a
/// value. What is no such line is left out.
named_values read_environment_file(std::string_view text);

/// A server and where it is called: its own address, or that of its gate-stdio.
struct reachable_server {
  const planned_server* server = nullptr;
  std::string url;
};

struct gate_plan {
  std::string document;  ///< JSON, indented
  named_values secrets;  ///< variables that the document names
  /// What of an entry the gateway can not do, as `id: sentence`.
  std::vector<std::string> notes;
  bool serves = false;  ///< there is an upstream at all
  std::string
      problem;  ///< the first that the gateway would find in the document; empty: it is good
};

/// What the gateway would say of this server alone, for which it does not matter where a command
/// will listen. Nothing: it is good.
std::optional<std::string> refused_by_gateway(const planned_server& s);

/// A document of gate whose settings are to hold. Errors: it is no JSON as gate reads it.
struct base_upstream {
  std::string id;
  std::string name_space;  ///< empty: it is the only one, and its names are passed through
};
struct base_document {
  std::vector<base_upstream> upstreams;
  std::string separator = "__";      ///< of namespace and name
  bool authenticates = false;        ///< who calls the gateway has to say who it is
  std::vector<std::string> secrets;  ///< variables that it names
};
result<base_document> read_base(std::string_view text);

/// `base`: a document of gate whose settings hold, and whose upstreams come first; empty: none.
gate_plan plan_gate(const std::vector<reachable_server>& servers, std::string_view base);

}  // namespace gate::clients
