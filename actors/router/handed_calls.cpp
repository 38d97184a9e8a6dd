#include "actors/router/handed_calls.hpp"

#include "actors/pipeline/tracing.hpp"
#include "actors/router/chain.hpp"
#include "actors/router/upstream_calls.hpp"
#include "actors/who/named_in_log.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/log_levels.hpp"
#include "transport/log.hpp"

namespace gate::routing {

using namespace pipeline;
using what = fleet::settlement::what;
namespace stateless = mcp::stateless;

namespace {

/// A request of this question. Its id is nobody's: the session that it goes over has its own.
std::string text_of(const invoke& q) {
  return std::string(R"({"jsonrpc":"2.0","id":1,"method":")")
      .append(q.method)
      .append(R"(","params":)")
      .append(q.first)
      .append(q.second)
      .append("}");
}

/// What the upstream began for another instance goes on for this call.
void link(call& c, std::string_view why) {
  if (const auto cause = fleet::read_cause(why)) go_on_upstream(c, cause->span, !cause->answered);
}

std::uint8_t level_of(const call& c) {
  return static_cast<std::uint8_t>(mcp::severity(json::quoted(c.log_level)));
}

}  // namespace

std::optional<stateless::state_key> handed_calls::key() const {
  if (!line_.ready()) return {};
  return line_.vault().key_of("request states");
}

/// If nobody listens there, whoever waits here is told.
void handed_calls::say(const std::string& to, kind word, std::string text, std::uint64_t waits) {
  line_.say(to, {.what = word, .text = std::move(text)}, [this, waits](hearing how) {
    if (how == hearing::nobodys && waits != 0 && handed_.contains(waits)) refuse(waits);
  });
}

// --- here ----------------------------------------------------------------------------------------

bool handed_calls::hand_over(fact<stage::guard>& c, const stateless::request_state& state,
                             std::string_view raw_answers) {
  if (c->handed || state.instance == name() || state.instance == stateless::instance_name{})
    return false;
  fleet::attempt a{
      0, state.call, state.round, state.binding, *c->declares, std::string(raw_answers)};
  if (!line_.ready() || fleet::encode(a).size() > limits::fleet_word_bytes) return false;
  const auto to = fleet::name_of_instance(state.instance);
  c->handed = true;
  c->continues = state.call;
  a.waits = unit_.calls.put_aside(std::move(c),
                                  {partner::instance, 0, unit_.now() + limits::handed_call_taken});
  handed_.emplace(a.waits, handed{to, a.call, a.round});
  say(to, kind::attempt, fleet::encode(a), a.waits);
  return true;
}

bool handed_calls::hand_over_task(fact<stage::guard>& c) {
  const auto& found = c->found;
  if (!found || found->place.instance == stateless::instance_name{} || c->handed || c->ready ||
      c->era != mcp::era::stateless || !line_.ready())
    return false;
  // One that has no sessions binds nothing to any.
  if (c->upstream->protocol == config::protocol_choice::stateless) return false;
  // As it would be asked from here; it may still come to that.
  auto question = c->question;
  enter_upstream(*c, question);
  fleet::task_question q{.owner = c->access()->task_owner(),
                         .client = found->place.client,
                         .upstream = c->upstream->id,
                         .capabilities = *c->declares,
                         .request = text_of(question),
                         .trace = question.trace ? *question.trace : std::string(),
                         .log_level = level_of(*c)};
  if (fleet::encode(q).size() > limits::fleet_word_bytes) {
    leave_unasked(*c);
    return false;
  }
  const auto to = fleet::name_of_instance(found->place.instance);
  c->handed = true;
  ++c->ticket.notes().upstream_calls;  // corrected by the answer
  q.waits = unit_.calls.put_aside(std::move(c),
                                  {partner::instance, 0, unit_.now() + limits::handed_call_taken});
  handed_.emplace(q.waits, handed{.to = to, .of_a_task = true});
  say(to, kind::asks, fleet::encode(q), q.waits);
  return true;
}

void handed_calls::forget(const call& c) {
  if (c.handed) leave(c.number);
}

/// Nobody waits for it here any more: the attempt is over, if there is one.
void handed_calls::leave(std::uint64_t number) {
  const auto node = handed_.extract(number);
  if (node) say_left(number, node.mapped());
}

void handed_calls::say_left(std::uint64_t number, const handed& h) {
  say(h.to, kind::left, fleet::encode(fleet::attempt{number, h.call, h.round, {}, {}, {}}));
}

void handed_calls::tick(time_point t) {
  guests_.tick(t);
  if (handed_.empty() || unit_.calls.next_late(partner::instance) > t) return;
  for (const auto number : unit_.calls.waiting_for(partner::instance))
    if (unit_.calls.is_late(number, t)) give_up(number);
}

void handed_calls::give_up(std::uint64_t number) {
  const auto at = handed_.find(number);
  if (at == handed_.end()) return;  // it waits for the stream of a call
  // If it goes on there and its client begins anew, what it asks for is done twice.
  const bool taken = at->second.taken;
  say_left(number, at->second);
  if (!taken) return refuse(number);
  answered late;
  late.why = no_answer::timed_out;
  finish(number, std::move(late));
}

/// There is no such call, or its instance is gone: as with every state that is not good. A task is
/// asked for here.
void handed_calls::refuse(std::uint64_t number) {
  const auto node = handed_.extract(number);
  auto* c = unit_.calls.find(number);
  if (!c) return;
  c->continues = 0;
  if (node && node.mapped().of_a_task) {
    --c->ticket.notes().upstream_calls;
    leave_unasked(*c);
  }
  go_on_asking(unit_, number);
}

void handed_calls::finish(std::uint64_t number, answered m) {
  handed_.erase(number);
  m.call = number;
  m.upstream = unit_.calls.find(number)->upstream->index;
  calls_.on_answered(m);
}

void handed_calls::on_settlement(const std::string& from, fleet::settlement&& s) {
  const auto at = handed_.find(s.waits);
  if (at == handed_.end() || at->second.to != from) return;
  auto* c = unit_.calls.find(s.waits);
  if (!c) return void(handed_.erase(at));
  if (s.is == what::none) return refuse(s.waits);
  if (s.is == what::taken || s.is == what::said) {
    if (s.is == what::taken && !at->second.taken && !at->second.of_a_task) link(*c, s.text);
    at->second.taken = true;
    const auto patience = c->upstream->request + limits::handed_call_taken;
    unit_.calls.wait_for(s.waits, {partner::instance, 0, unit_.now() + patience});
    if (s.is == what::said) calls_.on_call_notification({s.waits, std::move(s.text)});
    return;
  }
  // (For a request about a task that is what a server of that generation has answered.)
  if (s.is == what::asks && !at->second.of_a_task) suspend_upstream(*c);
  const auto text = std::make_shared<const std::string>(std::move(s.text));
  const auto piece = [&](fleet::settlement::piece p) {
    return std::string_view(*text).substr(p.at, p.size);
  };
  answered m;
  m.what = s.is == what::down ? answer::down : s.is == what::error ? answer::error : answer::result;
  m.payload = *text;
  m.keep = text;
  m.usage = piece(s.usage);
  m.task = piece(s.task);
  m.why = s.why;
  m.quotes_credential = s.quotes_credential;
  m.wrapped = s.wrapped;
  // It is whole as it is.
  if (s.is == what::asks || s.stateless) m.by = mcp::era::stateless;
  m.upstream_calls = s.asked;
  finish(s.waits, std::move(m));
}

// --- there ---------------------------------------------------------------------------------------

void handed_calls::say(const suspended_call::waiter& to, fleet::settlement s) {
  s.waits = to.number;
  say(to.instance, kind::settled, fleet::encode(s));
}

void handed_calls::take(const suspended_call::waiter& to, const std::optional<fleet::cause>& why) {
  say(to, {.is = what::taken, .text = why ? fleet::encode(*why) : std::string()});
}

void handed_calls::on_attempt(const std::string& from, const fleet::attempt& a) {
  const suspended_call::waiter to{from, a.waits};
  if (!suspensions_.go_on_for(to, a)) turn_away(to);
}

void handed_calls::on_question(const std::string& from, const fleet::task_question& q) {
  const suspended_call::waiter to{from, q.waits};
  take(to);
  if (!guests_.take(to, q)) turn_away(to);
}

void handed_calls::turn_away(const suspended_call::waiter& to) {
  say(to, {.is = what::none});
}

void handed_calls::settle(const suspended_call::waiter& to, const answered& m,
                          const trace::trace_id& of, std::uint32_t asked) {
  fleet::settlement s;
  const auto piece = [&](std::string_view part) -> fleet::settlement::piece {
    if (part.empty() || part.data() < m.payload.data()) return {};
    return {static_cast<std::uint32_t>(part.data() - m.payload.data()),
            static_cast<std::uint32_t>(part.size())};
  };
  s.is = m.what == answer::down        ? what::down
         : m.what == answer::error     ? what::error
         : m.by == mcp::era::stateless ? what::asks
                                       : what::result;
  s.text = m.payload;
  s.usage = piece(m.usage);
  s.task = piece(m.task);
  s.why = m.why;
  s.quotes_credential = m.quotes_credential;
  s.wrapped = m.wrapped;
  s.stateless = m.by == mcp::era::stateless;
  s.asked = asked;
  if (s.text.size() > limits::fleet_word_bytes - limits::fleet_name_bytes) {
    const auto* upstream = unit_.snapshot->at(m.upstream);
    log::warn(
        "An upstream's answer is larger than what instances hand to each other: its client, which "
        "came back to another instance, is told that there is none.",
        {{"upstream", upstream ? upstream->id : std::string()},
         {"bytes", std::to_string(s.text.size())},
         named_in_log(of)});
    s = {.is = what::down, .asked = asked};
  }
  say(to, std::move(s));
}

void handed_calls::pass(const suspended_call::waiter& to, const std::string& notification) {
  say(to, {.is = what::said, .text = notification});
}

void handed_calls::hear(const std::string& from, const fleet::session_word& w) {
  if (w.what == kind::settled) {
    if (auto s = fleet::read_settlement(w.text)) on_settlement(from, std::move(*s));
    return;
  }
  if (w.what == kind::asks) {
    if (const auto q = fleet::read_task_question(w.text)) on_question(from, *q);
    return;
  }
  const auto a = fleet::read_attempt(w.text);
  if (!a) return;
  if (w.what == kind::attempt) return on_attempt(from, *a);
  suspensions_.give_up_for({from, a->waits}, a->call);
  guests_.give_up({from, a->waits});
}

}  // namespace gate::routing
