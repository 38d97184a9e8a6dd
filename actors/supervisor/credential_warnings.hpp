#pragma once
/// What the log says of credentials that go to upstreams in a way that MCP advises against: no
/// reason to forbid it, but one to know it. Called by GATEWAY, for each snapshot that it takes
/// over.
#include "config/snapshot/snapshot.hpp"

namespace gate::supervisor {

/// Of the upstreams that are new or changed since `before` (null: all), at most
/// `limits::logged_upstreams` by name in warnings of one kind, and how many more there are.
void warn_of_credentials(const config::snapshot* before, const config::snapshot& now);

}  // namespace gate::supervisor
