#pragma once
/// What ROUTER's parts share: the configuration of the moment, the clients, the calls, and the way
/// to others. One per unit, of its thread.
#include <cstdint>

#include "actors/guards/allowances.hpp"
#include "actors/pipeline/desk.hpp"
#include "actors/router/call_table.hpp"
#include "actors/router/doors.hpp"
#include "actors/sessions/client_session.hpp"
#include "transport/task_units.hpp"

namespace gate::routing {

class handed_calls;
class followed_streams;
class lent_streams;
class shared_sessions;

struct unit {
  std::uint8_t number = 0;
  upstream_door& upstreams;
  partner_door& partners;
  time_door& time;
  pipeline::desk& desk;
  snapshot_ptr snapshot;
  sessions::session_table sessions{};
  call_table calls{};
  guards::price_list prices{};
  task_units_ptr tasks{};                ///< null: it is the only one
  shared_sessions* fleet = nullptr;      ///< null: there is no store
  handed_calls* handed = nullptr;        ///< the same
  followed_streams* followed = nullptr;  ///< the same
  lent_streams* lent = nullptr;          ///< the same

  time_point now() const { return time.now(); }
};

}  // namespace gate::routing
