#pragma once
/// API: takes the requests of callers, has them judged (api_rules.hpp), asks LEDGER what the call
/// needs (api_calls.hpp), tells DISPATCH what is due, and answers. It owns the requests that wait:
/// for their bodies, for LEDGER, for TRIALS, for attempts; and what `/health` says. Spawned by
/// HOOKS on the unit whose INGRESS it serves; told by INGRESS, LEDGER, DISPATCH, TRIALS, and by
/// HOOKS when one of these was started again.
///
/// A client that leaves takes nothing back: what LEDGER was asked happens, and DISPATCH hears of
/// it.
#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "actors/webhooks/api_calls.hpp"
#include "actors/webhooks/api_interface.hpp"
#include "actors/webhooks/api_rules.hpp"
#include "actors/webhooks/dead_retry.hpp"
#include "transport/clock.hpp"
#include "transport/metrics.hpp"
#include "transport/pinned.hpp"

namespace gate::hooks {

struct api_parts {
  api_front front;
  webhook::calling calling;
  std::chrono::milliseconds first_pause{};  ///< of the schedule
  ingress_handle ingress;
  ledger_handle ledger;
  dispatch_handle dispatch;
  trials_handle trials;
  std::shared_ptr<gate::metrics> metrics;
  wall_clock wall;
  random_source random;
  /// What `/console` and what is below it answer; null: 404.
  std::function<api_answer(const http_request&)> page;
  /// Counts an event that was accepted, and not before; null: nobody does.
  std::function<void(webhook::event_type)> accepted;
};

/// To itself: a retry, or a look at the store, has had its time; so has INGRESS.
struct retry_over {
  std::uint64_t number = 0;
};
struct look_over {
  std::uint64_t round = 0;
};
struct drain_over {};

using api_base = api_handle::extend<caf::reacts_to<retry_over>, caf::reacts_to<look_over>,
                                    caf::reacts_to<drain_over>>;

class api_actor final : public pinned<api_base::base> {
 public:
  api_actor(caf::actor_config& cfg, caf::execution_unit* unit, api_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "api"; }

 private:
  using then = std::function<void(const ledger::answer&)>;
  struct retrying {
    dead_retry core;
    exchange_ptr from;
    std::string organization;
    std::uint64_t followed_as = 0;  ///< 0: it is not
  };

  // Requests.
  void take(exchange_ptr from, bool again);
  void read_body(exchange_ptr from);
  void begin(exchange_ptr from, const judged& j);
  void serve_open(exchange_ptr from, const webhook::route& row);
  void leave(std::uint64_t number);
  /// Its answer, or the next question.
  void go_on(const exchange_ptr& from, const api_call& call, const ledger::answer& said);
  void ask(ledger::request what, then next);
  void tell_due(const due_told& m);
  void try_it(exchange_ptr from, const webhook::webhook& w);

  // Retries of dead letters (api_retries.cpp).
  void begin_retry(exchange_ptr from, const api_call& call, ledger::request first);
  void ask_for_retry(std::uint64_t number, const std::string& organization, ledger::request what);
  void go_on_retry(std::uint64_t number, dead_retry::step step);
  void end_retry(std::uint64_t number);
  void follow(retrying& r);

  // /health (api_health.cpp).
  void serve_health(exchange_ptr from);
  void end_look(const ledger::counts* found);

  // Others come and go.
  void use(use_parts& m);
  void gone(const caf::down_msg& m);
  void lose_ledger();
  void stop();
  wall_time wall() const;

  api_parts parts_;
  api_rules rules_;
  api_calls calls_;
  std::string description_;  ///< /openapi.json

  std::uint64_t next_ = 1;  ///< of questions, trials, retries and follows alike
  std::unordered_map<std::uint64_t, exchange_ptr> reading_;  ///< bodies, by the exchange's number
  std::unordered_map<std::uint64_t, then> asked_;            ///< of LEDGER
  std::unordered_map<std::uint64_t, exchange_ptr> trials_;
  std::map<std::uint64_t, retrying> retries_;
  /// What DISPATCH is to hear once it is there again, a time for each webhook.
  std::map<std::string, due_told> told_later_;

  /// Looks at the store, for all who ask meanwhile and for a little while more.
  struct {
    std::vector<exchange_ptr> waiting;
    bool asking = false;      ///< LEDGER has yet to say what it counts
    std::uint64_t round = 0;  ///< of those who wait
    std::optional<call_rates::time_point> since;
    std::optional<ledger::counts> found;  ///< nothing: it did not answer
  } look_;
  bool stopping_ = false;
};

}  // namespace gate::hooks

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::retry_over)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::look_over)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::hooks::drain_over)
