#pragma once
/// CHANGES: how a webhook comes to be, and what its owner's requests do to it. Pure; the LEDGER
/// keeps the outcome.
#include <string>

#include "protocol/webhook/records.hpp"
#include "protocol/webhook/requests.hpp"

namespace gate::webhook {

webhook make_webhook(new_webhook from, std::string id, std::string organization, wall_time now);

/// To enable forgets why it was disabled, and that it was failing: it has all its days again. To
/// disable what is disabled leaves the reason as it is.
void apply(webhook& to, const webhook_changes& changes, wall_time now);

/// From now on `secret` signs, and for `limits::webhook_rotation` the one before as well. There are
/// never three: a rotation ends the one before it. The secret that there is already changes
/// nothing.
void rotate(webhook& of, std::string secret, wall_time now);

}  // namespace gate::webhook
