#pragma once
/// Which parts of a new document a running gateway cannot take over. Sections marked `restart` in
/// config/describe.hpp shape listeners, keys and sinks at construction; a reload that changes one
/// is refused as a whole and names it.
#include <string_view>
#include <vector>

#include "config/document.hpp"

namespace gate::config {

/// Keys of the sections that differ and need a restart ("auth"), in documented order.
std::vector<std::string_view> needs_restart(const document& running, const document& wanted);

}  // namespace gate::config
