#pragma once
/// SHARED BREAKER: BREAKER of an upstream in a gateway whose fleet has a store. Failures of all
/// instances add up there, and one lease is given over the fleet; this actor writes through what
/// matters, and hears of changes, so that a closed circuit costs no call a question. While the
/// store is away, or refuses, it decides by a breaker of its own that goes on from what was known
/// last; when the store is back, what stands there counts. Spawned and supervised by GATEWAY in the
/// place of BREAKER; the rest is as there (actors/guards/circuit_breaker_actor.hpp). Asks STORE of
/// the first unit. If it crashes, the store still knows.
#include <caf/typed_event_based_actor.hpp>
#include <optional>
#include <unordered_map>

#include "actors/fleet/shared_circuit.hpp"
#include "actors/guards/breaker_news.hpp"
#include "actors/interfaces.hpp"
#include "transport/pinned.hpp"

namespace gate::fleet {

/// To itself: look at the clock (the latest one only).
struct circuit_tick {
  std::uint64_t number = 0;
};
using shared_breaker_handle = store_asker::extend_with<store_listener>::extend_with<
    breaker_handle>::extend<caf::reacts_to<circuit_tick>>;

class shared_breaker_actor final : public pinned<shared_breaker_handle::base> {
 public:
  /// `database`: of the store.
  shared_breaker_actor(caf::actor_config& cfg, caf::execution_unit* unit,
                       guards::breaker_parts parts, store_handle store, std::uint32_t database = 0);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return name_of(role::breaker); }

 private:
  using time_point = guards::breaker::time_point;
  struct request {
    circuit_question question;
    std::optional<want_lease> who;  ///< nobody: it is told only
  };

  void on_turned(bool here);
  void on_ended(const request_ended& m);
  void on_wanted(const want_lease& m);
  void on_told(const store_told& m);
  void on_tick();
  void listen(breaker_listener who);

  void ask(const circuit_question& q, std::optional<want_lease> who = {});
  void adopt(const circuit& now);
  /// From now on the breaker here decides, as far as the store does not.
  void be_alone();
  /// Its answer to a question that the store has not answered.
  void decide(const request& a);
  void announce();
  void arm();

  guards::breaker_news news_;
  store_handle store_;
  circuit_place place_;
  circuit known_;                       ///< of the store
  std::optional<time_point> until_;     ///< when something happens to it by itself
  std::optional<guards::breaker> own_;  ///< while the store does not decide
  std::unordered_map<std::uint64_t, request> asked_;
  std::uint64_t next_ = 1;
  std::uint64_t tick_ = 0;
  std::optional<time_point> armed_;
  bool here_ = false;
};

}  // namespace gate::fleet

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::fleet::circuit_tick)
