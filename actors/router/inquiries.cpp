#include "actors/router/inquiries.hpp"

#include <utility>

#include "actors/ops/explanation.hpp"
#include "actors/ops/viewers.hpp"
#include "actors/router/chain.hpp"
#include "protocol/http/media.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/limits.hpp"
#include "protocol/sse/writer.hpp"

namespace gate::routing {

using namespace pipeline;

namespace {

/// Refusals that say what would become of the request that is explained. (Others say that it can
/// not be explained.)
bool explains(reason r) {
  switch (r) {
    case reason::method_unknown:
    case reason::unknown_name:
    case reason::resource_unknown:
    case reason::policy_denied:
    case reason::upstream_down:
      return true;
    default:
      return false;
  }
}

/// Who shares a viewer's part of the streams.
std::uint64_t share_of(const call& c, const identity::access& who) {
  return who.who() ? who.key() : oauth::principal_key("at", c.from->peer());
}

}  // namespace

// --- what is asked -------------------------------------------------------------------------------

void inquiries::answer(fact<stage::rate_limit> c) {
  const auto refuse = [&](reason why, std::string message, std::string_view headers = {}) {
    exit_stage::refuse(
        pipeline::refuse(std::move(c), why, std::move(message), std::string(headers)), unit_.desk);
  };
  if (unit_.calls.count(partner::inquiry) >= limits::inquiries)
    return refuse(reason::overloaded, "too many viewers ask at once", http::retry_soon);
  if (c->inquiry->what == endpoint::activity) return view_activity(std::move(c));
  const auto& s = *c->snapshot;
  const auto& who = *c->access();
  if (!ops::may_view(s, who)) {
    c->ticket.notes().unaudited = false;
    return refuse(reason::not_a_viewer,
                  "only members of the configured groups may see the federation");
  }
  gathering all;
  all.requests.scopes = who.counted_in;
  auto seen = guards::viewed_scopes(s, who, ops::is_operator(s, who));
  all.calls.scopes = std::move(seen.scopes);
  all.calls.costs = std::move(seen.costs);
  gather(unit_.calls.put_aside(std::move(c), {partner::inquiry}), std::move(all), {});
}

void inquiries::view_activity(fact<stage::rate_limit> c) {
  const auto& asked = *c->inquiry;
  const auto& who = *c->access();
  auto whose = ops::events_for(*c->snapshot, who);
  const auto since = asked.activity.since;
  if (!asked.live) {
    const auto limit = asked.activity.limit;
    const auto number = unit_.calls.put_aside(std::move(c), {partner::inquiry});
    return unit_.partners.inquire(number, read_activity{std::move(whose), since, limit});
  }
  const auto share = share_of(*c, who);
  const auto number = unit_.calls.put_aside(std::move(c), {partner::inquiry});
  unit_.partners.inquire(number, follow_activity{number, std::move(whose), since, share, {}});
}

/// It has passed as a request would. What stage 6 goes on to ask is looked at.
void inquiries::explain(fact<stage::authorize> c) {
  if (unit_.calls.count(partner::inquiry) >= limits::inquiries)
    return exit_stage::refuse(
        pipeline::refuse(std::move(c), reason::overloaded, "too many viewers ask at once",
                         std::string(http::retry_soon)),
        unit_.desk);
  gathering all;
  all.requests.scopes = c->access()->counted_in;
  std::optional<std::size_t> circuit;
  if (c->upstream) {
    all.calls.scopes = guards::upstream_scopes(*c->upstream);
    all.calls.costs = c->question.costs;
    circuit = c->upstream->index;
  }
  // Nobody works for it, and it is none of its session's calls.
  c->route = route::local;
  c->session = nullptr;
  gather(unit_.calls.put_aside(std::move(c), {partner::inquiry}), std::move(all), circuit);
}

bool inquiries::explain(refused& r) {
  auto& c = *r.call;
  r.headers += http::no_store;
  if (!c.inquiry->explained) return false;
  c.session = nullptr;
  if (!explains(r.why.why)) {
    // What can not be a name or a URI is wrong with the query.
    if (r.why.why == reason::invalid_params) r.why.why = reason::bad_request;
    return false;
  }
  conclude(c, {}, std::move(r.why));
  return true;
}

// --- who is asked --------------------------------------------------------------------------------

/// (Whoever is not there answers at once.)
void inquiries::gather(std::uint64_t number, gathering what, std::optional<std::size_t> circuit) {
  const auto known = [](const auto& list) { return list && !list->empty(); };
  const bool of_requests = known(what.requests.scopes);
  const bool of_calls = known(what.calls.scopes) || known(what.calls.costs);
  const show_usage requests{what.requests.scopes, nullptr};
  const show_usage calls{what.calls.scopes, what.calls.costs};
  what.awaited = 1 + (of_requests ? 1 : 0) + (of_calls ? 1 : 0) + (circuit ? 1 : 0);
  gathering_.insert_or_assign(number, std::move(what));
  if (of_requests) unit_.partners.inquire(number, usage_question{true, requests});
  if (of_calls) unit_.partners.inquire(number, usage_question{false, calls});
  if (circuit) unit_.partners.inquire(number, circuit_question{*circuit});
  gathered(number);
}

void inquiries::gathered(std::uint64_t number) {
  const auto at = gathering_.find(number);
  if (at == gathering_.end() || --at->second.awaited > 0) return;
  auto what = std::move(at->second);
  gathering_.erase(at);
  auto* c = unit_.calls.find(number);
  if (!c) return;
  if (c->inquiry->what == endpoint::explain) {
    if (const auto done = unit_.calls.end(number)) conclude(*done, what);
    return;
  }
  const auto& who = c->access();
  unit_.partners.inquire(number,
                         ask_federation{who, c->snapshot, ops::is_operator(*c->snapshot, *who),
                                        std::move(what.requests), std::move(what.calls)});
}

void inquiries::on(std::uint64_t number, inquiry_answer a) {
  if (const auto* text = std::get_if<federation_text>(&a)) return serve(number, *text->body);
  if (const auto* page = std::get_if<activity_page>(&a)) return serve(number, *page->body);
  if (const auto* text = std::get_if<metrics_text>(&a)) {
    if (const auto c = unit_.calls.end(number))
      exit_stage::serve(*c, {200, http::metrics_type, {}, false}, *text->text);
    return;
  }
  if (std::holds_alternative<no_text>(a)) return do_without<partner::inquiry>(unit_, number);
  const auto at = gathering_.find(number);
  if (at == gathering_.end()) return;
  if (auto* used = std::get_if<usage_answer>(&a)) {
    auto& whose = used->of_requests ? at->second.requests : at->second.calls;
    whose.shown = std::move(used->what);
  } else if (const auto* circuit = std::get_if<breaker_told>(&a)) {
    at->second.circuit = circuit->state;
  }
  gathered(number);
}

// --- answers -------------------------------------------------------------------------------------

void inquiries::serve(std::uint64_t number, std::string_view body) {
  if (const auto c = unit_.calls.end(number))
    exit_stage::serve(*c, {200, http::json_type, http::no_store, false}, body);
}

/// Of a name that leads nowhere nothing is told but that.
void inquiries::conclude(call& c, const gathering& what, std::optional<refusal> no) {
  const auto& about = c.inquiry->about;
  const auto& notes = c.ticket.notes();
  ops::explanation e;
  e.method = about.method;
  e.name = about.name;
  if (c.upstream) e.upstream = c.upstream->id;
  // What no rule can be about is not judged; without a policy all the rest is allowed.
  const bool judged = c.upstream && c.method->judging != mcp::judging::never;
  e.decision = notes.decision == audit::decision::none && judged && !c.snapshot->doc.policy
                   ? audit::decision::allow
                   : notes.decision;
  e.rule = notes.rule_id;
  e.tenant = c.access()->tenant;
  e.requests = what.requests;
  e.calls = what.calls;
  e.breaker = what.circuit;
  e.unknown = c.inquiry->unknown;
  e.refused = std::move(no);
  exit_stage::serve(c, {200, http::json_type, http::no_store, false},
                    ops::explanation_body(e, wall_()));
}

// --- streams -------------------------------------------------------------------------------------

void inquiries::on_told(const activity_told& m) {
  if (const auto at = streams_.find(m.number); at != streams_.end()) {
    auto& s = at->second;
    if (s.to->queued() > limits::stream_queue_bytes) {
      end(at, "slow");
      return;
    }
    s.written = unit_.now();
    if (!s.to->send(*m.text)) end(at, {});
    return;
  }
  if (!m.text) {
    if (auto c = unit_.calls.end(m.number))
      exit_stage::refuse({std::move(c),
                          {reason::overloaded, "too many streams of what happens are open", {}, -1},
                          std::string(http::retry_later)},
                         unit_.desk);
    return;
  }
  const auto c = unit_.calls.end(m.number);
  if (!c || !c->from->alive()) return unfollow(m.number);
  exit_stage::open(*c, http::no_store, *m.text);
  const auto at = streams_.emplace(m.number, stream{c->from, c->access(), unit_.now()}).first;
  if (winding_down_) end(at, "shutdown");
}

void inquiries::unfollow(std::uint64_t number) {
  unit_.partners.inquire(number, unfollow_activity{number, {}});
}

/// `why` empty: nobody is there to be told.
inquiries::place inquiries::end(place at, std::string_view why) {
  auto& to = *at->second.to;
  if (!why.empty()) {
    to.send("event: end\ndata: {\"reason\":\"" + std::string(why) + "\"}\n\n");
    to.end_stream();
  }
  unfollow(at->first);
  return streams_.erase(at);
}

void inquiries::lost_activity() {
  for (auto at = streams_.begin(); at != streams_.end();) at = end(at, "restarted");
  // Those whose stream has yet to begin are told by nobody; of pages, the question comes back.
  for (const auto number : unit_.calls.waiting_for(partner::inquiry)) {
    const auto* c = unit_.calls.find(number);
    if (c && c->inquiry && c->inquiry->live) do_without<partner::inquiry>(unit_, number);
  }
}

void inquiries::client_gone(std::uint64_t exchange) {
  for (auto at = streams_.begin(); at != streams_.end(); ++at)
    if (at->second.to->number() == exchange) {
      end(at, {});
      return;
    }
}

/// A stream lasts no longer than the token that it was opened with, or the key that this was signed
/// with.
void inquiries::tick(time_point t, oauth::wall_time wall) {
  if (streams_.empty()) return;
  identity::gatekeeper::key_verdicts known;
  const auto every = unit_.snapshot->doc.server.keep_alive;
  for (auto at = streams_.begin(); at != streams_.end();) {
    auto& s = at->second;
    const auto* who = s.whose->who();
    if (!s.to->alive()) {
      at = end(at, {});
    } else if (who &&
               (wall >= who->expires + limits::token_leeway || !keeper_.trusts(*s.whose, known))) {
      at = end(at, "token_expired");
    } else {
      if (t - s.written >= every) {
        s.written = t;
        s.to->send(sse::keep_alive);
      }
      ++at;
    }
  }
}

void inquiries::wind_down() {
  winding_down_ = true;
  for (auto at = streams_.begin(); at != streams_.end();) at = end(at, "shutdown");
}

void inquiries::clear() {
  for (auto at = streams_.begin(); at != streams_.end();) {
    at->second.to->end_stream();
    at = streams_.erase(at);
  }
  gathering_.clear();
}

}  // namespace gate::routing
