#pragma once
/// MINT: the token endpoint. A client hands in an identity assertion of its enterprise's identity
/// provider, and gets a short-lived access token for this gateway (RFC 7523, ID-JAG).
///
///   request -> shares -> assertion (keys fetched if need be) -> single use -> signature
///
/// What can be refused without a signature being checked is refused first, and charged to nobody
/// (token_shares.hpp).
///
/// Spawned and supervised by GATEWAY; asked by ROUTERs, asks KEY SET and ONCE LEDGER.
#include <caf/typed_event_based_actor.hpp>
#include <vector>

#include "actors/identity/token_request.hpp"
#include "actors/identity/token_shares.hpp"
#include "actors/interfaces.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"
#include "transport/pinned.hpp"

namespace gate::identity {

struct mint_parts {
  authority_ptr authority;  ///< with `ema`
  once_handle once;
  wall_clock wall;
  random_source random;
  labelled<token_outcome> requests;
};

class mint_actor final : public pinned<mint_handle::base> {
 public:
  mint_actor(caf::actor_config& cfg, caf::execution_unit* unit, mint_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::mint); }

 private:
  struct asking {
    std::uint64_t call = 0;
    redeemer_handle asker;
    token_request what;
    std::string peer;      ///< the client's address
    bool charged = false;  ///< to that address, already
  };
  void begin(redeem_for& m);
  bool concerns_us(const oauth::unverified_token& t) const;
  void judge(asking a, bool last_word);
  void judge(asking a, const oauth::unverified_token& token, bool last_word);
  void redeem_once(asking a, oauth::assertion said, std::string scope);
  void give(const asking& a, const oauth::assertion& said, const std::string& scope);
  void refuse(const asking& a, const token_refusal& why, std::string_view subject = {});
  void refuse_busy(const asking& a, std::chrono::seconds retry_after);
  void send_refusal(const asking& a, const token_denial_row& how, redeemed r);
  void charge(asking& a);
  void on_keys(keys_told& m);

  mint_parts parts_;
  token_shares shares_;
  keys_handle source_;
  oauth::key_set_ptr keys_;
  std::chrono::steady_clock::time_point again_at_{};
  std::vector<asking> waiting_;  ///< for keys; bounded
};

}  // namespace gate::identity
