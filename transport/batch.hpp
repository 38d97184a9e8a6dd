#pragma once
/// JSON-RPC batches (MCP 2025-03-26 only). Each element becomes an exchange of its own and goes
/// through all stages as if it had come alone; their answers are gathered and written as one
/// response.
#include <string_view>
#include <vector>

#include "transport/interfaces.hpp"

namespace gate {

/// One exchange an element, in order. Answers are collected into one JSON array; as soon as an
/// element becomes an event stream, everything goes out as events. Elements without answer
/// (notifications) contribute nothing; if there are only those, the response is 202.
std::vector<exchange_ptr> make_batch(const exchange_ptr& whole,
                                     const std::vector<std::string_view>& elements);

}  // namespace gate
