#pragma once
/// Bounds of what gate-up reads from the files of MCP clients, and of the servers it starts.
#include <array>
#include <chrono>
#include <cstddef>

#include "protocol/limits/children.hpp"
#include "protocol/limits/row.hpp"

namespace gate::limits {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Servers of all files together: each of standard input and output is two processes at least.
inline constexpr std::size_t client_servers = 64;
/// Values that one file may ask for on the terminal.
inline constexpr std::size_t client_inputs = 64;
/// Of a value after its variables have been put in: what one argument of a process may have.
inline constexpr std::size_t client_value_bytes = 128 * 1024;
/// Of an id that is made of a server's name: names of tools begin with it, and clients take 64
/// bytes of these at most.
inline constexpr std::size_t client_id_bytes = 24;

/// Ports of gate-stdio where units are written: this one and those that follow.
inline constexpr int written_port = 8101;
/// Of a line that a program writes to standard error; the rest of it is left out.
inline constexpr std::size_t program_line_bytes = 8 * 1024;
/// Lines of a program that are kept, to be shown when it ends.
inline constexpr std::size_t program_last_lines = 12;
/// Before a program that has ended is started again: doubled each time, up to the second; the first
/// again after it has run for that long.
inline constexpr milliseconds program_restart_least{500};
inline constexpr milliseconds program_restart_most{30'000};
/// Until a server has to have answered to be shown as one that does; it is waited for beyond that,
/// but not by the table.
inline constexpr seconds server_patience{60};
/// The same of one whose command may have to fetch it first; gate-stdio has as much of it.
inline constexpr seconds fetched_server_patience = child_initialize;
/// How often a gate-stdio that has just started is asked for the health of its server.
inline constexpr milliseconds server_look{250};
/// How often files are looked at for changes.
inline constexpr milliseconds client_file_look{1000};
/// From SIGTERM until a program is killed: longer than its own drain takes.
inline constexpr seconds program_goodbye{15};

inline constexpr std::array of_client_files{
    // clang-format off
    row{"client_servers", client_servers, "further servers are left out, and told"},
    row{"client_inputs", client_inputs, "of a file: further ones are not asked for"},
    row{"client_value_bytes", bytes(client_value_bytes), "the server is left out, and told"},
    row{"client_id_bytes", client_id_bytes, "of a server's id: cut off"},
    row{"written_port", written_port, "the first port of gate-stdio in units that `--write` makes"},
    row{"program_line_bytes", bytes(program_line_bytes), "of a line that a program logs: cut off"},
    row{"program_last_lines", program_last_lines, "lines that are shown of a server that does not run"},
    row{"program_restart_least", program_restart_least, "before a program that has ended is started again"},
    row{"program_restart_most", program_restart_most, "after it has ended again and again; who runs for that long begins anew"},
    row{"server_patience", server_patience, "the table does not wait for a server any longer"},
    row{"fetched_server_patience", fetched_server_patience, "the same of one that `npx`, `uvx`, `docker` and the like may have to fetch first"},
    row{"server_look", server_look, "between two questions whether a server is well"},
    row{"client_file_look", client_file_look, "between two looks at the files"},
    row{"program_goodbye", program_goodbye, "from SIGTERM to SIGKILL"},
    // clang-format on
};

}  // namespace gate::limits
