#pragma once
/// Which unit a request is for. A session lives on one unit, and so does what waits for a client
/// without one: a call that asked it something, and the upstream session that made a task. A
/// connection that brings such a request moves there, once, instead of crossing threads on every
/// call. Pure.
#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/interfaces.hpp"
#include "transport/task_units.hpp"

namespace gate::http {

/// Of so many units; nothing: any. (An instance of the fleet that has more of them may have opened
/// the session: here it is always the same one's.)
std::optional<std::uint8_t> destination(const http_request& request, const task_units* tasks,
                                        std::size_t units);

}  // namespace gate::http
