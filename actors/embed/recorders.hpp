#pragma once
/// RECORDERS: all that records a gateway (actors/recording), put together: the file with its
/// thread, and what stands before each door. Made by the assembly, if a recording is wanted.
#include <caf/actor_system.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/recording/router_recorder_actor.hpp"
#include "actors/supervisor/staff.hpp"
#include "protocol/base/result.hpp"
#include "transport/runtime.hpp"

namespace gate::embed {

struct recording_options {
  std::string path;  ///< empty: nothing is recorded
  std::uint64_t max_bytes = limits::recording_bytes;
  std::vector<std::string> redact;  ///< names of what is secret as well
};

class recorders {
 public:
  /// `world`: how many units there are, and their clock. Null without a path; an error if there can
  /// be no such file.
  static result<std::unique_ptr<recorders>> begin(const recording_options& o,
                                                  std::string_view document,
                                                  const config::snapshot& s,
                                                  const runtime::options& world,
                                                  const secret_source& secrets);

  /// From now on it is known which secrets are read, and which documents.
  void listen(secret_source& secrets, std::function<result<std::string>()>& read_config);
  /// In front of the doors of each unit, and of its ROUTER.
  void stand_before(caf::actor_system& system, supervisor::gateway_parts& parts);
  /// Between WATCH and the one that it tells.
  watcher_handle between(caf::actor_system& system, caf::execution_unit* unit, watcher_handle to);
  /// The gateway has ended; `orderly`: by its own decision.
  void end(bool orderly);

 private:
  explicit recorders(recording::common_ptr shared) : shared_(std::move(shared)) {}

  recording::common_ptr shared_;
  recording::journal_ptr first_;                           ///< of the first unit
  std::vector<recording::router_recorder_handle> beside_;  ///< by unit
  std::vector<caf::actor> spawned_;
};

}  // namespace gate::embed
