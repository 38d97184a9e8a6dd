#pragma once
/// Bounds of what gate-up reads from the files of MCP clients, and of the servers it starts.
#include <chrono>
#include <cstddef>

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

}  // namespace gate::limits
