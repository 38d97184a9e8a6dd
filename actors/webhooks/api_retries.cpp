// API: calls that have dead letters attempted again and wait for that.
#include <utility>

#include "actors/webhooks/api_actor.hpp"
#include "protocol/limits.hpp"

namespace gate::hooks {

void api_actor::begin_retry(exchange_ptr from, const api_call& call, ledger::request first) {
  if (retries_.size() >= limits::hooks_retries)
    return respond(*from, busy("too many retries of dead letters are waited for"));
  const auto number = next_++;
  retries_.emplace(
      number, retrying{dead_retry(call.organization, call.id), std::move(from), call.organization});
  delayed_send(this, limits::hooks_retry_wait, retry_over{number});
  ask_for_retry(number, call.organization, std::move(first));
}

void api_actor::ask_for_retry(std::uint64_t number, const std::string& organization,
                              ledger::request what) {
  ask(std::move(what), [this, number, organization](const ledger::answer& said) {
    const auto it = retries_.find(number);
    if (it != retries_.end()) return go_on_retry(number, it->second.core.on_answer(said, wall()));
    // Nobody waits any more, but what was requeued is due.
    if (const auto* r = std::get_if<ledger::requeued>(&said); r && !r->deliveries.empty())
      tell_due({r->webhook, organization, wall()});
  });
}

void api_actor::go_on_retry(std::uint64_t number, dead_retry::step step) {
  auto& r = retries_.at(number);
  if (step.follow) follow(r);
  if (step.due) tell_due(*step.due);
  if (step.over) {
    respond(*r.from, *step.over);
    end_retry(number);
  } else if (step.ask) {
    ask_for_retry(number, r.organization, std::move(*step.ask));
  }
}

void api_actor::end_retry(std::uint64_t number) {
  const auto it = retries_.find(number);
  if (it == retries_.end()) return;
  if (it->second.followed_as != 0 && parts_.dispatch)
    send(parts_.dispatch, unfollow{it->second.followed_as, caf::actor_cast<follower_handle>(this)});
  retries_.erase(it);
}

/// What a DISPATCH that died would have told is not known: of that, nothing is counted.
void api_actor::follow(retrying& r) {
  r.followed_as = next_++;
  if (parts_.dispatch)
    send(parts_.dispatch,
         follow_webhook{r.followed_as, r.core.webhook(), caf::actor_cast<follower_handle>(this)});
}

}  // namespace gate::hooks
