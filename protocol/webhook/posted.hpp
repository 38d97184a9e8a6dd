#pragma once
/// POSTED: events as callers post them, one or an array, and as they are delivered: `POST /events`.
/// `data` is kept byte for byte, as what was signed must be what arrives. Pure.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/sha256.hpp"
#include "protocol/webhook/errors.hpp"
#include "protocol/webhook/records.hpp"

namespace gate::webhook {

/// The fields of an event, as openapi.hpp describes them.
inline constexpr std::array<std::string_view, 3> event_fields{"type", "timestamp", "data"};

struct posted_event {
  event_type type = event_type::deploy_success;
  wall_time at{};
  bool timed = false;  ///< the caller said when; else it is when it was posted
  std::string body;    ///< as it is delivered
};

struct posted_events {
  bool several = false;  ///< an array, of one perhaps
  std::vector<posted_event> events;
};

/// `{"type","timestamp"?,"data"}`, or an array of 1 to `limits::webhook_batch` of these. Refused,
/// too: what would be delivered with `limits::webhook_body_bytes` or more, `data` nested deeper
/// than `limits::webhook_data_depth`.
checked<posted_events> read_events(std::string_view body, wall_time now);

/// `{"type":…,"timestamp":…,"data":…}`; `data` is raw JSON.
std::string event_body(event_type type, wall_time at, std::string_view data);

/// With an Idempotency-Key, what comes again has to be what is kept under it. An event whose caller
/// did not say when has another body each time it comes: this is of its data only. Empty if the
/// caller said when, as then the body says it all.
std::string fingerprint_of(const posted_event& e, const sha256& digest);

/// The header Idempotency-Key, which becomes the event's id: 1 to `limits::webhook_event_id_bytes`
/// letters, digits, `-` and `_`. (A dot would divide what is signed in another way.)
checked<std::string> read_idempotency_key(std::string_view value);

}  // namespace gate::webhook
