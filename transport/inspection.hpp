#pragma once
/// INSPECTOR: the door of `gate doctor` to what EGRESS and STORE do not tell, for whom a connection
/// is there or is not: which address was reached, whose certificate was shown and until when it is
/// good, what time a server has. It connects once for each question, sends no credential but a
/// store's, and closes. One, on the first unit.
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/execution_unit.hpp>
#include <caf/typed_actor.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/http/url.hpp"
#include "protocol/resp/store_url.hpp"

namespace caf {
class actor_system;
}

namespace gate {

/// How far a connection came.
enum class inspection_stage : std::uint8_t { resolve, connect, tls, answer, done };

/// What a server showed, whether it is good or not.
struct seen_certificate {
  std::vector<std::string> names;  ///< DNS names and addresses it is for, the first of them
  std::size_t unnamed = 0;         ///< further ones
  bool for_host = false;           ///< the host that was asked for is among them
  std::string distrust;            ///< why its chain is not trusted; empty: it is
  /// In whole seconds: certificates without an end say the year 9999.
  std::chrono::sys_seconds from{}, until{};
  std::string version;  ///< of TLS
};

struct inspected {
  std::uint64_t id = 0;
  /// The stage in which it ended; `done`: all that was asked for is known.
  inspection_stage ended = inspection_stage::resolve;
  bool late = false;    ///< it ended because its time was over
  std::string why;      ///< of what failed
  std::string address;  ///< that was connected to
  std::size_t addresses = 0;
  std::chrono::microseconds took{};  ///< until there was a connection
  std::optional<seen_certificate> certificate;
  /// Of the answer to a GET, if one was asked for.
  int status = 0;
  std::string date;   ///< its Date; empty: it had none
  bool copy = false;  ///< it had an Age: a cache kept it, and its Date is of then
};

struct store_inspected {
  std::uint64_t id = 0;
  bool ready = false;  ///< it let us in
  std::string why;     ///< it did not, or did not answer
  std::chrono::microseconds took{};
  std::string info;  ///< what INFO says; empty: it may not be asked
  /// What TIME says.
  std::optional<std::chrono::sys_time<std::chrono::microseconds>> time;
};

using inspection_client =
    caf::typed_actor<caf::reacts_to<inspected>, caf::reacts_to<store_inspected>>;

/// Connect to it; with TLS, whatever certificate it shows. Answered once, within its time.
struct inspect {
  std::uint64_t id = 0;  ///< chosen by the asker, who gets it back
  http::url where;
  std::chrono::milliseconds timeout{};
  bool get = false;  ///< and ask for what is there, for the head of the answer
  inspection_client asker;
};
struct inspect_store {
  std::uint64_t id = 0;
  resp::store_url where;
  std::chrono::milliseconds timeout{};
  inspection_client asker;
};

using inspector_handle = caf::typed_actor<caf::reacts_to<inspect>, caf::reacts_to<inspect_store>>;

/// Over real sockets. Who does not name it does not link it. It ends when it is told to exit.
inspector_handle spawn_inspector(caf::actor_system& system, caf::execution_unit* unit);

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::inspected)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::store_inspected)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::inspect)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::inspect_store)
