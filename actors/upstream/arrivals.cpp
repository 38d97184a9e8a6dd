#include "actors/upstream/arrivals.hpp"

#include "actors/upstream/approach.hpp"
#include "actors/upstream/client_messages.hpp"
#include "actors/upstream/input_rounds.hpp"
#include "actors/upstream/lifecycle.hpp"
#include "actors/upstream/server_messages.hpp"
#include "actors/upstream/spoken.hpp"
#include "actors/upstream/stream_keeper.hpp"
#include "actors/upstream/task_bridge.hpp"
#include "actors/upstream/task_hearings.hpp"
#include "actors/upstream/work_desk.hpp"
#include "protocol/limits.hpp"

namespace gate::upstream {

// --- a fetch has ended ---------------------------------------------------------------------------

void arrivals::on(const fetched& f) {
  auto node = s_.table.take(f.id);
  if (node.empty()) return;  // abandoned
  auto& p = node.mapped();
  if (p.place.known() && r_.streams.resume_later(p, f)) return s_.table.put_back(std::move(node));
  switch (p.kind) {
    case purpose::work:
      return r_.desk.ended(p, f);
    case purpose::discover:
      return r_.life.on_discover(f, f.body.get());
    case purpose::initialize:
      return r_.life.on_initialize(f, f.body.get());
    case purpose::initialized:
      return r_.life.on_initialized(f);
    case purpose::stream:
      return r_.way.endpoint_lost(p, f.end) ? r_.life.settle() : r_.streams.ended(f);
    case purpose::goodbye:
      return r_.life.said_goodbye();
    case purpose::notice:
      on_notice_end(p, f);
      break;
    case purpose::replay:
      r_.client.ended(p, f);
      break;
    case purpose::hearing:
      r_.hearings.ended(f.id);
      break;
    case purpose::discard:
      break;
  }
  r_.life.settle();
}

void arrivals::on_notice_end(const pending& p, const fetched& f) {
  if (!r_.way.endpoint_lost(p, f.end) && f.end == fetch_end::complete &&
      p.epoch == s_.talk.epoch() && is_lost_session(f.status, {}))
    r_.life.lose();
  if (!s_.greets) return;
  s_.greets->delivered(f.id);
  r_.life.check_greeting();
}

void arrivals::late(std::uint64_t id) {
  auto node = s_.table.take(id);
  if (node.empty()) return;  // another's end took it along
  auto& p = node.mapped();
  s_.doors.abandon(id);
  switch (p.kind) {
    case purpose::work:
      return r_.input.late(p) || r_.tasks.late(p) ? void() : r_.desk.late(id, p);
    case purpose::hearing:
      return r_.hearings.ended(id);
    case purpose::discover:
    case purpose::initialize:
    case purpose::initialized:
      return r_.life.on_late_handshake();
    case purpose::replay:
      return r_.client.late(id, p);
    case purpose::goodbye:
      return r_.life.said_goodbye();
    default:
      return;
  }
}

void arrivals::resume(std::uint64_t id) {
  auto* p = s_.table.find(id);
  if (!p || r_.input.resume(id, *p) || r_.tasks.resume(id, *p) || r_.streams.resume(id, *p)) return;
  fetched f;
  f.id = id;
  f.end = fetch_end::broken;
  f.why = "the session was lost before its stream could be gone on with";
  on(f);
}

// --- an event stream goes on ---------------------------------------------------------------------

void arrivals::on(streamed& m) {
  if (s_.of.config.stream_idle.count() > 0)
    if (auto* p = s_.table.find(m.id)) r_.streams.await_word(*p);
  if (m.id == s_.stream.id()) {
    s_.stream.opened();
    r_.client.stream_settled();
    if (s_.greets) {
      s_.greets->stream_settled(s_.now());
      r_.life.check_greeting();
    }
  }
  for (auto& event : m.events) {
    auto* p = s_.table.find(m.id);
    if (!p) return;
    auto& place = p->kind == purpose::stream ? s_.stream.place() : p->place;
    place.received(event);
    place.set_retry(m.retry_ms);
    on_event(m.id, m.session_id, event);
  }
}

void arrivals::on_event(std::uint64_t id, const std::string& session_id, sse::event& e) {
  auto& p = *s_.table.find(id);
  // Of the answer's head: the stream may be gone on with before there is a session.
  if (p.kind == purpose::initialize) s_.talk.named(session_id);
  if (e.data.empty()) {  // a priming event
    if (const auto* call = p.call()) s_.doors.tell(call_notification{call->call, {}});
    return;
  }
  if (!e.type.empty() && e.type != "message") return;
  auto text = std::make_shared<const std::string>(std::move(e.data));
  const bool discovers = p.kind == purpose::discover;
  if (!discovers && p.kind != purpose::initialize) return on_message(p, id, std::move(text));
  // Whatever is wrong with it otherwise, `on_initialize` says.
  auto read = read_any_bytes(*text);
  if (!read || read->kind != jsonrpc::kind::response) return;
  fetched f;
  f.id = id;
  f.status = 200;
  f.session_id = session_id;
  p.kind = purpose::notice;
  linger(p);
  if (discovers) return r_.life.on_discover(f, text.get());
  r_.life.on_initialize(f, text.get());
}

void arrivals::on_message(pending& p, std::uint64_t id, std::shared_ptr<const std::string> text) {
  auto m = read_message(*text);
  const bool waits = p.kind == purpose::work && !p.answered;
  if (!m) {
    s_.log.failed("sent an event that is not JSON-RPC", m.error().what);
    if (!waits || !meant_as_answer(*text, id)) return;
    // No other will come.
    const auto job = std::move(p.job);
    linger(p);
    r_.desk.fail(*job, no_answer::request_failed, false, verdict::failure);
    return r_.life.settle();
  }
  if (m->method == mcp::names::acknowledged) return r_.streams.acknowledged(id, m->params);
  if (m->kind != jsonrpc::kind::response && r_.hearings.on(id, *m)) return;
  if (m->kind != jsonrpc::kind::response) return r_.server.on(&p, *m, *text);
  if (m->id != std::to_string(id)) return;
  // (What a lost session agreed to means nothing in the next one.)
  if (p.kind == purpose::replay) return s_.in_session(p) ? r_.client.answered(id, *m) : void();
  if (!waits) return;
  // The stream may stay open for a moment; the answer does not wait for its end.
  auto job = std::move(p.job);
  linger(p);
  r_.desk.answered(std::move(job), *m, std::move(text));
}

/// What matters of this stream has come. Servers end it then; one that does not is not waited for.
void arrivals::linger(pending& p) {
  p.answered = true;
  p.questions.clear();
  p.until = s_.now() + limits::stream_linger;
  s_.wake.set(p.until);
}

}  // namespace gate::upstream
