#include "actors/upstream/input_rounds.hpp"

#include "actors/upstream/work_desk.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/stateless/input_requests.hpp"
#include "protocol/mcp/stateless/input_required.hpp"

namespace gate::upstream {

namespace stateless = mcp::stateless;

bool input_rounds::begin(job& w, const jsonrpc::message& m) {
  // A client of the same generation is asked by the result itself.
  if (!s_.stateless() || w->kind != task::call || w->call.declares || m.result.empty() ||
      !stateless::asks_by_result(w->call.method) || !stateless::asks_for_input(m.result_type))
    return false;
  r_.desk.works(*w);
  if (!w->input) w->input = std::make_unique<input_round>();
  auto& round = *w->input;
  if (++round.number > limits::input_rounds)
    return fail(std::move(w), "the upstream asks for input without end"), true;
  const auto asked = stateless::read_input_required(m.result);
  if (!asked) return fail(std::move(w), asked.error().what), true;
  return ask(std::move(w), *asked), true;
}

void input_rounds::ask(job w, const stateless::server_questions& asked) {
  if (!w->input) w->input = std::make_unique<input_round>();
  auto& round = *w->input;
  round.requests.clear();
  round.bytes = 0;
  round.state = asked.state;
  round.session = s_.name();
  auto& held = s_.table.add(s_.table.new_id(), purpose::work, s_.talk.epoch());
  auto& job = *w;
  held.job = std::move(w);
  if (asked.requests.empty()) {
    round.pausing = true;
    held.resume_at = s_.now() + limits::input_pause;
    job.time.said(s_.now());
    s_.wake.set(held.resume_at);
    return;
  }
  job.time.ask(s_.now());
  s_.wake.set(job.time.deadline);
  for (const auto& r : asked.requests) ask_one(s_.table.new_id(), r, job);
}

/// As a server with sessions would write it; each request of ROUTER's to a client gets an id of its
/// own there.
void input_rounds::ask_one(std::uint64_t id, const stateless::server_question& q, work& w) {
  auto raw_id = std::to_string(id);
  w.input->requests.push_back({std::string(q.key), raw_id, {}, true});
  std::string own(q.params);
  // Clients of the session generation learn by this name that it was completed elsewhere.
  if (json::says(json::member(q.params, "mode"), "url") &&
      json::member(q.params, "elicitationId").empty())
    own = stateless::put_first(
        q.params, R"("elicitationId":"gate-)" + std::to_string(s_.name()) + '-' + raw_id + '"');
  constexpr std::string_view head = R"({"jsonrpc":"2.0","id":)";
  s_.doors.tell(server_request{w.call.call,
                               s_.of.config.index,
                               s_.who.client,
                               s_.name(),
                               raw_id,
                               jsonrpc::request(raw_id, q.method, own),
                               head.size(),
                               {},
                               0});
}

bool input_rounds::on(const client_reply& m) {
  for (auto& [id, p] : s_.table.all()) {
    if (!p.call() || !p.job->input || p.job->input->session != m.session) continue;
    for (auto& r : p.job->input->requests) {
      if (!r.open || r.id != m.id) continue;
      r.open = false;
      take_answer(id, *p.job->input, r, m);
      return true;
    }
  }
  return false;
}

void input_rounds::take_answer(std::uint64_t id, input_round& round, input_round::request& r,
                               const client_reply& m) {
  round.bytes += m.payload.size();
  const auto end = [&](std::string_view why) { fail(take(id), why); };
  if (m.failed) {
    std::string why;
    json::unquote(json::member(m.payload, "message"), why);
    return end("the client gave no input to the upstream: " + why);
  }
  if (!m.payload.starts_with('{')) return end("the client gave the upstream no object as input");
  std::size_t kept = 0;  // of all its calls
  for (const auto& [other, held] : s_.table.all())
    if (held.call() && held.job->input) kept += held.job->input->bytes;
  if (kept > limits::input_answer_bytes)
    return end("the client's answers to the upstream are too large");
  r.answer = m.payload;
  if (round.complete()) again(take(id));
}

bool input_rounds::resume(std::uint64_t id, const pending& p) {
  if (!p.job || !p.job->input || !p.job->input->pausing) return false;
  again(take(id));
  return true;
}

job input_rounds::take(std::uint64_t id) {
  auto node = s_.table.take(id);
  return std::move(node.mapped().job);
}

void input_rounds::again(job w) {
  w->input->pausing = false;
  w->time.answered(s_.now());
  s_.wake.set(w->time.deadline);
  r_.desk.again(std::move(w));
}

bool input_rounds::late(pending& p) {
  if (p.answered || !p.job || !p.job->input || p.job->input->complete()) return false;
  take_back(*p.job);
  r_.desk.fail(*p.job, no_answer::timed_out, false, verdict::neutral);
  return true;
}

/// What its client has not answered yet.
void input_rounds::take_back(work& w) {
  for (auto& r : w.input->requests)
    if (r.open)
      s_.doors.tell(server_request_cancelled{w.call.call, s_.who.client, s_.name(), r.id, {}});
}

void input_rounds::fail(job w, std::string_view why) {
  take_back(*w);
  const auto text = json::quoted(why);
  r_.desk.answer_with(
      *w, w->call.method == mcp::names::call_tool && !w->errand
              ? R"("result":{"content":[{"type":"text","text":)" + text + R"(}],"isError":true}})"
              : R"("error":{"code":-32603,"message":)" + text + "}}");
}

}  // namespace gate::upstream
