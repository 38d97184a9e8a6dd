#include "actors/guards/breaker.hpp"

#include <algorithm>

namespace gate::guards {

breaker::breaker(const config::circuit_breaker& settings, std::chrono::milliseconds request,
                 std::uint64_t first_lease)
    : failure_threshold_(std::max<std::int64_t>(settings.failure_threshold, 1)),
      half_open_after_(settings.half_open_after),
      request_(request),
      next_lease_(first_lease) {}

void breaker::take_over(breaker_state state, std::int64_t failures, time_point now) {
  close();
  failures_ = failures;
  if (state == breaker_state::open) open(cause::failures, now);
  if (state == breaker_state::half_open) half_open();
}

void breaker::pass(time_point now) {
  if (!until_ || now < *until_) return;
  if (state_ == breaker_state::open || patient_)
    half_open();
  else
    open(cause::probe_lost, now);
}

void breaker::ended(verdict how, std::uint64_t lease, time_point now) {
  pass(now);
  if (lease == lease_told::not_leased) lease = 0;
  if (lease != lease_ || (state_ != breaker_state::closed && lease == 0)) return;
  if (how == verdict::success) return close();
  if (how == verdict::neutral) {
    if (state_ == breaker_state::half_open) half_open();
    return;
  }
  if (state_ == breaker_state::half_open) return open(cause::probe_failed, now);
  if (++failures_ >= failure_threshold_) open(cause::failures, now);
}

void breaker::reached(time_point now) {
  pass(now);
  if (state_ == breaker_state::open) half_open();
}

std::uint64_t breaker::lease(time_point now, std::chrono::milliseconds longest) {
  pass(now);
  if (state_ == breaker_state::closed) return lease_told::not_leased;
  if (state_ == breaker_state::open || lease_ != 0) return 0;
  if (next_lease_ == 0 || next_lease_ == lease_told::not_leased) next_lease_ = 1;
  lease_ = next_lease_++;
  patient_ = longest > request_;
  until_ = now + request_;
  return lease_;
}

void breaker::open(cause why, time_point now) {
  state_ = breaker_state::open;
  why_ = why;
  lease_ = 0;
  patient_ = false;
  until_ = now + half_open_after_;
}

void breaker::half_open() {
  state_ = breaker_state::half_open;
  lease_ = 0;
  patient_ = false;
  until_.reset();
}

void breaker::close() {
  state_ = breaker_state::closed;
  failures_ = 0;
  lease_ = 0;
  patient_ = false;
  until_.reset();
}

}  // namespace gate::guards
