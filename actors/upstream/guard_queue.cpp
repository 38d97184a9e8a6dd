#include "actors/upstream/guard_queue.hpp"

#include "actors/guards/refusals.hpp"
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
void guard_queue::enter(Request& m) {
  if (m.per_minute > 0 && guards_.has(station::budget)) return park(m, station::budget);
  at_breaker(m);
}
template void guard_queue::enter(invoke&);
template void guard_queue::enter(fetch_list&);

template <class Request>
void guard_queue::at_breaker(Request& m) {
  switch (guards_.circuit()) {
    case breaker_state::closed:
      return to_.pass_on(m);
    case breaker_state::half_open:
      return guards_.has(station::breaker) ? park(m, station::breaker) : to_.pass_on(m);
    case breaker_state::open:
      break;
  }
  if (!circuit_open_)
    circuit_open_ = std::make_shared<const refusal>(guards::circuit_open(of_.config.id));
  to_.count(upstream_outcome::circuit_open);
  to_.refuse(m, circuit_open_);
}

/// Asks, and keeps the request until the answer.
template <class Request>
void guard_queue::park(Request& m, station at) {
  if (parked_.length() >= limits::upstream_parked) return to_.refuse(m, nullptr);
  const auto per_minute = m.per_minute;
  // What an open circuit refuses is not charged; nor is what may not become the probe.
  auto costs = guards_.circuit() == breaker_state::closed ? m.costs : nullptr;
  const auto most = longest(m, of_.config.request);
  const auto number = parked_.add({std::move(m), at});
  if (at == station::breaker) return guards_.want_lease(number, most);
  // Its own limit: the same for all requests, but for those that are older than a reload.
  if (!counted_in_ || counted_in_->front().per_minute != per_minute)
    counted_in_ = std::make_shared<const std::vector<rate_scope>>(
        1, rate_scope{{scope::upstream, of_.config.id, 0}, per_minute});
  guards_.want_admission(number, counted_in_, std::move(costs));
}

// --- answers -------------------------------------------------------------------------------------

void guard_queue::on_admitted(const admitted& m, std::shared_ptr<prepaid> price) {
  auto waiting = parked_.take(m.number);
  if (!waiting) return;  // cancelled
  std::visit(
      [&](auto& request) {
        if (m.yes) {
          request.prepaid = std::move(price);
          return at_breaker(request);
        }
        to_.count(upstream_outcome::rate_limited);
        to_.refuse(request, std::make_shared<const refusal>(
                                guards::rate_limited(of_.config.id, m.retry_after)));
      },
      waiting->what);
  unparked();
}

void guard_queue::on_lease(const lease_told& m, std::shared_ptr<lease> lent) {
  auto waiting = parked_.take(m.number);
  if (!waiting) return;
  std::visit(
      [&](auto& request) {
        if (m.lease != 0) {
          request.lease = std::move(lent);
          return to_.pass_on(request);
        }
        to_.count(upstream_outcome::circuit_open);
        to_.refuse(request, std::make_shared<const refusal>(guards::circuit_open(of_.config.id)));
      },
      waiting->what);
  unparked();
}

void guard_queue::nobody_at(station at) {
  std::vector<std::uint64_t> numbers;
  parked_.for_each([&](std::uint64_t number, const parked& p) {
    if (p.at == at) numbers.push_back(number);
  });
  for (const auto number : numbers) {
    auto waiting = parked_.take(number);
    std::visit(
        [&](auto& request) { at == station::budget ? at_breaker(request) : to_.pass_on(request); },
        waiting->what);
  }
  unparked();
}

// --- ends ----------------------------------------------------------------------------------------

void guard_queue::cancel(const cancel_call& m) {
  if (parked_.empty()) return;
  parked_.erase_if([&](const parked& p) {
    if (const auto* list = std::get_if<fetch_list>(&p.what)) return belongs_to(*list, m.call);
    const auto* call = std::get_if<invoke>(&p.what);
    return call && call->call == m.call;
  });
  unparked();
}

void guard_queue::client_left(const client_ended& m) {
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
  to_.end_session(m.client, {.finish_first = m.finish_first, .quietly = m.quietly});
  unparked();
}

void guard_queue::change_profile(const profile_changed& m) {
  parked_.for_each([&](std::uint64_t, parked& p) {
    std::visit(
        [&](auto& request) {
          if (request.client == m.client && request.profile) request.profile = m.profile;
        },
        p.what);
  });
}

void guard_queue::refuse_all() {
  for (auto& p : parked_.take_all())
    std::visit([&](auto& request) { to_.refuse(request, nullptr); }, p.what);
}

/// Something is parked no longer. Whose end waited for that?
void guard_queue::unparked() {
  if (!leaving_.empty()) {
    auto left = leaving_;
    parked_.for_each([&](std::uint64_t, const parked& p) {
      std::erase_if(left, [&](std::uint64_t client) { return is_for(p.what, client); });
    });
    for (const auto client : left) {
      leaving_.erase(client);
      to_.end_session(client, {.finish_first = true});
    }
  }
  if (parked_.empty()) to_.emptied();
}

}  // namespace gate::upstream
