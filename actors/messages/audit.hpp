#pragma once
/// What is said to AUDIT and the SINKs. The actors themselves are in actors/interfaces.hpp.
#include <caf/allowed_unsafe_message_type.hpp>
#include <memory>
#include <string>

#include "protocol/audit/event.hpp"

namespace gate {

struct audit_record {
  std::shared_ptr<const audit::event> event;
};
/// With its LF; the same for all sinks.
struct audit_line {
  std::shared_ptr<const std::string> text;
};
/// Answered when everything before it has left by the sinks, or is lost.
struct flush_audit {};
struct audit_flushed {};

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::audit_record)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::audit_line)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::flush_audit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::audit_flushed)
