#include "actors/doctor/doctor_actor.hpp"

#include <algorithm>
#include <utility>

#include "actors/upstream/spoken.hpp"
#include "protocol/limits/doctor.hpp"

namespace gate::doctor {
namespace {

bool answers(std::string_view text, std::string_view id) {
  const auto m = upstream::read_any_bytes(text);
  return m && m->kind == jsonrpc::kind::response && m->id == id;
}

}  // namespace

doctor_actor::doctor_actor(caf::actor_config& cfg, caf::execution_unit* unit, doctor_parts parts)
    : pinned(cfg, unit), parts_(std::move(parts)) {
  take_in(*parts_.peers);
}

doctor_actor::behavior_type doctor_actor::make_behavior() {
  const auto most = parts_.each * limits::doctor_rounds - limits::doctor_goodbye;
  delayed_send(this, std::max<std::chrono::milliseconds>(most, parts_.each), all_late{});
  begin_next();
  return {
      [this](const fetched& m) { heard(m); },
      [this](const streamed& m) { heard(m); },
      [this](const inspected& m) {
        const auto peer = peer_of(m.id);
        if (peer) follow(*peer, visits_[*peer].peer->seen(m));
      },
      [this](const store_inspected& m) {
        const auto peer = peer_of(m.id);
        if (peer) follow(*peer, visits_[*peer].peer->seen(m));
      },
      [this](const peer_late& m) {
        if (visits_[m.peer].alarm == m.alarm) be_late(m.peer);
      },
      [this](all_late) { all_over(); },
  };
}

void doctor_actor::on_exit() {
  parts_.egress = nullptr;
  parts_.inspector = nullptr;
  parts_.progress = nullptr;
}

void doctor_actor::take_in(const examinations& peers) {
  for (const auto& it : peers) visits_.emplace_back().peer = it.get();
}

void doctor_actor::begin_next() {
  while (running_ < limits::doctor_at_once && begun_ < visits_.size()) {
    const auto peer = begun_++;
    ++running_;
    arm(peer, parts_.each);
    visits_[peer].peer->hide(*parts_.secrets);
    follow(peer, visits_[peer].peer->begin());
  }
  if (finished_ == visits_.size()) quit();
}

void doctor_actor::arm(std::size_t peer, std::chrono::milliseconds after) {
  visits_[peer].alarm = next_alarm_++;
  delayed_send(this, after, peer_late{peer, visits_[peer].alarm});
}

std::optional<std::size_t> doctor_actor::peer_of(std::uint64_t question) {
  const auto node = asked_.extract(question);
  if (node.empty()) return std::nullopt;
  visits_[node.mapped()].question = 0;
  return node.mapped();
}

void doctor_actor::follow(std::size_t peer, action next) {
  auto& v = visits_[peer];
  if (std::holds_alternative<doctor::done>(next)) return finish(peer);
  // What is asked when the time is over has a time of its own.
  if (v.leaving) arm(peer, limits::doctor_goodbye);
  if (auto* what = std::get_if<doctor::request>(&next)) return ask(peer, std::move(*what));
  v.fetches = false;
  v.question = next_question_++;
  asked_[v.question] = peer;
  const auto asker = caf::actor_cast<inspection_client>(this);
  // It says how far it came, if it ends before the peer's time does.
  const auto within = parts_.each * 9 / 10;
  if (auto* what = std::get_if<look>(&next))
    send(parts_.inspector, inspect{v.question, std::move(what->where), within, what->get, asker});
  else
    send(parts_.inspector,
         inspect_store{v.question, std::move(std::get<look_at_store>(next).where), within, asker});
}

void doctor_actor::ask(std::size_t peer, doctor::request what) {
  auto& v = visits_[peer];
  v.fetches = true;
  v.answered_by = std::move(what.answered_by);
  v.event.clear();
  v.session_id.clear();
  v.events = v.bytes = 0;
  v.since = clock().now();
  v.question = next_question_++;
  asked_[v.question] = peer;
  what.what->id = v.question;
  send(parts_.egress, start_fetch{std::move(what.what), caf::actor_cast<fetch_client>(this)});
}

void doctor_actor::abandon(visit& v) {
  if (v.question == 0) return;
  if (v.fetches)
    send(parts_.egress, abandon_fetch{v.question, caf::actor_cast<fetch_client>(this)});
  asked_.erase(v.question);
  v.question = 0;
}

void doctor_actor::heard(const streamed& m) {
  const auto it = asked_.find(m.id);
  if (it == asked_.end()) return;
  const auto peer = it->second;
  auto& v = visits_[peer];
  if (!m.session_id.empty()) v.session_id = m.session_id;
  reply r;
  r.status = 200;
  for (const auto& e : m.events) {
    ++v.events;
    v.bytes += e.data.size();
    if (v.answered_by.empty()) r.why = "the answer is an event stream";
    if (v.events > limits::doctor_events || v.bytes > limits::doctor_answer_bytes)
      r.why = "an event stream without the answer that was asked for";
    if (!r.why.empty()) r.end = fetch_end::malformed;
    if (r.end == fetch_end::complete && !answers(e.data, v.answered_by)) continue;
    r.text = e.data;
    abandon(v);
    return answer(peer, std::move(r));
  }
}

void doctor_actor::heard(const fetched& m) {
  const auto peer = peer_of(m.id);
  if (!peer) return;
  auto& v = visits_[*peer];
  if (!m.session_id.empty()) v.session_id = m.session_id;
  reply r;
  r.end = m.end;
  r.status = m.status;
  r.why = m.why;
  if (m.body) r.text = *m.body;
  // One that ends before the event came that answers says nothing.
  if (m.end == fetch_end::complete && !m.body && m.media == media::events) {
    r.end = fetch_end::broken;
    r.why = "its event stream ended without an answer";
  }
  answer(*peer, std::move(r));
}

void doctor_actor::answer(std::size_t peer, reply r) {
  auto& v = visits_[peer];
  r.session_id = v.session_id;
  r.took = std::chrono::duration_cast<std::chrono::microseconds>(clock().now() - v.since);
  // The text is judged as it came; whoever quotes it cleans it.
  r.why = parts_.secrets->without(r.why);
  follow(peer, v.peer->heard(r));
}

void doctor_actor::finish(std::size_t peer) {
  auto& v = visits_[peer];
  if (std::exchange(v.over, true)) return;
  abandon(v);
  --running_;
  ++finished_;
  parts_.secrets->add(v.peer->further_secrets());
  take_in(v.peer->further());
  if (closing_) leave_out_the_rest();
  if (parts_.progress) parts_.progress(finished_, visits_.size());
  begin_next();
}

/// The second time nothing is asked any more.
void doctor_actor::be_late(std::size_t peer) {
  auto& v = visits_[peer];
  if (v.over) return;
  abandon(v);
  if (std::exchange(v.leaving, true)) return finish(peer);
  follow(peer, v.peer->late(v.session_id));
}

void doctor_actor::leave_out_the_rest() {
  for (; begun_ < visits_.size(); ++begun_, ++finished_) {
    visits_[begun_].over = true;
    visits_[begun_].peer->unchecked();
  }
}

void doctor_actor::all_over() {
  closing_ = true;
  const auto begun = begun_;
  leave_out_the_rest();
  for (std::size_t peer = 0; peer < begun; ++peer)
    if (!visits_[peer].leaving) be_late(peer);
  begin_next();
}

}  // namespace gate::doctor
