#pragma once
/// What HEALTH is asked for and what it says: the reports of `/health`, `/metrics` and
/// `/api/federation`, and what sessions tell it of their upstreams.
#include <caf/allowed_unsafe_message_type.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace gate {

struct probed {
  std::uint64_t round = 0;
  std::size_t upstream = 0;
  bool connected = false;
  std::chrono::microseconds latency{0};
  std::string error;
};
struct ask_health {};
struct health_report {
  bool serving = false;  ///< some upstream is reachable: 200, else 503
  std::shared_ptr<const std::string> body;
};
struct ask_metrics {};
struct metrics_text {
  std::shared_ptr<const std::string> text;
};
struct federation_text {
  std::shared_ptr<const std::string> body;
};

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::probed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::ask_health)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::health_report)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::ask_metrics)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::metrics_text)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::federation_text)
