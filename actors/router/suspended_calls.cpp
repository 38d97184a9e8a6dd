// A call whose client is asked leaves as any other, with a result of ours; what its upstream works
// at stays under its number. The call that comes back for it passes all stages by itself, and takes
// its place in the last moment before the upstream would be asked anew.
#include "actors/router/suspended_calls.hpp"

#include "actors/pipeline/pipeline.hpp"
#include "actors/pipeline/tracing.hpp"
#include "actors/router/handed_calls.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/mcp/client_requests.hpp"
#include "protocol/mcp/stateless/envelope.hpp"

namespace gate::routing {

using namespace pipeline;
namespace stateless = mcp::stateless;

namespace {

/// Whose share it is: a principal's, wherever it is; of others no more is known than the address.
std::string owner_of(call& c) {
  if (const auto* who = c.access()->who()) return "principal " + std::to_string(who->key);
  return "address " + std::string(c.from->peer());
}

std::uint64_t in_milliseconds(time_point t) {
  using std::chrono::milliseconds;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<milliseconds>(t.time_since_epoch()).count());
}

}  // namespace

// --- a server asks -------------------------------------------------------------------------------

bool suspended_calls::takes(const server_request& m) {
  if (m.call == 0) return false;
  if (table_.find(m.call)) return true;
  const auto* c = unit_.calls.find(m.call);
  return c && c->era == mcp::era::stateless && !c->fan_out;
}

std::optional<suspended_calls::objection> suspended_calls::ask(server_request& m) {
  auto* s = table_.find(m.call);
  auto* c = unit_.calls.find(s ? s->live : m.call);
  if (s && s->kept) return objection{"the call has ended"};
  const auto method = stateless::question_method(json::member(m.text, "method"));
  if (method.empty() || (!s && !stateless::asks_by_result(c->method->name)))
    return objection{"Method not found", jsonrpc::method_not_found};
  const auto raw = json::member(m.text, "params");
  const auto& declares = c ? c->declares : s->declares;
  if (const auto code = mcp::refuses_request(*declares, method, raw))
    return objection{code == jsonrpc::method_not_found
                         ? "Method not found"
                         : "the client has not declared that it takes such a request",
                     code};
  if (winding_down_) return objection{"the gateway is stopping"};
  // Nobody could come back for it.
  if (!unit_.snapshot->at(s ? s->upstream : c->upstream->index))
    return objection{"the upstream is gone"};
  auto params = raw.empty() ? std::string{} : stateless::asked_params(raw);
  if (!s) s = begin(*c);
  if (!s) return objection{"too many calls wait for this client"};
  if (!table_.keep(*s, params.size() + m.id.size())) {
    if (s->questions.empty() && s->round == 0) close(*s);
    return objection{"the question is too large"};
  }
  s->questions.push_back({{"q" + std::to_string(++s->questions_so_far), method, std::move(params)},
                          m.session,
                          std::move(m.id)});
  if (s->waited_for() && !s->gathers) gather(*s);
  return {};
}

/// Null: there is no room.
suspended_call* suspended_calls::begin(call& c) {
  std::array<std::uint8_t, 8> bytes{};
  random_(bytes);
  std::uint64_t name = 0;
  for (const auto byte : bytes) name = name << 8U | byte;
  auto* s = table_.open(c.number, name, owner_of(c), c.upstream->index, c.request().body.size());
  if (!s) return nullptr;
  s->live = c.number;
  s->session = c.session;
  s->declares = c.declares;
  s->binding = binding(c);
  s->trace = c.ticket.notes().trace;
  return s;
}

/// Who may come back for it, and with what: everything that does not change from one attempt to the
/// next.
sha256_digest suspended_calls::binding(call& c) const {
  std::string text;
  const auto add = [&](std::string_view part) {
    text.append(std::to_string(part.size())).append(":").append(part);
  };
  if (const auto* who = c.access()->who()) {
    add("principal");
    add(who->issuer);
    add(who->subject);
  } else {
    add("address");
    add(c.from->peer());
  }
  add(c.access()->tenant);
  add(c.method->name);
  add(c.upstream->id);
  add(std::to_string(stateless::asked_by(*c.declares)));
  add(stateless::lasting_params(c.message.params));
  return digest_(text);
}

bool suspended_calls::cancel_question(const server_request_cancelled& m) {
  auto* s = table_.find(m.call);
  if (!s) return false;
  std::erase_if(s->questions, [&](const suspended_call::question& q) {
    if (q.session != m.session || !json::same_scalar(q.id, m.id)) return false;
    table_.let_go(*s, q.shown.params.size() + q.id.size());
    return true;
  });
  if (!s->questions.empty()) return true;
  s->gathers.reset();
  // Its client was never asked: it is a call as any other.
  if (s->round == 0) close(*s);
  return true;
}

// --- its client is asked -------------------------------------------------------------------------

void suspended_calls::gather(suspended_call& s) {
  s.gathers = unit_.now() + limits::question_gather;
  gathering_.emplace_back(*s.gathers, s.number);
  unit_.time.wake(timer::questions, limits::question_gather);
}

void suspended_calls::on_timer() {
  const auto t = unit_.now();
  while (!gathering_.empty() && gathering_.front().first <= t) {
    const auto [due, number] = gathering_.front();
    gathering_.pop_front();
    if (auto* s = table_.find(number); s && s->waited_for() && s->gathers == due) suspend(*s);
  }
}

/// The call leaves with what its client is asked; its upstream works on.
void suspended_calls::suspend(suspended_call& s) {
  const auto number = s.number;
  s.gathers.reset();
  if (!unit_.snapshot->at(s.upstream)) return refuse(s, "the upstream is gone");
  auto c = unit_.calls.take<stage::guard>(s.live);
  if (!c && !s.elsewhere) return;
  s.live = 0;
  ++s.round;
  s.until = unit_.now() + limits::suspended_time;
  stateless::state_nonce nonce{};
  random_(nonce);
  const auto fleet_key = unit_.handed ? unit_.handed->key() : std::nullopt;
  const auto state = stateless::seal(
      {unit_.number, instance(), s.name, s.round, s.binding, in_milliseconds(s.until)},
      fleet_key ? *fleet_key : key_, nonce);
  std::vector<stateless::shown_question> shown;
  for (const auto& q : s.questions) shown.push_back(q.shown);
  auto text = std::make_shared<const std::string>(stateless::question_result(shown, state));
  answered asks;
  asks.call = number;
  asks.upstream = s.upstream;
  asks.what = gate::answer::result;
  asks.payload = *text;
  asks.keep = text;
  asks.by = mcp::era::stateless;  // it is whole as it is
  if (const auto who = std::exchange(s.elsewhere, {}))
    return unit_.handed->settle(*who, asks, s.trace);
  s.traced = suspend_upstream(**c);
  // What stands for its client at the upstream lasts as long as this does.
  const auto session = s.session;
  mcp_stages::resume_after<proxy_step>(proxy_step::resume(std::move(*c), asks, unit_.desk),
                                       unit_.desk);
  session->add_call({}, number);
}

// --- it comes back -------------------------------------------------------------------------------

stateless::instance_name suspended_calls::instance() const {
  return unit_.handed ? unit_.handed->name() : stateless::instance_name{};
}

/// Nothing: neither this process nor its fleet has sealed it.
std::optional<stateless::request_state> suspended_calls::open(std::string_view raw_state) const {
  std::string text;
  if (!json::unquote(raw_state, text)) return {};
  if (auto own = stateless::open(text, key_)) return own;
  const auto fleet_key = unit_.handed ? unit_.handed->key() : std::nullopt;
  return fleet_key ? stateless::open(text, *fleet_key) : std::nullopt;
}

/// Null: none here that could go on, whatever the reason.
suspended_call* suspended_calls::named_by(const stateless::request_state& state) {
  if (state.unit != unit_.number || state.instance != instance()) return nullptr;
  auto* s = table_.find_name(state.call);
  const bool good = s && !s->waited_for() && s->round == state.round &&
                    in_milliseconds(unit_.now()) < state.expires && s->binding == state.binding;
  return good ? s : nullptr;
}

suspension_desk::outcome suspended_calls::go_on(fact<stage::guard>& c) {
  const auto with = stateless::read_attempt(c->message.params);
  const auto state = open(with.state);
  if (!state || state->binding != binding(*c)) return outcome::none;
  auto* s = named_by(*state);
  // (A long body, which was judged by its header first, has not shown where it belongs.)
  if (state->instance == instance() && state->unit != unit_.number &&
      exit_stage::leave_to_unit(*c, state->unit))
    return outcome::left;
  if (!s && unit_.handed && unit_.handed->hand_over(c, *state, with.responses))
    return outcome::parked;
  if (!s || s->upstream != c->upstream->index) return outcome::none;
  c->question.resumes = false;
  if (s->traced) go_on_upstream(*c, *s->traced, !s->kept);
  if (s->kept) {
    c->ready = std::move(s->kept);
    if (c->ready->upstream_calls > 0)
      --c->ready->upstream_calls;  // the first attempt has counted it
    close(*s);
    return outcome::ready;
  }
  pass_answers(*s, with.responses, c->arrived);
  s->session->remove_call(s->number);
  s->declares = c->declares;
  c->continues = s->number;
  c->via = s->session->key;
  s->live = unit_.calls.put_aside(std::move(c), {partner::upstream});
  // What is missing is asked for again.
  if (!s->questions.empty()) gather(*s);
  return outcome::parked;
}

bool suspended_calls::go_on_for(const suspended_call::waiter& who, const fleet::attempt& a) {
  auto* s = table_.find_name(a.call);
  const bool good = s && !s->waited_for() && s->round == a.round && unit_.now() < s->until &&
                    s->binding == a.binding && !winding_down_;
  if (!good) return false;
  unit_.handed->take(
      who, s->traced ? std::optional(fleet::cause{*s->traced, s->kept.has_value()}) : std::nullopt);
  s->elsewhere = who;
  if (s->kept) {
    settle(*s, *std::exchange(s->kept, {}));
    return true;
  }
  s->declares = std::make_shared<const std::string>(a.capabilities);
  s->until = unit_.now() + limits::suspended_time;
  const auto answers = std::make_shared<const std::string>(a.answers);
  pass_answers(*s, *answers, answers);
  if (!s->questions.empty()) gather(*s);
  return true;
}

void suspended_calls::give_up_for(const suspended_call::waiter& who, std::uint64_t name) {
  auto* s = table_.find_name(name);
  if (!s || s->elsewhere != who) return;
  s->elsewhere.reset();
  give_up(s->number, "the client closed the stream of its request");
}

void suspended_calls::pass_answers(suspended_call& s, std::string_view raw_answers,
                                   const std::shared_ptr<const void>& keep) {
  // One walk: there may be many of both, and a client says how large they are.
  std::vector<std::string_view> answers(s.questions.size());
  stateless::each_member(raw_answers, [&](std::string_view key, std::string_view value) {
    for (std::size_t i = 0; i < answers.size(); ++i)
      if (answers[i].empty() && json::same_key(key, s.questions[i].shown.key)) answers[i] = value;
  });
  std::size_t next = 0;
  std::erase_if(s.questions, [&](suspended_call::question& q) {
    const auto answer = answers[next++];
    if (!answer.starts_with('{')) return false;
    table_.let_go(s, q.shown.params.size() + q.id.size());
    tell(s, {q.session, q.id, false, answer, keep});
    return true;
  });
}

// --- what comes while nobody waits ---------------------------------------------------------------

bool suspended_calls::keep(const answered& m) {
  auto* s = table_.empty() ? nullptr : table_.find(m.call);
  if (!s || s->live) return false;
  refuse(*s, "the call has ended");
  if (s->elsewhere) {
    settle(*s, m);
    return true;
  }
  s->kept = m;
  if (table_.keep(*s, m.payload.size())) return true;
  answered none;
  none.call = m.call;
  none.upstream = m.upstream;
  s->kept = std::move(none);
  return true;
}

/// What another instance waits for is there.
void suspended_calls::settle(suspended_call& s, const answered& m) {
  if (s.traced) note_wait(unit_.desk, *s.traced, unit_.snapshot->at(s.upstream), m);
  unit_.handed->settle(*s.elsewhere, m, s.trace);
  close(s);
}

bool suspended_calls::pass_on(const call_notification& m) {
  const auto* s = table_.empty() ? nullptr : table_.find(m.call);
  if (!s || !s->elsewhere || (m.client && s->session->key != m.client)) return false;
  if (!m.text.empty()) unit_.handed->pass(*s->elsewhere, m.text);
  return true;
}

void suspended_calls::lost(std::size_t upstream, std::uint64_t client) {
  const auto its = [&](const suspended_call& s) {
    return !s.live && !s.kept && s.upstream == upstream && (!client || s.session->key == client);
  };
  for (const auto number : table_.all(its)) {
    answered none;
    none.call = number;
    none.upstream = upstream;
    keep(none);
  }
}

void suspended_calls::leave(std::size_t upstream) {
  const auto its = [&](const suspended_call& s) { return !s.live && s.upstream == upstream; };
  for (const auto number : table_.all(its)) give_up(number, "the upstream is gone");
}

// --- ends ----------------------------------------------------------------------------------------

void suspended_calls::forget(const call& c) {
  if (table_.empty()) return;
  auto* s = table_.find(c.upstream_number());
  if (!s || s->live != c.number) return;
  refuse(*s, "the call has ended");
  close(*s);
}

void suspended_calls::tick(time_point t) {
  if (table_.empty()) return;
  const auto late = [&](const suspended_call& s) { return !s.live && s.until <= t; };
  for (const auto number : table_.all(late)) give_up(number, "the client did not come back");
}

void suspended_calls::wind_down() {
  winding_down_ = true;
  for (const auto number : table_.all([](const suspended_call& s) { return s.gathers; })) {
    auto& s = *table_.find(number);
    refuse(s, "the gateway is stopping");
    s.gathers.reset();
  }
  for (const auto number : table_.all([](const suspended_call& s) { return !s.live; }))
    give_up(number, "the gateway is stopping");
}

/// The upstream need not go on with it.
void suspended_calls::give_up(std::uint64_t number, std::string_view why) {
  auto& s = *table_.find(number);
  refuse(s, why);
  if (s.elsewhere) unit_.handed->settle(*s.elsewhere, {}, s.trace);
  if (!s.kept && unit_.upstreams.there(s.upstream))
    unit_.upstreams.tell(s.upstream,
                         cancel_call{number, s.session->key, '"' + std::string(why) + '"', false});
  close(s);
}

void suspended_calls::refuse(suspended_call& s, std::string_view why) {
  for (const auto& q : std::exchange(s.questions, {})) {
    table_.let_go(s, q.shown.params.size() + q.id.size());
    auto error = std::make_shared<const std::string>(R"({"code":)" +
                                                     std::to_string(jsonrpc::internal_error) +
                                                     R"(,"message":")" + std::string(why) + "\"}");
    tell(s, {q.session, q.id, true, *error, error});
  }
}

void suspended_calls::tell(const suspended_call& s, client_reply r) {
  if (unit_.upstreams.there(s.upstream)) unit_.upstreams.tell(s.upstream, std::move(r));
}

void suspended_calls::close(suspended_call& s) {
  if (!s.live) s.session->remove_call(s.number);
  table_.close(s);
}

}  // namespace gate::routing
