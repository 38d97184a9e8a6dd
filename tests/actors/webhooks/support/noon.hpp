#pragma once
/// The time at which tests of webhooks begin.
#include "protocol/webhook/records.hpp"

namespace gate::hooks::testing {

inline const webhook::wall_time noon{std::chrono::hours{24 * 365 * 50}};

}  // namespace gate::hooks::testing
