#pragma once
/// Calls whose token was signed with a key that is not known (yet): they wait until KEY SET of its
/// issuer has asked there. Part of ROUTER.
#include <vector>

#include "actors/router/unit.hpp"

namespace gate::routing {

class client_streams;

class key_queue {
 public:
  key_queue(unit& u, identity::gatekeeper& keeper, client_streams& streams, std::size_t sources)
      : unit_(u), keeper_(keeper), streams_(streams), states_(sources) {}

  /// False, and the call is untouched, if asking is in vain at the moment.
  bool wait(pipeline::fact<pipeline::stage::host>& c, std::size_t source);
  void on_keys(keys_told& m);
  /// Those who wait go on; nobody will tell.
  void lost(std::size_t source) { go_on(source); }

 private:
  void go_on(std::size_t source);

  unit& unit_;
  identity::gatekeeper& keeper_;
  client_streams& streams_;
  struct state {
    bool asked = false;     ///< and has not answered
    time_point again_at{};  ///< until then asking is in vain
  };
  std::vector<state> states_;  ///< by source of keys
};

}  // namespace gate::routing
