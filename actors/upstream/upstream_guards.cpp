// UPSTREAM: what a request passes before a session gets it, what waits for that, and its end.

#include "actors/guards/refusals.hpp"
#include "actors/upstream/charged_ahead.hpp"
#include "actors/upstream/lent_lease.hpp"
#include "actors/upstream/upstream.hpp"
#include "actors/upstream/work.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

/// Is it for this client's bridged session, and no other?
bool is_for(const std::variant<invoke, fetch_list>& request, std::uint64_t client) {
  if (const auto* call = std::get_if<invoke>(&request))
    return call->client == client && !call->anywhere;
  const auto& list = std::get<fetch_list>(request);
  return list.profile && list.client == client;
}

}  // namespace

template <class Request>
void upstream::enter(Request& m) {
  if (retiring_) return refuse(m, nullptr);
  if (m.per_minute > 0 && guards_.budget) return park(m, station::budget);
  at_breaker(m);
}
template void upstream::enter(invoke&);
template void upstream::enter(fetch_list&);

template <class Request>
void upstream::at_breaker(Request& m) {
  switch (peers_->circuit.state) {
    case breaker_state::closed:
      return pass_on(m);
    case breaker_state::half_open:
      return guards_.breaker ? park(m, station::breaker) : pass_on(m);
    case breaker_state::open:
      break;
  }
  if (!circuit_open_)
    circuit_open_ = std::make_shared<const refusal>(guards::circuit_open(shared_->config.id));
  shared_->requests[upstream_outcome::circuit_open].add();
  refuse(m, circuit_open_);
}

/// Asks, and keeps the request until the answer.
template <class Request>
void upstream::park(Request& m, station at) {
  if (parked_.length() >= limits::upstream_parked) return refuse(m, nullptr);
  const auto per_minute = m.per_minute;
  // What an open circuit refuses is not charged; nor is what may not become the probe.
  auto costs = peers_->circuit.state == breaker_state::closed ? m.costs : nullptr;
  const auto most = longest(m, shared_->config.request);
  const auto number = parked_.add({std::move(m), at});
  if (at == station::breaker)
    return send(guards_.breaker, want_lease{number, caf::actor_cast<lease_user>(this), most});
  // Its own limit: the same for all requests, but for those that are older than a reload.
  if (!counted_in_ || counted_in_->front().per_minute != per_minute)
    counted_in_ = std::make_shared<const std::vector<rate_scope>>(
        1, rate_scope{{scope::upstream, shared_->config.id, 0}, per_minute});
  send(guards_.budget,
       admit{number, counted_in_, caf::actor_cast<admission_user>(this), std::move(costs)});
}

void upstream::pass_on(invoke& m) {
  if (!m.anywhere) return caf::anon_send(bridged(m.client), std::move(m));
  if (auto s = any(m.client, audience_of(m.as, m.caller))) return caf::anon_send(s, std::move(m));
  refuse(m, nullptr);
}

void upstream::pass_on(fetch_list& m) {
  if (m.profile) return send(bridged(m.client), std::move(m));
  const auto whose = audience_of(m.as, m.caller);
  if (auto s = m.client ? any(m.client, whose) : root(whose)) return send(s, std::move(m));
  refuse(m, nullptr);
}

/// Null: there is no room for it, or UPSTREAM is about to end.
void upstream::refuse(const invoke& m, std::shared_ptr<const refusal> why) {
  answered nobody;
  nobody.call = m.call;
  nobody.upstream = shared_->config.index;
  if (!why) nobody.why = no_answer::connect_failed;
  nobody.refused = std::move(why);
  nobody.asked = 0;
  send(shared_->router, std::move(nobody));
}

void upstream::refuse(const fetch_list& m, std::shared_ptr<const refusal> why) {
  auto nothing = answer_to(m, shared_->config.index);
  nothing.refused = std::move(why);
  if (m.share && lists_) ask(lists_->on_read({m.share, nullptr}));  // others need not wait for it
  send(shared_->router, std::move(nothing));
}

// --- answers -------------------------------------------------------------------------------------

void upstream::on_admitted(const admitted& m) {
  // Given back at once if nobody waits for it any more.
  auto price = m.price ? std::make_shared<charged_ahead>(guards_.budget, *m.price) : nullptr;
  auto waiting = parked_.take(m.number);
  if (!waiting) return;  // cancelled
  std::visit(
      [&](auto& request) {
        if (m.yes) {
          request.prepaid = std::move(price);
          return at_breaker(request);
        }
        shared_->requests[upstream_outcome::rate_limited].add();
        refuse(request, std::make_shared<const refusal>(
                            guards::rate_limited(shared_->config.id, m.retry_after)));
      },
      waiting->what);
  unparked();
}

void upstream::on_lease(const lease_told& m) {
  const bool leased = m.lease != 0 && m.lease != lease_told::not_leased;
  // Given back at once if nobody waits for it any more.
  auto lent = leased ? std::make_shared<lent_lease>(guards_.breaker, m.lease) : nullptr;
  auto waiting = parked_.take(m.number);
  if (!waiting) return;
  std::visit(
      [&](auto& request) {
        if (m.lease != 0) {
          request.lease = std::move(lent);
          return pass_on(request);
        }
        shared_->requests[upstream_outcome::circuit_open].add();
        refuse(request, std::make_shared<const refusal>(guards::circuit_open(shared_->config.id)));
      },
      waiting->what);
  unparked();
}

/// Whoever was asked here has crashed: it is taken to have agreed.
void upstream::nobody_at(station at) {
  std::vector<std::uint64_t> numbers;
  parked_.for_each([&](std::uint64_t number, const parked& p) {
    if (p.at == at) numbers.push_back(number);
  });
  for (const auto number : numbers) {
    auto waiting = parked_.take(number);
    std::visit(
        [&](auto& request) { at == station::budget ? at_breaker(request) : pass_on(request); },
        waiting->what);
  }
  unparked();
}

// --- ends ----------------------------------------------------------------------------------------

/// ROUTER has answered it already.
void upstream::cancel(const cancel_call& m) {
  // It may be in a session that is closing already, or have gone over a root session.
  tell_all(m.client, m);
  if (m.anywhere) tell_all(0, m);
  if (parked_.empty()) return;
  parked_.erase_if([&](const parked& p) {
    if (const auto* list = std::get_if<fetch_list>(&p.what)) return belongs_to(*list, m.call);
    const auto* call = std::get_if<invoke>(&p.what);
    return call && call->call == m.call;
  });
  unparked();
}

void upstream::client_left(const client_ended& m) {
  const auto of_client = [&](const parked& p) { return is_for(p.what, m.client); };
  bool waits = false;
  if (m.finish_first)
    parked_.for_each([&](std::uint64_t, const parked& p) { waits |= of_client(p); });
  if (waits) {
    leaving_.insert(m.client);
    return;
  }
  parked_.erase_if(of_client);
  leaving_.erase(m.client);
  end_bridged(m.client, {.finish_first = m.finish_first, .quietly = m.quietly});
  unparked();
}

/// What is parked may be what its client's session begins with.
void upstream::change_profile(profile_changed& m) {
  parked_.for_each([&](std::uint64_t, parked& p) {
    std::visit(
        [&](auto& request) {
          if (request.client == m.client && request.profile) request.profile = m.profile;
        },
        p.what);
  });
  pass(m.client, m);
}

void upstream::refuse_parked() {
  for (auto& p : parked_.take_all())
    std::visit([&](auto& request) { refuse(request, nullptr); }, p.what);
}

/// Something is parked no longer. Whose end waited for that?
void upstream::unparked() {
  if (!leaving_.empty()) {
    auto left = leaving_;
    parked_.for_each([&](std::uint64_t, const parked& p) {
      std::erase_if(left, [&](std::uint64_t client) { return is_for(p.what, client); });
    });
    for (const auto client : left) {
      leaving_.erase(client);
      end_bridged(client, {.finish_first = true});
    }
  }
  if (retiring_ && parked_.empty()) retire_now({.finish_first = true});
}

/// Nothing new from now on. What is parked is let through first, if it is to be finished.
void upstream::retire_now(const retire& m) {
  if (lists_)
    for (auto& list : lists_->take_all()) m.finish_first ? enter(list) : refuse(list, nullptr);
  retiring_ = true;
  if (!m.finish_first) refuse_parked();
  if (!parked_.empty()) return;
  tell_everybody(close_session{.finish_first = m.finish_first, .quietly = m.quietly});
  roots_.clear();
  bridged_.clear();
  quit_when_done();
}

}  // namespace gate::upstream
