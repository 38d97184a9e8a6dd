#pragma once
/// FOLLOWER: the door of `gate-discovery` to answers that have no end. EGRESS hands over a whole
/// body, or the events of an event stream; the watch of a Kubernetes API server is neither: lines
/// of JSON, for minutes. FOLLOWER asks over a connection of its own, and tells what comes, as it
/// comes. It has no deadlines: who asks knows how long an answer may take. One, on the first unit.
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/execution_unit.hpp>
#include <caf/typed_actor.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "protocol/http/url.hpp"

namespace caf {
class actor_system;
}

namespace gate {

enum class follow_end : std::uint8_t {
  complete,   ///< the whole answer has come
  unreached,  ///< there is no connection; nothing was asked
  broken,     ///< the connection ended within the answer
  malformed,  ///< what came is no HTTP
};

/// The head of the answer has come.
struct follow_began {
  std::uint64_t id = 0;
  int status = 0;
  std::optional<std::chrono::seconds> retry_after;
};
/// A piece of its body. No further one comes before `follow_on`.
struct follow_said {
  std::uint64_t id = 0;
  std::string bytes;
};
/// Nothing more comes. Exactly one for each, unless it was stopped.
struct follow_ended {
  std::uint64_t id = 0;
  follow_end how = follow_end::complete;
  std::string why;  ///< for the log; empty if it is complete
};
using follow_client = caf::typed_actor<caf::reacts_to<follow_began>, caf::reacts_to<follow_said>,
                                       caf::reacts_to<follow_ended>>;

/// GET this.
struct follow {
  std::uint64_t id = 0;  ///< chosen by the asker, who gets it back
  http::url where;
  std::string headers;  ///< lines, each ending in CRLF, beside Host, User-Agent and Connection
  /// Who may vouch for the server, PEM, read anew each time; empty: the system's authorities.
  std::string ca_file;
  follow_client asker;
};
struct follow_on {
  std::uint64_t id = 0;
};
/// Nothing more is told of it; the connection is closed.
struct stop_following {
  std::uint64_t id = 0;
};

using follower_door = caf::typed_actor<caf::reacts_to<follow>, caf::reacts_to<follow_on>,
                                       caf::reacts_to<stop_following>>;

/// Over real sockets. Who does not name it does not link it. It ends when it is told to exit.
follower_door spawn_follower(caf::actor_system& system, caf::execution_unit* unit);

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::follow_began)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::follow_said)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::follow_ended)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::follow)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::follow_on)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::stop_following)
