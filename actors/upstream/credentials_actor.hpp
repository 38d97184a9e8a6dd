#pragma once
/// CREDENTIALS: asks an authorization server for the tokens that one upstream wants to see: one of
/// the gateway's own (client-credentials), or one for each caller (token-exchange). Spawned and
/// supervised by UPSTREAM; asked by its sessions.
#include <caf/typed_event_based_actor.hpp>
#include <unordered_map>

#include "actors/interfaces.hpp"
#include "actors/upstream/credential_cache.hpp"
#include "actors/upstream/credential_slot.hpp"
#include "actors/upstream/outage.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"
#include "transport/pinned.hpp"

namespace gate::upstream {

/// What has to be asked of the environment.
struct outside_world {
  secret_source secrets;
  wall_clock wall;
  random_source random;
};

/// To itself: a question has lasted too long.
struct credential_late {
  std::uint64_t fetch = 0;
};
using credentials_base = credentials_handle::extend<caf::reacts_to<credential_late>>;

struct credentials_parts {
  config::compiled_upstream config;
  egress_handle egress;
  outside_world outside;
  labelled<fetch_outcome> fetches;
};

class credentials_actor final : public pinned<credentials_base::base> {
 public:
  credentials_actor(caf::actor_config& cfg, caf::execution_unit* unit, credentials_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(gate::role::credentials); }

 private:
  /// A token is asked for on behalf of `identity`.
  struct question {
    std::uint64_t identity = 0;
    trace_ptr trace;  ///< as in `want_credential`
  };

  bool acts_for_callers() const;
  result<std::string> client_assertion(std::string_view pem) const;
  void ask(std::uint64_t identity, const want_credential& m);
  void on_fetched(const fetched& f);
  void failed(const question& of, std::string_view why);
  void settle(std::uint64_t identity, std::string line, std::chrono::steady_clock::time_point until,
              bool ok);

  credentials_parts parts_;
  std::shared_ptr<const destination> to_;
  credential_cache<credential_user> cache_;
  std::unordered_map<std::uint64_t, question> asked_;  ///< by fetch
  std::uint64_t next_fetch_ = 1;
  outage outage_;
};

}  // namespace gate::upstream

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::upstream::credential_late)
