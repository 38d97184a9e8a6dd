#pragma once
/// REQUESTS: the bodies that make and change webhooks, `POST /webhooks`, `PATCH /webhooks/{id}` and
/// `POST /webhooks/{id}/rotate`. Strict: what is not known is refused, by its place. Those of
/// events: posted.hpp. Pure; read by API before anything is done for the request.
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/webhook/callable.hpp"
#include "protocol/webhook/errors.hpp"
#include "protocol/webhook/records.hpp"

namespace gate::webhook {

/// The fields of each body, as openapi.hpp describes them.
inline constexpr std::array<std::string_view, 6> new_webhook_fields{
    "event", "events", "url", "secret", "description", "enabled"};
inline constexpr std::array<std::string_view, 5> change_fields{"event", "events", "url",
                                                               "description", "enabled"};
inline constexpr std::array<std::string_view, 1> rotation_fields{"secret"};

/// `url`, and `event` or `events`; perhaps `secret`, `description`, `enabled`.
struct new_webhook {
  event_mask events = 0;
  std::string url;  ///< as it was written
  std::string description;
  std::string secret;  ///< empty: deliveries are not signed
  bool enabled = true;
};
checked<new_webhook> read_new_webhook(std::string_view body, const calling& rules);

/// Some of `event` or `events`, `url`, `description` (empty: none any more), `enabled`; at least
/// one.
struct webhook_changes {
  std::optional<event_mask> events;
  std::optional<std::string> url;
  std::optional<std::string> description;
  std::optional<bool> enabled;
};
checked<webhook_changes> read_webhook_changes(std::string_view body, const calling& rules);

/// `{"secret"}`, the one to sign with from now on. Nothing (no body, or no field): make one.
checked<std::optional<std::string>> read_rotation(std::string_view body);

/// Of calls that take no fields: no body, or `{}`.
checked<void> read_nothing(std::string_view body);

}  // namespace gate::webhook
