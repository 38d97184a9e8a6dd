#pragma once
/// Bounds of what gate-up reads from the files of MCP clients, and of the servers it starts.
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace gate::limits {

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
inline constexpr std::uint16_t written_port = 8101;
/// Of a line that a program writes to standard error; the rest of it is left out.
inline constexpr std::size_t program_line_bytes = 8 * 1024;
/// Lines of a program that are kept, to be shown when it ends.
inline constexpr std::size_t program_last_lines = 12;
/// Before a program that has ended is started again: doubled each time, up to the second; the first
/// again after it has run for that long.
inline constexpr std::chrono::milliseconds program_restart_least{500};
inline constexpr std::chrono::milliseconds program_restart_most{30'000};
/// Until a server has to have answered to be shown as one that does; it is waited for beyond that,
/// but not by the table.
inline constexpr std::chrono::seconds server_patience{60};
/// How often a gate-stdio that has just started is asked for the health of its server.
inline constexpr std::chrono::milliseconds server_look{250};
/// How often files are looked at for changes.
inline constexpr std::chrono::milliseconds client_file_look{1000};
/// From SIGTERM until a program is killed: longer than its own drain takes.
inline constexpr std::chrono::seconds program_goodbye{15};

}  // namespace gate::limits
