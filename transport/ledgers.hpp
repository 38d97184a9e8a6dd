#pragma once
/// The real LEDGERs: what `gate-hooks` keeps everything in. Apart from transport/runtime.hpp, since
/// a gateway has none and links neither SQLite nor libpq.
#include <caf/actor_system.hpp>

#include "protocol/base/result.hpp"
#include "transport/ledger_interface.hpp"

namespace gate {

/// Opens it, and makes it if it is not there yet: a LEDGER over it, or a sentence that says why not
/// and never the password. May take seconds; on any thread that is allowed to wait.
result<ledger_handle> open_ledger(caf::actor_system& system, const ledger_place& at);

}  // namespace gate
