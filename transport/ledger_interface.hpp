#pragma once
/// LEDGER, the door to what `gate-hooks` keeps (docs/decisions/0035-gate-hooks.md). Beside
/// transport/interfaces.hpp, since a gateway has none. Behind it is a house
/// (transport/doors/ledger_actor.hpp): a SQLite file or PostgreSQL; simulations put something in
/// its place.
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>
#include <cstdint>
#include <string>

#include "transport/ledger/ledger.hpp"

namespace gate {

/// Where everything is kept.
struct ledger_place {
  enum class kind : std::uint8_t { sqlite, postgres } what = kind::sqlite;
  std::string where = "gate-hooks.db";  ///< a path; or a URL, which may hold a password
};

/// What was asked under this number. Exactly one for each request, unless LEDGER dies: then it is
/// unknown whether it happened.
struct ledger_told {
  std::uint64_t number = 0;
  ledger::answer what;
};
using ledger_asker = caf::typed_actor<caf::reacts_to<ledger_told>>;

/// One operation, under a number of the asker's. Requests of one asker that wait at the same time
/// may happen in another order. If too many wait, the answer is `refusal::reason::busy`, at once.
struct ask_ledger {
  std::uint64_t number = 0;
  ledger::request what;
  ledger_asker asker;
};
using ledger_handle = caf::typed_actor<caf::reacts_to<ask_ledger>>;

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::ledger_told)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::ask_ledger)
