#pragma once
/// Sends a plan to a live gateway over HTTP: at the recorded times, on a bounded number of
/// connections, each request once what it had to wait for is over. One thread, the caller's.
#include <atomic>
#include <cstddef>
#include <string>

#include "protocol/base/result.hpp"
#include "protocol/http/url.hpp"
#include "simulations/against/plan.hpp"
#include "simulations/against/report.hpp"

namespace gate::against {

struct sending {
  http::url to;
  unsigned speed = 1;  ///< so many times as fast as it was recorded
  std::string bearer;  ///< empty: none
  /// Set by a signal, it ends the sending: what is under way is given up.
  const std::atomic<bool>* stop = nullptr;
};

/// Connections at once, each with one request: the next wait.
inline constexpr std::size_t most_connections = 512;
/// A gateway gives up on its upstreams before.
inline constexpr unsigned answer_seconds = 120;

/// Nothing can be sent if nobody is at that address.
result<report> send(const plan& p, const sending& how);

}  // namespace gate::against
