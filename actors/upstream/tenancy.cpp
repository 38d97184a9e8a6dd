#include "actors/upstream/tenancy.hpp"

#include "protocol/limits.hpp"

namespace gate::upstream {

tenancy::~tenancy() {
  if (in_use_) s_.others.by_use.leave(*in_use_);
  if (given_up_) *given_up_ = fate::gone;
}

void tenancy::enter() {
  s_.last_used = s_.now();
  if (!s_.root()) in_use_ = s_.others.by_use.enter(*this);
  if (ends_idle()) s_.wake.set(s_.last_used + limits::bridged_idle);
}

void tenancy::taken() {
  ++taken_;
  if (!s_.closing) stay();
  s_.last_used = s_.now();
}

void tenancy::used() {
  if (in_use_) s_.others.by_use.used(*in_use_);
}

void tenancy::stay() {
  if (const auto told = std::exchange(given_up_, nullptr)) *told = fate::stays;
}

void tenancy::opened() {
  news_.opened(s_.now());
}

void tenancy::heard_of_change() {
  s_.last_used = s_.now();
  if (s_.root())
    s_.others.root_news.announced(s_.last_used);
  else
    news_.announced(s_.last_used, s_.others.root_news);
}

bool tenancy::bound() {
  return !s_.table.idle() || !s_.client.subscriptions().empty() || minted_ ||
         (!s_.root() && s_.hears_lists() && s_.client.wants_stream()) || s_.now() < asked_until_ ||
         news_.any(s_.now(), s_.others.root_news);
}

bool tenancy::ends_idle() const {
  return !s_.who.check && !s_.client.shared() &&
         (s_.who.client || s_.who.principal || s_.of.config.per_client);
}

/// By this one's doors: another one's are good for nothing while it does not run.
void tenancy::tell_idle(const tenancy& whom) {
  const auto& who = whom.s_.who;
  s_.doors.idle({who.client, who.as, who.principal, whom.s_.number, whom.taken_});
}

tenancy::time_point tenancy::look(time_point now) {
  if (!ends_idle()) return never;
  if (bound()) {
    s_.last_used = now;  // a running call is use
    return now + limits::bridged_idle;
  }
  const auto idle_at = s_.last_used + limits::bridged_idle;
  if (idle_at > now) return idle_at;
  tell_idle(*this);
  return never;
}

// --- an upstream without room --------------------------------------------------------------------

spare tenancy::can_go() {
  if (!by_.takes_place() || s_.closing || given_up_) return spare::no;
  return spared(s_.client.wants_stream(), s_.client.away(), bound());
}

bool tenancy::make_room() {
  if (s_.who.check || room_.over()) return false;
  if (room_.chooses()) {
    const auto here = s_.endpoint.current();
    auto* other = s_.others.by_use.first_to_go(
        [here](tenancy& t) { return t.s_.endpoint.current() == here ? t.can_go() : spare::no; },
        limits::bridged_looks);
    if (!other && !room_.begun()) return false;
    if (other) {
      other->given_up_ = std::make_shared<fate>(fate::leaving);
      tell_idle(*other);
    }
    room_.choose(other ? other->given_up_ : nullptr);
  }
  again_at_ = s_.now() + room_.pause();
  s_.wake.set(again_at_);
  return true;
}

}  // namespace gate::upstream
