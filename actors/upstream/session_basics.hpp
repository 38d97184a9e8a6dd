#pragma once
/// What a session with an upstream knows whatever generation of the protocol it speaks: its parts,
/// which know nothing of each other. The rules about them are in the classes that take this
/// (WORK DESK, TENANCY), made by the core and as old as it.
#include "actors/upstream/alarm.hpp"
#include "actors/upstream/client_side.hpp"
#include "actors/upstream/complaints.hpp"
#include "actors/upstream/payment.hpp"
#include "actors/upstream/work_table.hpp"

namespace gate::upstream {

struct session_basics {
  using time_point = session_doors::time_point;
  static constexpr auto never = time_point::max();

  session_basics(const facts& f, role r, std::uint64_t n, session_doors& d, session_guards& g,
                 peers& p)
      : of(f),
        who(std::move(r)),
        number(n),
        doors(d),
        guards(g),
        others(p),
        purse{&g},
        wake(d),
        credential(f.config.auth.strategy),
        endpoint(f.to.size()),
        log(f, d, p, credential, endpoint, who.check.has_value()),
        client(who) {}
  session_basics(const session_basics&) = delete;
  session_basics& operator=(const session_basics&) = delete;

  bool root() const { return who.client == 0; }
  time_point now() const { return doors.now(); }
  bool has_credential() const { return credential.good(now()); }
  /// Does it hear of changed lists for those who see them by it?
  bool hears_lists() const { return root() || of.config.per_client; }

  const facts& of;
  role who;
  std::uint64_t number;  ///< unique among all sessions of the process
  session_doors& doors;
  session_guards& guards;
  peers& others;
  gate::upstream::purse purse;  ///< of the payments in `table`, which go first
  alarm wake;
  credential_slot credential;
  endpoint_choice endpoint;
  complaints log;
  client_side client;
  work_table table;
  time_point last_used{};
  bool closing = false;  ///< nothing new is taken
  bool quietly = false;  ///< with `closing`: what is the fleet's is left to other instances
};

}  // namespace gate::upstream
