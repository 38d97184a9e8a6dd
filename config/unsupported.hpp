#pragma once
/// What a valid document uses although this build does not have it yet. `gate --validate` accepts
/// such a document; a boot refuses it, because ignoring a limit or a lock would be worse than not
/// starting. The marks are in config/describe.hpp.
#include <vector>

#include "config/parse.hpp"
#include "config/problem.hpp"

namespace gate::config {

/// One problem a place; printed with `to_line` it reads `not supported by this build: <pointer>`.
std::vector<config_problem> unsupported(const structure& p);

}  // namespace gate::config
