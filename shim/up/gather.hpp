#pragma once
/// From files to what is to be served: finds the files of clients, reads them, replaces variables,
/// and gives each server an id. Reads files and asks for what it is given functions for; nothing
/// else of the world.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/clients/plan.hpp"
#include "config/clients/variables.hpp"
#include "protocol/base/result.hpp"

namespace gate::up {

/// What the process was started in.
struct situation {
  clients::surroundings known;
  std::string path;            ///< of programs: PATH
  std::uint16_t own_port = 0;  ///< of the gateway, which a client's file may list by now
  std::function<result<std::string>(const std::string& file)> read;
  /// Answers what a file asks for; nothing: nobody is there who could.
  std::function<std::optional<std::string>(const std::string& file, const clients::input&)> ask;
};

struct gathered {
  std::vector<clients::planned_server> servers;
  std::string base;                     ///< a document of gate among the files; empty: none
  clients::base_document of_base{};     ///< what of it matters here
  clients::named_values base_secrets;   ///< variables that it names, and their values
  std::vector<std::string> problems{};  ///< of servers that are left out, as `FILE: …`
  std::vector<std::string> files{};     ///< that were read
  std::vector<std::string> beside{};    ///< that say more of these: envFiles, switches
};

/// The files of clients that there may be, those of the folder one works in first.
std::vector<std::string> usual_files(const situation& at);

/// Of all these files; an error names the one that is no good. `files` empty: of the first of the
/// usual ones that lists a server which can be served.
result<gathered> gather(const std::vector<std::string>& files, const situation& at);

}  // namespace gate::up
