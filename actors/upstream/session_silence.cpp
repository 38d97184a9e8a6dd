// UPSTREAM SESSION: event streams that say nothing any more (`timeouts.streamIdleMs`). Comments
// that keep a connection alive are not heard here, so they do not count.
//
//   a stream that is silent            what happens
//   of a call, ids seen                left, and gone on with behind the last id
//   of a call, none or too often       left; the call fails as one that timed out
//   of a call that asks its client     waited for: it is the client's turn
//   the session's own                  left, and opened again
//
// However much is said, no call lasts longer than `timeouts.maxRequestMs`.
#include "actors/upstream/session.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

/// Something came on this stream.
void session::on_word(std::uint64_t id) {
  if (auto it = pending_.find(id); it != pending_.end()) await_word(it->second);
}

/// From now on it may be silent for a while.
void session::await_word(pending& p) {
  const auto idle = shared_->config.stream_idle;
  const bool of_work = p.kind == purpose::work && !p.answered;
  if (idle.count() == 0 || (!of_work && p.kind != purpose::stream)) return;
  p.silent_at = now() + idle;
  arm(p.silent_at);
}

void session::on_silence(std::uint64_t id) {
  auto it = pending_.find(id);
  if (it == pending_.end()) return;
  auto& p = it->second;
  p.silent_at = never;
  if (p.answered || !p.questions.empty()) return;
  if (p.kind == purpose::stream) {
    close_stream();
    if (wants_stream()) reopen_at(now() + limits::stream_pause);
    return;
  }
  send(shared_->egress, abandon_fetch{id, caf::actor_cast<fetch_client>(this)});
  fetched f;
  f.id = id;
  f.status = 200;
  f.media = media::events;
  f.end = fetch_end::broken;
  if (p.place.known() && resume_later(p, f)) return;
  auto node = pending_.extract(it);
  --working_;
  if (in_session(node.mapped())) tell_cancelled(id, R"("request timed out")");
  note_failure("fell silent in the middle of an answer", {});
  fail(*node.mapped().job, "timed out", false, verdict::failure);
}

}  // namespace gate::upstream
