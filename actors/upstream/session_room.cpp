// UPSTREAM SESSION: an upstream that has no room for one more session. Clients come and go without
// a word, so most of what fills it may be bridged sessions of ours that nobody will use again: the
// longest unused one is ended for the new one.
//
//   initialize is answered by 503 with Retry-After, and
//   some session can be given up      it is closed; asked again after a pause, doubling, some times
//                                     (room_search.hpp)
//   none can, or it was all in vain   the upstream is busy, for all that waits for this session
//
// First those whose clients do not listen. A client whose stream has closed a moment ago may come
// back for it, or be a visitor that has gone without a word: its session goes if no other can. If
// it comes back, its next call opens another one.
//
// Also what keeps a session from being ended at all.
#include "actors/upstream/session.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

/// Does something hang on this very session? Work that is under way, a subscription, a task that it
/// minted, what it has asked its client, lists that the server made for its client alone, or of
/// whose changes its client hears by nothing else.
bool session::bound() {
  return working_ > 0 || !backlog_.empty() || !charging_.empty() || !subscriptions_.empty() ||
         minted_ || (client_ && hears_lists() && wants_stream()) || now() < asked_until_ ||
         news_.any(now(), shared_->root_news);
}

/// For the sake of another.
spare session::can_go() {
  if (state_ != state::ready || session_id_.empty() || closing_ || given_up_) return spare::no;
  return spared(wants_stream(), profile_ && profile_->away, bound());
}

/// Of this one or another: UPSTREAM tells it to close, unless it has sent it a request meanwhile.
void session::tell_idle(const session& s) {
  send(parent_, session_idle{s.client_, s.as_, s.principal_, s.id(), s.taken_});
}

/// It is used again, whoever has chosen it.
void session::stay() {
  if (const auto told = std::exchange(given_up_, nullptr)) *told = fate::stays;
}

/// True: the handshake will be tried again.
bool session::make_room() {
  if (check_ || room_.over()) return false;
  if (room_.chooses()) {
    auto* other = shared_->bridged_by_use.first_to_go(
        [this](session& s) { return s.endpoint_ == endpoint_ ? s.can_go() : spare::no; },
        limits::bridged_looks);
    if (!other && !room_.begun()) return false;
    if (other) {
      other->given_up_ = std::make_shared<fate>(fate::leaving);
      tell_idle(*other);
    }
    room_.choose(other ? other->given_up_ : nullptr);
  }
  again_at_ = now() + room_.pause();
  arm(again_at_);
  return true;
}

/// No endpoint could be had, and one of them only because it is full: there a place can be made.
void session::no_room() {
  if (room_.full) endpoint_ = *room_.full;
  if (make_room()) return;
  open_failed("busy", "it has no room for another session: HTTP 503", true, verdict::neutral,
              "HTTP 503 for initialize: no room for another session");
}

void session::ask_for_room_again() {
  again_at_ = never;
  if (!backlog_.empty() || (listens() && !closing_)) return begin_handshake();
  // Whoever waited for it has gone.
  state_ = state::closed;
  room_ = {};
  tried_.clear();
}

}  // namespace gate::upstream
