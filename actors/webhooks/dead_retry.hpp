#pragma once
/// DEAD RETRY: one call that has dead letters attempted again and waits for what becomes of them,
/// `POST /webhook-deliveries/dlq/{webhook_id}/retry`. Pure: whoever has it asks, follows, tells and
/// answers as it says. Made by API when LEDGER has said of what the call is; ended by its answer,
/// by `give_up` when its time is over, or when its client leaves.
///
///   from      what comes                         then
///   -         a delivery, dead                   ask for its webhook
///   -         its webhook, enabled               follow it, ask to requeue: requeuing
///   -         anything else                      refused
///   requeuing requeued, and there are more       ask again
///   requeuing requeued, all; some have no end    awaiting
///   awaiting  an attempt                         until each has ended
///
/// First the webhook is followed, then anything requeued: no attempt is made unheard. An attempt
/// may be told before LEDGER's answer is here, so those of a requeuing are kept. What has failed
/// again meanwhile is in the queue again: when it comes back, all others have been requeued.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "actors/webhooks/api_answer.hpp"
#include "actors/webhooks/interfaces.hpp"

namespace gate::hooks {

class dead_retry {
 public:
  /// What is to be done, in this order.
  struct step {
    bool follow = false;  ///< the webhook, from now on
    std::optional<due_told> due{};
    std::optional<ledger::request> ask{};
    std::optional<api_answer> over{};
  };

  /// `id`: of a webhook, or of one delivery.
  dead_retry(std::string organization, std::string id);

  step on_answer(const ledger::answer& said, wall_time now);
  step on_attempt(const attempt_told& m);
  /// What has ended by now; the rest counts neither as succeeded nor as failed.
  api_answer give_up() const;

  /// Empty: it is not known yet.
  const std::string& webhook() const { return webhook_; }

 private:
  enum class state : std::uint8_t { looking, requeuing, awaiting };

  step found(const ledger::whole_delivery& d);
  step found(const webhook::webhook& w, wall_time now);
  step more(const ledger::requeued& r, wall_time now);
  step requeue(wall_time now) const;
  bool add(const std::string& id);
  void count(webhook::state how);
  step over_if_all_ended() const;

  std::string organization_, id_, webhook_;
  bool of_one_ = false;
  state state_ = state::looking;
  std::size_t requeued_ = 0, succeeded_ = 0, failed_ = 0;
  std::unordered_map<std::string, bool> known_;  ///< deliveries that are followed: it has ended
  std::size_t open_ = 0;                         ///< of these, have not
  std::unordered_map<std::string, webhook::state> early_;
};

}  // namespace gate::hooks
