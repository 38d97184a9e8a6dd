#pragma once
/// Which parts of a new document a running gateway cannot take over. Sections marked `restart` in
/// config/describe.hpp shape listeners, keys and sinks at construction; a reload that changes one
/// is refused as a whole and names it.
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "config/problem.hpp"

namespace gate::config {

/// Keys of the sections that differ and need a restart ("auth"), in documented order. Written out
/// or left to their defaults, fields are the same; but an absent section that can be absent
/// (`audit`, `tracing`, `discovery`, and limits and budgets inside others) is not one that is
/// there.
std::vector<std::string_view> needs_restart(const document& running, const document& wanted);

/// The same as the problems of the reload that wanted it: one a section.
std::vector<config_problem> restart_problems(const document& running, const document& wanted);

}  // namespace gate::config
