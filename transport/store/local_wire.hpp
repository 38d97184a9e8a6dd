#pragma once
/// The byte stream to a server on the same machine, by a socket in the file system. Made by a line
/// to the store. Thread: the unit's.
#include <memory>
#include <string>

#include "transport/http/wire.hpp"

namespace gate::store {

/// Connects to the socket, whatever addresses it is given.
std::unique_ptr<http::wire> make_local_wire(scheduler::io_unit& unit, std::string path);

}  // namespace gate::store
