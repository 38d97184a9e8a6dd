#pragma once
/// The gateway's answer to `initialize`: version negotiation, capabilities, a new client session.
/// (MCP 2025-11-25 /basic/lifecycle.) Part of stage 7.
#include <optional>

#include "actors/pipeline/desk.hpp"
#include "actors/pipeline/fact.hpp"

namespace gate::pipeline {

/// Fills in the call's answer, or refuses: no protocolVersion, too much client information, no
/// room.
std::optional<refused> initialize(call_ptr& c, desk& d);

}  // namespace gate::pipeline
