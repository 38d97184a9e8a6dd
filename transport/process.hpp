#pragma once
/// The process's surroundings: environment and files. At boot only, and for secrets at their use.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"

namespace gate {

inline constexpr int standard_output = 1;

/// Nothing if the variable is unset or empty.
std::optional<std::string> environment_variable(std::string_view name);

/// Lets the process open as many files and sockets as the system allows it; how many that are.
std::size_t raise_descriptor_limit();

/// The whole file; at most 16 MiB. Errors name the path and the system's reason.
result<std::string> read_file(const std::string& path);

}  // namespace gate
