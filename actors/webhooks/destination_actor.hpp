#pragma once
/// DESTINATION: sees to the deliveries of one webhook, by DELIVERER, from when something is due
/// until it rests. Spawned by DISPATCH, whose death ends it; asks LEDGER and EGRESS. What its death
/// leaves is due again when its leases are over.
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "actors/webhooks/deliverer.hpp"
#include "actors/webhooks/interfaces.hpp"
#include "actors/webhooks/sending.hpp"
#include "actors/webhooks/tally.hpp"
#include "transport/clock.hpp"
#include "transport/pinned.hpp"

namespace gate::hooks {

/// What all DESTINATIONs have in common.
struct delivering_parts {
  deliverer_rules rules;
  sending_rules sending;
  egress_handle egress;
  std::shared_ptr<const attempt_tally> tally;
  wall_clock wall;
  random_source random;
};

struct destination_parts {
  std::uint64_t number = 0;
  std::string webhook;
  wall_time due{};
  bool followed = false;
  destination_user dispatch;
  ledger_handle ledger;
  std::shared_ptr<const delivering_parts> common;
};

/// To itself: something may have to be done.
struct destination_tick {
  std::chrono::steady_clock::time_point at;
};
using destination_base =
    destination_handle::extend<caf::reacts_to<ledger_told>, caf::reacts_to<fetched>,
                               caf::reacts_to<streamed>, caf::reacts_to<destination_tick>>;

class destination_actor final : public pinned<destination_base::base>, private deliverer_door {
 public:
  destination_actor(caf::actor_config& cfg, caf::execution_unit* unit, destination_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "destination"; }

 private:
  using time_point = std::chrono::steady_clock::time_point;
  /// What LEDGER is asked about.
  struct question {
    enum class about : std::uint8_t { deliveries, attempt, other } what = about::other;
    std::uint64_t attempt = 0;
  };

  // deliverer_door
  void claim(std::size_t wanted) override;
  void give_places(std::size_t n) override;
  void take(ledger::take_due what) override;
  void note(std::uint64_t attempt, ledger::note_attempt what) override;
  void disable(ledger::disable_webhook what) override;
  void give_back(ledger::give_back what) override;
  void send(std::uint64_t attempt, const attempt_to_make& what) override;
  std::string new_lease() override;
  std::uint32_t chance() override;

  void told(ledger_told& m);
  std::optional<problem> change_url(const webhook::webhook& by);
  void noted(std::uint64_t attempt, const ledger::answer& said);
  void end_attempt(std::uint64_t attempt, const webhook::outcome& how, std::string answer);
  void on_time();
  /// After each event: what may follow from it.
  void settle();
  void arm();
  void say_left_alone();
  void ask(question about, ledger::request what);
  moment now() const;

  destination_parts parts_;
  deliverer deliverer_;
  std::string url_;  ///< what `to_` was made of
  std::shared_ptr<const destination> to_;
  /// What LEDGER was asked, by number.
  std::unordered_map<std::uint64_t, question> asked_;
  std::uint64_t last_question_ = 0;
  struct deadline {
    time_point at;
    std::uint64_t attempt;
  };
  std::deque<deadline> deadlines_;  ///< in their order; all attempts have the same time
  std::unordered_map<std::uint64_t, time_point> since_;  ///< attempts that run
  std::optional<time_point> armed_;
  std::optional<time_point> rests_since_;
  std::uint64_t told_ = 0;
  bool left_alone_ = false, stopping_ = false;
};

}  // namespace gate::hooks

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::destination_tick)
