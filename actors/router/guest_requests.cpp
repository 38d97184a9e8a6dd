#include "actors/router/guest_requests.hpp"

#include <vector>

#include "actors/pipeline/tracing.hpp"
#include "actors/router/handed_calls.hpp"
#include "actors/router/upstream_calls.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/http_rules.hpp"
#include "protocol/mcp/log_levels.hpp"
#include "protocol/mcp/methods.hpp"
#include "protocol/mcp/progress.hpp"
#include "protocol/trace/context.hpp"

namespace gate::routing {
namespace {

/// As stage 4 writes it; nothing: it is no request about a task.
std::optional<invoke> question_of(const fleet::task_question& q) {
  const auto keep = std::make_shared<const std::string>(q.request);
  const auto read = mcp::read_body(*keep);
  if (!read || read->kind != jsonrpc::kind::request || read->task_id.size() < 3) return {};
  const auto* method = mcp::find_method(read->method, mcp::era::stateless);
  if (!method || method->routing != mcp::routing::task) return {};
  invoke out;
  out.method = method->name;
  out.first = read->params;
  out.keep = keep;
  out.meta = read->meta;
  out.arguments = read->arguments;
  out.named = read->task_id.substr(1, read->task_id.size() - 2);
  if (!out.meta.empty())
    if (const auto token = mcp::read_progress_token(out.meta)) out.token = *token;
  out.declares = std::make_shared<const std::string>(q.capabilities);
  if (!q.trace.empty()) out.trace = std::make_shared<const std::string>(q.trace);
  if (q.log_level < mcp::log_levels.size()) out.log_level = mcp::log_levels[q.log_level];
  return out;
}

}  // namespace

bool guest_requests::take(const suspended_call::waiter& to, const fleet::task_question& q) {
  const auto s = unit_.sessions.find_key(q.client);
  const auto* u = unit_.snapshot->find(q.upstream);
  if (!s || !s->visits || s->access->task_owner() != q.owner || !u ||
      all_.size() >= limits::guest_requests || !unit_.upstreams.there(u->index) ||
      !s->access->view->reaches(u->index))
    return false;
  auto question = question_of(q);
  if (!question) return false;
  question->call = next_++;
  question->client = s->key;
  question->anywhere = true;
  question->as = s->lists_as;
  question->caller = u->per_caller ? s->access->caller : nullptr;
  question->per_minute = u->requests_per_minute;
  question->costs = unit_.prices.of(unit_.snapshot, *u, s->access.get());
  all_.emplace(question->call,
               guest{to, u->index, s->key, patience(u->index), trace::span_in(q.trace)});
  // Its server says as much as it wants to hear, as of what is asked here (`visit`).
  if (q.log_level < mcp::severity(s->profile->log_level))
    unit_.desk.sessions.set_level(*s, json::quoted(mcp::log_levels[q.log_level]));
  // What stands for its client at the upstream lasts as long as this does.
  s->add_call({}, question->call);
  unit_.sessions.touch(*s, unit_.now());
  unit_.upstreams.ask(u->index, std::move(*question));
  return true;
}

/// What is silent for longer has no answer; its upstream, that is there, is the first to say so.
time_point guest_requests::patience(std::size_t upstream) const {
  const auto* u = unit_.snapshot->at(upstream);
  return unit_.now() + (u ? u->request : std::chrono::milliseconds{0}) + limits::handed_call_taken;
}

std::optional<guest_requests::guest> guest_requests::end(std::uint64_t number) {
  auto node = all_.extract(number);
  if (!node) return {};
  if (const auto s = unit_.sessions.find_key(node.mapped().client)) s->remove_call(number);
  return std::move(node.mapped());
}

bool guest_requests::settle(const answered& m) {
  if ((m.call & mark) == 0) return false;
  const auto g = end(m.call);
  // (What a guard refuses here, one refuses there, where its client is: they count together.)
  if (g && m.refused) home_.turn_away(g->to);
  if (g && !m.refused) {
    pipeline::note_wait(unit_.desk, g->within, unit_.snapshot->at(g->upstream), m);
    home_.settle(g->to, m, g->within.trace, m.upstream_calls);
  }
  return true;
}

bool guest_requests::pass_on(const call_notification& m) {
  if ((m.call & mark) == 0) return false;
  const auto at = all_.find(m.call);
  if (at != all_.end() && !m.text.empty() && (m.client == 0 || m.client == at->second.client))
    home_.pass(at->second.to, m.text);
  // As everywhere: what is heard of shows that it is worked at.
  if (at != all_.end()) at->second.until = patience(at->second.upstream);
  return true;
}

void guest_requests::cancel(std::uint64_t number, const guest& g) {
  if (unit_.upstreams.there(g.upstream))
    unit_.upstreams.tell(g.upstream,
                         cancel_call{number, g.client, R"("nobody waits for it any more")", true});
}

void guest_requests::give_up(const suspended_call::waiter& who) {
  for (const auto& [number, g] : all_) {
    if (g.to != who) continue;
    const auto it = number;
    if (const auto gone = end(it)) cancel(it, *gone);
    return;
  }
}

void guest_requests::lost(std::size_t upstream, std::uint64_t client) {
  fail([&](const guest& g) {
    return g.upstream == upstream && (client == 0 || g.client == client);
  });
}

void guest_requests::lost_root(const session_lost& m) {
  fail([&](const guest& g) {
    const auto s = unit_.sessions.find_key(g.client);
    return g.upstream == m.upstream && (!s || goes_over_root(*s, m));
  });
}

void guest_requests::fail(const std::function<bool(const guest&)>& which) {
  std::vector<std::uint64_t> its;
  for (const auto& [number, g] : all_)
    if (which(g)) its.push_back(number);
  for (const auto number : its) {
    answered none;
    none.call = number;
    none.upstream = all_.at(number).upstream;
    settle(none);
  }
}

void guest_requests::tick(time_point t) {
  std::vector<std::uint64_t> late;
  for (const auto& [number, g] : all_)
    if (g.until <= t) late.push_back(number);
  for (const auto number : late) {
    const auto g = end(number);
    if (!g) continue;
    cancel(number, *g);
    answered none;
    none.call = number;
    none.upstream = g->upstream;
    none.why = no_answer::timed_out;
    home_.settle(g->to, none, g->within.trace, none.upstream_calls);
  }
}

}  // namespace gate::routing
