#pragma once
/// SENDING: what EGRESS is asked for an attempt, and what its answer means. Pure; for DESTINATION
/// and TRIALS.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "protocol/base/result.hpp"
#include "protocol/webhook/callable.hpp"
#include "protocol/webhook/outcome.hpp"
#include "protocol/webhook/records.hpp"
#include "transport/interfaces.hpp"

namespace gate::hooks {

/// How receivers are called.
struct sending_rules {
  webhook::calling calling;
  std::chrono::milliseconds answer{15'000};  ///< an attempt has so long
};

/// Where a webhook's deliveries go. Connections are shared with nobody else's: whoever can make
/// webhooks for a host must not use up another organization's. Refused: its URL may not be called
/// (any more), which was asked when it was made, perhaps by other rules.
result<std::shared_ptr<const destination>> destination_of(const webhook::webhook& w,
                                                          const sending_rules& rules);

/// An attempt, counted from 1. The body is that of the event, byte for byte.
fetch_ptr attempt_fetch(std::uint64_t id, std::shared_ptr<const destination> to,
                        const webhook::webhook& by, const webhook::event& event,
                        std::string_view delivery, std::uint32_t number, webhook::wall_time now);

/// How it ended.
webhook::outcome outcome_of(const fetched& f, webhook::wall_time now);
/// It took too long; and its answer is an event stream, which may have no end.
webhook::outcome late(std::chrono::milliseconds answer);
webhook::outcome endless();
/// What is kept of an answer's body.
std::string kept_of(const fetched& f);

}  // namespace gate::hooks
