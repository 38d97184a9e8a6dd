#pragma once
/// What is said about a configuration that changes: between GATEWAY, LOADER, DISCOVERY and a
/// program that the gateway is embedded in. Who says and takes it is in actors/interfaces.hpp.
#include <caf/allowed_unsafe_message_type.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/problem.hpp"
#include "config/snapshot/snapshot.hpp"
#include "protocol/metrics.hpp"

namespace gate {

using config::snapshot_ptr;

// --- configuration that changes ------------------------------------------------------------------

/// Make a snapshot of the operator's document and the upstreams that are discovered at the moment.
struct load_document {
  std::uint64_t number = 0;
  std::optional<std::string> text;  ///< nothing: read it where the first one came from
};
/// Make a snapshot of the operator's running document and what is discovered now.
struct load_discovered {
  std::uint64_t number = 0;
  std::string text;  ///< as the source said it
};
/// The answer to either.
struct loaded {
  std::uint64_t number = 0;
  snapshot_ptr snapshot;  ///< null: it was refused, and nothing has changed
  std::vector<config::config_problem> problems;
  bool judged = true;  ///< false: nobody has looked at it
};

/// The source of discovery says something new.
struct discovered {
  std::uint64_t number = 0;  ///< comes back with the answer; every DISCOVERY uses others
  std::string text;
};
/// What came of it.
struct discovery_settled {
  std::uint64_t number = 0;
  /// Unjudged: nobody could look at it, which is not the document's fault.
  enum class outcome : std::uint8_t { applied, refused, unjudged } what = outcome::refused;
  std::vector<config::config_problem> problems;
};
/// What the last poll of the discovery source came to.
struct discovery_state {
  sync_outcome what = sync_outcome::error;
  std::string error;  ///< with `rejected` and `error`; names no secret
  std::chrono::system_clock::time_point at{};
};

/// Take over another document. Nothing: that of the source, read again.
struct reload_with {
  std::optional<std::string> text;
};
struct reloaded {
  std::uint64_t generation = 0;                  ///< of the snapshot that runs now
  std::vector<config::config_problem> problems;  ///< none: it was taken over
};

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::load_document)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::load_discovered)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::loaded)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::discovered)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::discovery_settled)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::discovery_state)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::reload_with)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::reloaded)
