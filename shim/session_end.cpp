// SESSION: how it ends, and that it does.
#include "protocol/limits.hpp"
#include "shim/front.hpp"
#include "shim/session_actor.hpp"
#include "transport/log.hpp"

namespace gate::shim {
namespace {

std::string describe(const child_exited& e) {
  return (e.by_signal ? "signal " : "exit code ") + std::to_string(e.status);
}

}  // namespace

void session_actor::on_failed(const child_failed& m) {
  end_.gone();
  if (closed_) {  // nobody wants it any more; perhaps it was killed for that
    log::debug("A child was not started.", {{"session", label_}, {"why", m.why}});
    return quit();
  }
  parts_.tally->spawn_errors.add();
  log::error("The server could not be started.", {{"session", label_}, {"why", m.why}});
  close(reason::server_failed, "the server could not be started");
  quit();
}

void session_actor::on_took(const child_took& m) {
  unread_ -= std::min(unread_, m.bytes);
  if (!m.deaf || closed_) return;
  // What it was sent is lost. It may be ending, with answers in its pipe: how, will be heard.
  await_last_words();
}

void session_actor::on_exited(const child_exited& m) {
  ending_.exited = m;
  if (closed_) return end_.exited();
  if (ending_.out_ended) return failed(ending_.why());
  await_last_words();
}

/// An answer may still be in its pipe; but something it has left behind may keep that open.
void session_actor::await_last_words() {
  if (ending_.since == time_point{}) ending_.since = now();
  delayed_send(this, limits::child_last_words, last_words_over{});
}

/// What the child said before it ended is still ours, or in its pipe: a slow client is waited for,
/// but not for ever.
void session_actor::on_last_words_over() {
  if (closed_) return;
  const bool slow = slow_ || now() - held_ < limits::child_last_words;
  if (slow && now() - ending_.since < limits::write_stall) return await_last_words();
  // What was said already, to whoever is slow as well.
  while (said_.any() && !closed_) hear(said_.take());
  if (!closed_) failed(ending_.why());
  if (ending_.gone) on_gone();
}

/// The child is of no use any more, though nobody has ended the session.
void session_actor::failed(std::string_view what) {
  parts_.tally->child_failures.add();
  log::warn("The server failed; its session ends.",
            {{"session", label_},
             {"why", std::string(what)},
             {"status", ending_.exited ? describe(*ending_.exited) : std::string("runs")}});
  close(reason::server_failed, "the server failed: " + std::string(what));
}

/// From now on nobody knows the session. Its processes end, in order.
void session_actor::close(reason why, std::string_view message) {
  if (closed_) return;
  closed_ = true;
  nonsense_.conclude();
  send(parts_.shim, session_closing{parts_.number});
  calls_.refuse_all(why, message, now());
  own_.end();
  before_.clear();
  if (ending_.exited)
    end_.exited();
  else
    end_.begin();
}

void session_actor::on_gone() {
  // A slow client may have yet to hear what it said.
  if (!std::exchange(ending_.gone, true) && paused_ && !closed_) return await_last_words();
  if (!closed_) failed("it is gone");
  end_.gone();
  quit();
}

void session_actor::on_end(const end_session& m) {
  stopping_ = true;
  if (closed_) return;
  own_.end();
  if (m.now || calls_.empty()) close(reason::overloaded, stopping);
}

void session_actor::on_tick() {
  if (closed_) return;  // from here on CHILD's words and the teardown's timers move it
  const auto t = now();
  own_.keep_alive(t);
  calls_.keep_alive(t);
  replay_.forget_before(t - limits::replay_time);
  const bool busy = own_.listened_to() || calls_.anybody_waits();
  if (busy) last_seen_ = t;
  if (!agreed_.live && t - began_ >= limits::child_initialize)
    failed("it did not answer initialize in time");
  else if (!agreed_.live && !busy)
    close(reason::session_unknown, "the client left before it was initialized");
  else if (t - last_seen_ >= limits::child_idle)
    close(reason::session_unknown, "the session was idle");
  if (!closed_) delayed_send(this, limits::sweep, session_tick{});
}

}  // namespace gate::shim
