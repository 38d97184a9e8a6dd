#pragma once
/// Part of stage 8: the page of a list that a call asked for. (MCP 2025-11-25
/// /server/utilities/pagination.) Cursors are sealed, and good for this list, this caller and this
/// state of it only.
#include <optional>

#include "actors/pipeline/call.hpp"

namespace gate::pipeline {

/// Cuts it out of `c.list`, as the call's result. Refused: a cursor that is not of this list.
std::optional<refusal> cut_page(call& c, const mcp::cursor_key& key);

}  // namespace gate::pipeline
