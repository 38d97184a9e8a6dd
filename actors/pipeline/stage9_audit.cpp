#include "actors/pipeline/stage9_audit.hpp"

#include "protocol/endpoints.hpp"
#include "protocol/http/media.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/stateless/results.hpp"
#include "protocol/oauth/metadata.hpp"
#include "protocol/recycled.hpp"
#include "transport/parcel.hpp"

namespace gate::pipeline {
namespace {

constexpr std::string_view result_words = R"(,"result":)";
constexpr std::string_view error_words = R"(,"error":)";
constexpr std::string_view envelope = R"({"jsonrpc":"2.0","id":)";

/// What a server says is said with 200; but for two errors that have a status of their own in the
/// stateless generation and are passed on: the client can do too little (which only a server of
/// that generation says), or the server does not know the method.
int status_of(const call& c) {
  if (c.error.empty() || c.era != mcp::era::stateless) return 200;
  const auto code = json::member(c.error, "code");
  if (code == mcp::stateless::lacks_capability && c.by == mcp::era::stateless) return 400;
  return code == mcp::stateless::method_not_found ? 404 : 200;
}

/// The answer's bytes, in pieces: our envelope around the upstream's own.
void write_answer(call& c, desk& d) {
  const bool failed = !c.error.empty();
  const auto words = failed ? error_words : result_words;
  const auto payload = failed ? c.error : c.result;
  if (!c.stream.begun()) {
    c.from->respond({status_of(c), http::json_type, c.headers, false},
                    {envelope, c.message.id, words, c.lead, payload, c.tail, "}"});
    return;
  }
  std::string text;
  text.reserve(envelope.size() + c.message.id.size() + words.size() + c.lead.size() +
               payload.size() + c.tail.size() + 1);
  text.append(envelope).append(c.message.id).append(words);
  text.append(c.lead).append(payload).append(c.tail) += '}';
  d.streams.finish(c, text);
}

/// As far as it is known: what ends early is of the generation that its header names.
mcp::era era_of(const call& c) {
  const bool named = mcp::is_stateless_version(c.request().head->version_named);
  return named ? mcp::era::stateless : c.era;
}

bool is_mcp(const call& c) {
  return c.snapshot && c.request().path() == c.snapshot->doc.server.mcp_path;
}

/// Not so what ended before it was an MCP request, or never was one.
bool is_request(const journal& j) {
  return j.method != audit::not_mcp && !j.uncounted;
}

/// An event of a request that has gone to another unit: told if it does not arrive.
class owed_event final : public passage {
 public:
  owed_event(audit_door::audience told, std::shared_ptr<const audit::event> event)
      : told_(std::move(told)), event_(std::move(event)) {}
  ~owed_event() override {
    if (event_) told_.tell(std::move(event_));
  }
  void arrive() noexcept override { event_ = nullptr; }

 private:
  audit_door::audience told_;
  std::shared_ptr<const audit::event> event_;
};

std::string refusal_beside_mcp(const call& c, const refusal& why) {
  const auto* e = find_endpoint(c.request().path());
  if (!e || !e->oauth_errors) return mcp::plain_refusal(why.message);
  return oauth::error_body(row(token_denial_of(why.why)).error, why.message);
}

}  // namespace

void exit_stage::deliver(fact<stage::egress> in, desk& d) {
  const auto c = std::move(in.call_);
  write_answer(*c, d);
  d.exit.forget(*c);
  ending e;
  if (!c->error.empty()) {
    e.outcome = audit::outcome::error;
    if (c->secret_error)
      e.error = "the upstream's error quotes its credential";
    else
      json::unquote(json::member(c->error, "message"), e.error);
  }
  if (c->ticket.notes().span) {
    if (c->error.empty())
      e.why.of_the_tool = c->has.failed;
    else
      e.why.code = traces::code_of(c->error);
  }
  c->ticket.spend(std::move(e));
}

void exit_stage::refuse(refused r, desk& d) {
  auto& c = *r.call;
  if (c.inquiry && d.inquiries.explain(r)) return;
  d.exit.forget(c);
  // Refused before it was parsed; but within a batch only the id tells which one it was.
  if (c.of_a_batch && c.message.id.empty())
    if (auto read = mcp::read_body(c.request().body)) c.message.id = read->id;
  const auto& how = row(r.why.why);
  const auto era = era_of(c);
  if (c.stream.begun()) {
    // The head is long gone: the refusal is the stream's last event.
    d.streams.finish(c, mcp::refusal_message(r.why, c.message.id, era));
  } else {
    const auto id = c.of_a_batch || carries_id(r.why.why) ? c.message.id : std::string_view{};
    const auto body =
        is_mcp(c) ? mcp::refusal_message(r.why, id, era) : refusal_beside_mcp(c, r.why);
    // A request that broke the framing leaves nothing to go on with.
    const bool close = c.request().flaw != http::defect::none;
    const auto status = is_mcp(c) ? http_status(r.why.why, era) : how.http_status;
    c.from->respond({status, http::json_type, r.headers, close}, {body});
  }
  c.ticket.spend(
      {how.outcome, std::move(r.why.message), how.rejection, {error_code(r.why.why, era)}});
}

void exit_stage::acknowledge(call& c, int status, ending e) {
  c.from->respond({status, {}, {}, false}, {});
  c.ticket.spend(std::move(e));
}

void exit_stage::serve(call& c, const response_head& head, std::string_view body, ending e) {
  c.from->respond(head, {body});
  c.ticket.spend(std::move(e));
}

void exit_stage::open(call& c, std::string_view headers, std::string_view text) {
  c.from->open_stream(headers);
  if (!text.empty()) c.from->send(text);
  c.ticket.spend({});
}

void exit_stage::cancel(call& c, std::string why, desk& d) {
  if (c.stream.begun())
    d.streams.finish(c, {});
  else
    c.from->respond({202, {}, {}, false}, {});
  c.ticket.spend({audit::outcome::error, std::move(why), {}});
}

void exit_stage::close(call& c, ending e) {
  c.ticket.spend(std::move(e));
}

bool exit_stage::leave_to_unit(call& c, std::uint8_t unit) {
  auto by = c.ticket.lend({audit::outcome::error, "the client closed its connection", {}});
  if (!c.from->move_to(unit, by)) {
    if (by) by->arrive();
    return false;
  }
  c.ticket.hand_over();
  return true;
}

void exit_stage::leave_to_elements(call& c) {
  c.ticket.hand_over();
}

/// Dropped on the way, by a bug or a dying actor: the client is owed an answer all the same. (The
/// ticket, destroyed after this, tells the audit trail.)
call::~call() {
  if (ticket.spent() || !from || !from->alive() || stream.begun()) {
    if (stream.begun() && !ticket.spent()) from->end_stream();
    return;
  }
  const refusal why{reason::internal, "the gateway dropped the request", {}, -1};
  from->respond({is_request ? 200 : 500, http::json_type, {}, false},
                {mcp::refusal_message(why, message.id, era_of(*this))});
}

void audit_door::audience::tell(std::shared_ptr<const audit::event> event) const {
  if (recorder) hand_over(recorder, audit_record{event});
  if (activity) hand_over(activity, audit_record{event});
  if (trail) hand_over(trail, audit_record{std::move(event)});
}

audit_door::audit_door(metrics& m, audience told, wall_clock wall,
                       std::function<std::chrono::steady_clock::time_point()> now)
    : metrics_(m),
      told_(std::move(told)),
      wall_(std::move(wall)),
      now_(std::move(now)),
      upstream_calls_(m.get_histogram(metric::request_upstream_calls)) {}

void audit_door::leave(journal&& j, ending&& e) noexcept {
  count(j, e, std::chrono::duration<double>(now_() - j.began).count());
  const bool told = told_ && !j.unaudited;
  // (Not of what ended before it was an MCP request.)
  const auto span = is_request(j) ? std::move(j.span) : nullptr;
  if (!told && !span) return;
  const auto method = j.method;
  const auto why = e.why;
  auto event = event_of(std::move(j), std::move(e));
  if (span) span->end(*event, method, why);
  if (told) told_.tell(std::move(event));
}

std::shared_ptr<passage> audit_door::lend(const journal& j, ending e) {
  if (!told_ || j.unaudited) return nullptr;
  return std::make_shared<owed_event>(told_, event_of(journal(j), std::move(e)));
}

std::shared_ptr<audit::event> audit_door::event_of(journal&& j, ending&& e) const {
  const auto took = now_() - j.began;
  auto event = std::allocate_shared<audit::event>(recycling<audit::event>());
  event->time = wall_();
  if (j.method == audit::other_method) {
    event->method = std::move(j.name);  // what the client called it
  } else {
    event->method = j.method;
    event->name = std::move(j.name);
  }
  if (j.access) {
    event->tenant = j.access->tenant;
    if (const auto* who = j.access->who()) {
      event->principal = who->subject;
      event->issuer = who->issuer;
    }
  }
  event->decision = j.decision;
  event->rule_id = j.rule_id;
  event->upstream = std::move(j.upstream);
  if (j.owner) {
    event->owner_org = j.owner->org.value_or("");
    event->owner_team = j.owner->team.value_or("");
  }
  event->outcome = e.outcome;
  if (e.error.size() > limits::audit_error_bytes) {
    e.error.resize(limits::audit_error_bytes);
    e.error += " …";
  }
  event->error = std::move(e.error);
  event->latency = std::chrono::duration_cast<std::chrono::microseconds>(took);
  event->upstream_calls = j.upstream_calls;
  event->items_served = j.items_served;
  event->usage = std::move(j.usage);
  event->trace = j.trace;
  event->request = j.request;
  return event;
}

/// (A tenant that is gone keeps its series: counters do not go back.)
void audit_door::count_tenant(const journal& j, const ending& e) {
  const auto& id = j.access->tenant;
  auto [it, fresh] = tenants_.try_emplace(id);
  auto& t = it->second;
  if (fresh) t.calls = metrics_.get(metric::tenant_upstream_calls, {id});
  auto& requests = t.by_outcome[static_cast<std::size_t>(e.outcome)];
  if (!requests) requests = metrics_.get(metric::tenant_requests, {id, to_string(e.outcome)});
  requests->add();
  t.calls.add(j.upstream_calls);
}

audit_door::method_metrics& audit_door::of(std::string_view method) {
  auto [it, fresh] = methods_.try_emplace(method.data());
  if (fresh) {
    for (const auto o : counted_outcomes)
      it->second.by_outcome[static_cast<std::size_t>(o)] =
          metrics_.get(metric::requests, {method, to_string(o)});
    it->second.duration = metrics_.get_histogram(metric::request_duration, {method});
  }
  return it->second;
}

void audit_door::count(const journal& j, const ending& e, double seconds) {
  if (e.rejection != rejection::none) {
    auto [it, fresh] = rejections_.try_emplace(e.rejection);
    if (fresh) it->second = metrics_.get(metric::http_rejections, {to_string(e.rejection)});
    it->second.add();
  }
  if (!is_request(j)) return;
  if (j.access && !j.access->tenant.empty()) count_tenant(j, e);
  auto& m = of(j.method);
  m.by_outcome[static_cast<std::size_t>(e.outcome)].add();
  m.duration.observe(seconds);
  upstream_calls_.observe(j.upstream_calls);
}

}  // namespace gate::pipeline
