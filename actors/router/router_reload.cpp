// ROUTER: another configuration. Calls in flight keep the snapshot that they came under; everything
// else goes by the new one from here on. Upstreams that stay keep their number, and with it all
// that tables here say of them. One that is gone is asked no more, but by calls of older snapshots;
// when there are none left that could, GATEWAY is told.
#include <algorithm>

#include "actors/router/router.hpp"

namespace gate {

using namespace pipeline;

void router::update(federation_update& m) {
  const auto before = std::exchange(snapshot_, std::move(m.snapshot));
  upstreams_ = std::move(m.upstreams);
  const auto slots = std::max({met_.size(), upstreams_.size(), snapshot_->slots});
  upstreams_.resize(slots);
  met_.resize(slots);
  load_.resize(slots);
  told_.forget();
  if (before == snapshot_) return;  // the first, or after a restart
  for (const auto& u : before->upstreams) {
    if (snapshot_->at(u.index)) continue;
    departed_.push_back({u.index, snapshot_->generation});
    met_[u.index] = {};
    keep_news_of(u.index);
  }
  for (const auto& u : snapshot_->upstreams)
    if (!before->at(u.index)) met_[u.index] = {};
  federation::catalogue::succession views;
  renew_sessions(before, views);
  adopt_lists(views);
  move_subscriptions(*before);
  open_waiting();
  leave_departed();
}

/// Everybody's rights are what the new policy and tenants say; who lost an upstream leaves it.
void router::renew_sessions(const snapshot_ptr& before, federation::catalogue::succession& views) {
  struct step {
    config::view_ptr was;
    std::vector<const config::compiled_upstream*> lost;
    bool other_lists = false;  ///< theirs are kept elsewhere from now on
  };
  std::map<std::pair<const config::policy_view*, const config::policy_view*>, step> steps;
  std::map<list_key, std::set<const step*>> losers;  ///< callers
  sessions_.for_each([&](const sessions::session_ptr& s) {
    const auto was = std::exchange(s->access, keeper_.under(s->access, snapshot_))->view;
    const auto& is = s->access->view;
    // Sessions are many, upstreams too; pairs of views are few.
    auto [it, fresh] = steps.try_emplace({was.get(), is.get()});
    auto& [kept, lost, other_lists] = it->second;
    if (fresh) {
      kept = was;  // or another view could get its address
      views.emplace_back(was, is);
      pass_news_on(*was, *is);
      for (const auto& u : snapshot_->upstreams)
        if (was->reaches(u.index) && !is->reaches(u.index)) lost.push_back(&u);
      other_lists = sees_personal(*before, *was) != sees_personal(*snapshot_, *is) ||
                    sees_per_client(*before, *was) != sees_per_client(*snapshot_, *is);
    }
    for (const auto* u : lost) leave_upstream(*s, *u);
    if (s->principal && !lost.empty()) losers[{s->lists_as, s->principal}].insert(&it->second);
    judge_subscriptions(*s);
    // What they were served can not be compared.
    if (other_lists) tell_all_lists(*s);
  });
  for (const auto& [who, all] : losers)
    for (const auto* what : all) leave_roots(who.first, who.second, what->lost);
}

void router::tell_all_lists(const sessions::client_session& s) {
  auto& c = news_of_the_federation();
  for (std::size_t n = 0; n < mcp::kept_list_kinds; ++n)
    c.own_notices.emplace(s.key, mcp::change_notice(static_cast<mcp::list_kind>(n)));
  arm_notify();
}

void router::adopt_lists(const federation::catalogue::succession& views) {
  // Serving may make lists of a client, so they are gathered first.
  std::vector<list_state*> all;
  for_each_list([&](list_state& state) { all.push_back(&state); });
  for (auto* state : all) state->lists.adopt(snapshot_, views);
  keep_lists_ = true;
  std::vector<waiting_call> waiting;
  for (auto* state : all) {
    // What new upstreams list is not known yet: who was served before is told, if that makes a
    // difference, when they have said it.
    if (state->lists.served() && can_be_told(*state)) refresh(*state);
    state->compare = false;
    if (tell_views(*state)) arm_notify();
    std::ranges::move(std::exchange(state->waiting, {}), std::back_inserter(waiting));
  }
  for (const auto& w : waiting) ask_again(w.number);
  keep_lists_ = false;
  delayed_send(this, limits::list_deadline, newcomers_due{});
}

/// A newcomer that hangs must not hold back what else has changed.
void router::on_newcomers_due() {
  for_each_list([&](list_state& state) {
    if (state.lists.served()) give_up_on_late(state, now());
  });
  for_each_list([&](list_state& state) {
    if (state.lists.moved()) expect_news(state);
  });
}

/// A call that waits for a list has not been judged yet, and is none of an upstream's: it goes over
/// to the new configuration, or it would miss the successor of an upstream that has changed.
void router::ask_again(std::uint64_t number) {
  auto* c = calls_.find(number);
  if (!c) return;
  renew(*c);
  c->awaited = 0;
  if (c->course == course::owner) return go_on_routing(number);
  c->session->remove_call(number);
  auto again = take_call<stage::guard>(number);
  auto outcome = list(**again);
  if (outcome.what == list_outcome::state::waiting) return void(park(std::move(*again)));
  mcp_stages::resume_after<proxy_step>(
      proxy_step::resume_list(std::move(*again), std::move(outcome)), *this);
}

/// For calls that have not been routed: they may as well have come a moment later.
void router::renew(call& c) {
  if (c.snapshot == snapshot_) return;
  c.snapshot = snapshot_;
  if (auto& access = c.ticket.notes().access) access = keeper_.under(access, snapshot_);
}

/// Clients whose list is another one by now hear of it; and only they.
bool router::tell_views(list_state& state) {
  const auto changed = state.lists.take_changed_views();
  if (changed.empty()) return false;
  auto& c = news_of_the_federation();
  const auto notice = mcp::change_notice(state.lists.kind());
  for (const auto view : changed) {
    if (state.client)
      c.own_notices.emplace(state.client, notice);
    else if (state.principal)
      c.personal_notices.emplace(state.principal, notice);
    else
      c.view_notices.emplace(state.as, view, notice);
  }
  return true;
}

/// GATEWAY ends an upstream that is gone when nobody here can ask it any more. Calls that it works
/// for already are finished; those that may yet find that they are for it are not many.
void router::leave_departed() {
  if (departed_.empty()) return;
  auto oldest = snapshot_->generation;
  calls_.for_each([&](const call& c) {
    if (c.course != course::upstream) oldest = std::min(oldest, c.snapshot->generation);
  });
  std::erase_if(departed_, [&](const departure& d) {
    if (oldest < d.generation) return false;
    send(parts_.gateway, left_upstream{parts_.unit_number, d.upstream});
    return true;
  });
}

}  // namespace gate
