#include "actors/ops/federation_texts.hpp"

#include <algorithm>
#include <utility>

namespace gate::ops {
namespace {

/// Somebody could be asked how much is used.
bool is_whole(const usage& u) {
  return u.shown.windows.size() == (u.scopes ? u.scopes->size() : 0) &&
         u.shown.budgets.size() == (u.costs ? u.costs->size() : 0);
}

}  // namespace

void federation_texts::renew(report r) {
  report_ = std::move(r);
  views_.clear();
  bytes_ = 0;
}

std::string federation_texts::text(const process_facts& about, const ask_federation& q) {
  const auto at = std::ranges::find_if(views_, [&](const view& v) {
    return v.all == q.sees_all && (v.all || (v.under == q.under && v.shown == q.who->view));
  });
  const auto& s = *report_.snapshot;
  if (at != views_.end()) return federation_body(s, about, q, at->what);
  ++written_;
  auto what = see_upstreams(report_, q, about.now);
  auto out = federation_body(s, about, q, what);
  if (is_whole(q.calls) && views_.size() < most_ && bytes_ + what.list.size() <= most_bytes_) {
    bytes_ += what.list.size();
    views_.push_back({q.sees_all, q.under, q.who->view, std::move(what)});
  }
  return out;
}

}  // namespace gate::ops
