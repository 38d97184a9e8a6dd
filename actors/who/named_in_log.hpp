#pragma once
/// The field `traceId` of a line of the log that one request has caused (docs/operations.md). No
/// field if it is not known which trace that belongs to. Pure; for whoever has a request at hand.
#include <memory>
#include <string>

#include "protocol/trace/context.hpp"
#include "protocol/trace/ids.hpp"
#include "transport/log.hpp"

namespace gate {

inline log::field named_in_log(const trace::trace_id& of) {
  return trace::is_id(of) ? log::field{"traceId", trace::hex(of)} : log::field{};
}
/// What an upstream is told of it (`trace_ptr`); may be null.
inline log::field named_in_log(const std::shared_ptr<const std::string>& lines) {
  return named_in_log(lines ? trace::trace_in(*lines) : trace::trace_id{});
}

}  // namespace gate
