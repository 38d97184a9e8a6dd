#pragma once
/// A checkup: all that `gate doctor` looks at, put together: the document, the machine, and DOCTOR
/// on a runtime that listens nowhere. For one thread, which waits.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "actors/doctor/finding.hpp"
#include "protocol/base/result.hpp"
#include "protocol/limits/doctor.hpp"
#include "transport/clock.hpp"

namespace gate::embed {

struct checkup_options {
  std::string host;
  std::uint16_t port = 0;
  unsigned threads = 1;
  std::chrono::seconds each = limits::doctor_peer;  ///< how long one peer may take
  secret_source secrets;
  /// So many peers of so many have been examined; more may be found out about on the way. On
  /// another thread than the caller's.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// What was found, in the document's order, without a secret. An error: nothing could be looked at.
result<doctor::findings> check_up(std::string_view document, const checkup_options& o);

}  // namespace gate::embed
