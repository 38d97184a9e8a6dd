#pragma once
/// What is said to AUDIT, the SINKs and ACTIVITY. The actors themselves are in
/// actors/interfaces.hpp.
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>
#include <cstdint>
#include <memory>
#include <optional>
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

// --- ACTIVITY ------------------------------------------------------------------------------------

/// Which events somebody may see: all, or those of this party.
struct event_filter {
  bool all = false;
  std::string issuer{}, subject{};
};
/// The events behind `since`, at most `limit` of them; without it the newest.
struct read_activity {
  event_filter whose;
  std::optional<std::uint64_t> since;
  std::size_t limit = 0;
};
struct activity_page {
  std::shared_ptr<const std::string> body;
};
/// What is told of a stream: bytes of it, whole events. Null: there is no room for it; then, and
/// after the last one, nothing more comes.
struct activity_told {
  std::uint64_t number = 0;
  std::shared_ptr<const std::string> text;
};
using activity_reader = caf::typed_actor<caf::reacts_to<activity_told>>;
/// Tell from now on what happens; answered with `activity_told` at once, and then as it happens.
struct follow_activity {
  std::uint64_t number = 0;  ///< the reader's own
  event_filter whose;
  std::optional<std::uint64_t> since;
  std::uint64_t share = 0;  ///< names who may have `limits::activity_streams_each` of them
  activity_reader reader;
};
struct unfollow_activity {
  std::uint64_t number = 0;
  activity_reader reader;
};

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::audit_record)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::audit_line)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::flush_audit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::audit_flushed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::read_activity)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::activity_page)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::activity_told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::follow_activity)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::unfollow_activity)
