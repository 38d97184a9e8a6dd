#pragma once
/// What is said to TRACES. The actor itself is in actors/interfaces.hpp.
#include <caf/allowed_unsafe_message_type.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace gate {

/// Spans that have ended, as they are exported (protocol/trace/span.hpp), one after another;
/// `limits::trace_gathered` at most.
struct spans_ended {
  std::shared_ptr<const std::string> text;
  std::size_t count = 0;
};
/// Answered when everything before it has left, or is lost.
struct flush_traces {};
struct traces_flushed {};

/// A request of an upstream waited for a credential, which a token endpoint was asked for.
struct credential_wait {
  std::chrono::steady_clock::time_point from, until;
  bool told = false;  ///< there was one in the end
};

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::spans_ended)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::flush_traces)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::traces_flushed)
