#pragma once
/// Part of stage 8: results and errors of servers of one generation of MCP, as clients of the other
/// read them (MCP 2026-07-28 /basic, Results; /server/utilities/caching).
#include <optional>

#include "actors/pipeline/call.hpp"
#include "protocol/refusals.hpp"

namespace gate::pipeline {

/// Completes the answer: `lead`, `result` or `error`, `keep`. A refusal, if the upstream's result
/// can not be passed off as a complete one.
std::optional<refusal> complete(call& c);

}  // namespace gate::pipeline
