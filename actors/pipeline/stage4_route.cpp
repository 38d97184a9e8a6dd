#include "actors/pipeline/ladder.hpp"
#include "actors/pipeline/steps.hpp"
#include "actors/pipeline/target.hpp"
#include "actors/pipeline/tracing.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/app_resources.hpp"
#include "protocol/mcp/http_rules.hpp"
#include "protocol/mcp/progress.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::pipeline {
namespace {

/// A routed call, or its end. Only the step itself can state that it is routed.
using result = std::variant<unrouted, refused, settled>;
using rule = mcp::http_rule;

refused refuse(unrouted c, rule broken) {
  return refuse_by(std::move(c), mcp::broken(broken));
}

/// The session that the request names. Null, with the rule that says why not in `broken`, if there
/// is none, or if it is another principal's: nobody learns that it is there.
sessions::session_ptr find_session(call& c, desk& d, rule& broken) {
  const auto id = c.request().head->session_id;
  broken = id.empty() ? rule::session_named : rule::session_known;
  return id.empty() ? nullptr : d.sessions.find(id, c.access());
}

/// There is no such session here. In a fleet another instance may have it.
result without_session(unrouted c, desk& d, rule broken) {
  if (broken == rule::session_known && !c->sought) {
    using search = session_desk::search;
    const auto found = d.sessions.seek(c);
    if (found == search::waits) return settled{};
    if (found == search::busy)
      return refuse(std::move(c), reason::overloaded,
                    "too many sessions come from other instances at once",
                    std::string(http::retry_soon));
  }
  return refuse(std::move(c), broken);
}

/// A header may name a revision that nobody knows. If the body names one too, it is what counts.
std::optional<refused> check_version(unrouted& c) {
  const auto& head = *c->request().head;
  auto no = mcp::check_version(head, mcp::program::gate);
  if (!no) return {};
  if (head.method == verb::post)
    if (auto read = mcp::read_body(c->request().body);
        read && mcp::stateless::envelope_members(read->meta).name_version())
      return {};
  return refuse_by(std::move(c), std::move(*no));
}

/// GET, for the stream of a session; or DELETE, which ends it.
result of_session(unrouted c, desk& d, route where) {
  rule broken{};
  c->session = find_session(*c, d, broken);
  if (!c->session) return without_session(std::move(c), d, broken);
  c->route = where;
  return result{std::move(c)};
}

// --- POST ---------------------------------------------------------------------------------------

/// Policy judges the upstream that a name resolves to, so the owner must be known before stage 5.
result find_owner(unrouted c, desk& d) {
  if (c->method->subscribing == mcp::subscribing::ends) {
    // Also when the resource is gone from the lists: who was asked is told.
    const auto at = c->session->subscriptions.find(c->uri);
    for (const auto& u : c->snapshot->upstreams) {
      if (at == c->session->subscriptions.end() || u.id != at->second) continue;
      set_target(*c, u);
      return result{std::move(c)};
    }
  }
  const auto found = d.lists.owner(*c);
  using state = owner_outcome::state;
  switch (found.what) {
    case state::waiting:
      d.lists.wait_for_owner(std::move(c), found.awaited);
      return settled{};
    case state::nobody: {
      auto no = refuse(std::move(c), reason::resource_unknown,
                       "resource not found: no upstream lists it or a template for it" +
                           (found.missing.empty() ? std::string{}
                                                  : " (without an answer: " + found.missing + ")"));
      if (no.call->era == mcp::era::stateless)
        no.why.more = R"("uri":)" + json::quoted(no.call->uri);
      return no;
    }
    case state::found:
      break;
  }
  set_target(*c, *c->snapshot->at(found.index));
  return result{std::move(c)};
}

/// Whatever is wrong with it, nobody learns whether somebody else has such a task.
refused unknown_task(unrouted c) {
  auto message = "no upstream owns task \"" + c->uri + '"';
  return refuse(std::move(c), reason::task_unknown, std::move(message));
}

/// The upstream that minted the task, else the first one that knows it. Until the answer is there,
/// the call waits.
result find_task(unrouted c, desk& d) {
  const auto& upstreams = c->snapshot->upstreams;
  if (!c->found) {
    d.tasks.find(std::move(c));
    return settled{};
  }
  if (c->found->verdict == tasks::verdict::own)
    for (const auto& u : upstreams)
      if (u.id == c->found->place.upstream) {
        if (!c->view().reaches(u.index)) return unknown_task(std::move(c));
        const auto& place = c->found->place;
        const bool elsewhere = place.instance != tasks::place{}.instance;
        set_task_target(*c, u, elsewhere ? c->session->key : place.client);
        return result{std::move(c)};
      }
  // All were asked; the first in configuration order that knows it has it. A task of somebody else
  // was asked for as well, so that nothing tells it from one that does not exist.
  std::string silent;
  for (const auto& u : upstreams) {
    auto& row = c->fan_out->rows[u.index];
    using state = fan_out::row::state;
    if (row.what == state::down || row.what == state::waiting)
      silent += (silent.empty() ? "" : ", ") + u.id;
    if (!row.knows() || c->found->verdict == tasks::verdict::foreign) continue;
    set_task_target(*c, u, c->session->key);
    // (The look has found out no more than that it is there; sessions are told no more of it.)
    if (c->method->name == mcp::names::get_task && c->era == mcp::era::session)
      c->ready = std::move(row.answer);
    c->fan_out.reset();
    return result{std::move(c)};
  }
  if (silent.empty()) return unknown_task(std::move(c));
  return refused{std::move(c), unavailable_task(silent), {}};
}

/// Who owns the resources that it wants to hear of. Those that nobody has are left out: what is
/// honoured is what is acknowledged.
result find_listened(unrouted c, desk& d) {
  auto& l = *c->listening;
  for (; l.looked_up < l.wanted.uris.size(); ++l.looked_up) {
    c->uri = l.wanted.uris[l.looked_up];
    if (c->snapshot->passthrough) {
      const auto only = c->snapshot->upstreams.front().index;
      if (c->view().visible(only)) l.owned.emplace_back(c->uri, only);
      continue;
    }
    if (const auto app = mcp::read_minted(c->uri)) {
      const auto* owner = c->snapshot->find_namespace(app->space);
      if (owner && c->view().visible(owner->index)) l.owned.emplace_back(c->uri, owner->index);
      continue;
    }
    const auto found = d.lists.owner(*c);
    if (found.what == owner_outcome::state::waiting) {
      d.lists.wait_for_owner(std::move(c), found.awaited);
      return settled{};
    }
    if (found.what == owner_outcome::state::found) l.owned.emplace_back(c->uri, found.index);
  }
  c->uri.clear();
  return result{std::move(c)};
}

/// What is not kept could not be passed on.
bool is_too_much(const call& c) {
  const auto& s = *c.session;
  return c.method->subscribing == mcp::subscribing::begins &&
         !sessions::room_for(s.subscriptions, s.subscribing, c.uri);
}

result route_request(unrouted c, desk& d) {
  auto& session = c->session;
  // (Without a session there are as many clients as requests: each may use what ids it likes.)
  if (c->era == mcp::era::session && session->find_call(c->message.id))
    return refuse(std::move(c), rule::id_unused);
  if (session->calls.size() >= limits::session_calls)
    return refuse(std::move(c), rule::requests_in_flight);
  if (!c->method || c->method->routing == mcp::routing::notice)
    return refuse(std::move(c), reason::method_unknown, "method not found");
  if (!c->message.meta.empty() && !c->question.only_envelope) {
    const auto token = mcp::read_progress_token(c->message.meta);
    if (!token)
      return refuse(std::move(c), reason::invalid_params, "params._meta: " + token.error().what);
    c->token = *token;
  }
  switch (c->method->routing) {
    case mcp::routing::listens:
      if (auto no = read_listening(c)) return std::move(*no);
      return find_listened(std::move(c), d);
    case mcp::routing::fan_out:
      c->route = c->method->list == mcp::list_kind::tasks ? route::tasks : route::list;
      break;
    case mcp::routing::named:
      if (auto no = target_name(c, c->message.name)) return std::move(*no);
      break;
    case mcp::routing::owned:
      if (auto no = target_uri(c, c->message.uri)) return std::move(*no);
      break;
    case mcp::routing::completes:
      if (auto no = target_ref(c)) return std::move(*no);
      break;
    case mcp::routing::task:
      if (auto no = target_task(c, c->message.task_id)) return std::move(*no);
      return find_task(std::move(c), d);
    default:
      c->route = route::local;
  }
  if (is_too_much(*c))
    return refuse(std::move(c), reason::overloaded, "too many subscriptions in this session",
                  std::string(http::retry_soon));
  if (c->route == route::owner) return find_owner(std::move(c), d);
  return result{std::move(c)};
}

/// Every element goes through all stages by itself, or a batch would be a way around them.
result take_batch(unrouted c, desk& d) {
  if (c->of_a_batch) return refuse(std::move(c), rule::flat_batch);
  rule broken{};
  c->session = find_session(*c, d, broken);
  if (!c->session) return without_session(std::move(c), d, broken);
  auto elements = mcp::read_batch(c->request().body, c->session->version);
  if (elements.refused) return refuse_by(std::move(c), std::move(*elements.refused));
  c->elements = std::move(elements.all);
  c->route = route::batch;
  return result{std::move(c)};
}

result route_post(unrouted c, desk& d) {
  const auto& request = c->request();
  if (jsonrpc::is_batch(request.body)) {
    if (mcp::is_stateless_version(request.head->version_named))
      return refuse_by(std::move(c), mcp::broken(rule::batch_version, mcp::batch_version));
    return take_batch(std::move(c), d);
  }
  auto read = mcp::read_body(request.body);
  if (!read) {
    c->message.id = read.error().id;
    return refuse_by(std::move(c), mcp::unreadable(read.error()));
  }
  c->message = *read;
  c->is_request = c->message.kind == jsonrpc::kind::request;
  const bool named = mcp::is_stateless_version(request.head->version_named);
  auto envelope = d.envelopes.read(c->message.meta);
  if (named || envelope.named) {
    begin_trace(*c, d, c->message.meta.empty() || (envelope.it && envelope.it->alone));
    if (auto no = climb_ladder(c, std::move(envelope), d)) return std::move(*no);
    if (c->is_request) return route_request(std::move(c), d);
    c->route = route::notice;
    return result{std::move(c)};
  }
  const bool opens = c->is_request && c->message.method == mcp::names::initialize;
  if (opens && request.head->session_id.empty()) {
    begin_trace(*c, d, c->message.meta.empty());
    note_method(*c);
    c->route = route::local;
    return result{std::move(c)};
  }
  rule broken{};
  c->session = find_session(*c, d, broken);
  if (!c->session) return without_session(std::move(c), d, broken);
  if (c->message.kind == jsonrpc::kind::response) {
    c->route = route::reply;
    return result{std::move(c)};
  }
  begin_trace(*c, d, c->message.meta.empty());
  note_method(*c);
  if (opens) return refuse(std::move(c), rule::initialized_once);
  if (!c->is_request) {
    c->route = route::notice;
    return result{std::move(c)};
  }
  return route_request(std::move(c), d);
}

result route_by_verb(unrouted c, desk& d) {
  const auto& head = *c->request().head;
  if (auto no = mcp::check_said_once(head)) return refuse_by(std::move(c), std::move(*no));
  if (mcp::is_stateless_version(head.version_named)) {
    if (auto no = mcp::check_stateless_transport(head))
      return refuse_by(std::move(c), std::move(*no));
    return route_post(std::move(c), d);
  }
  if (auto no = check_version(c)) return std::move(*no);
  if (auto no = mcp::check_transport(head, mcp::program::gate))
    return refuse_by(std::move(c), std::move(*no));
  switch (head.method) {
    case verb::get:
      return of_session(std::move(c), d, route::stream);
    case verb::del:
      return of_session(std::move(c), d, route::farewell);
    default:
      return route_post(std::move(c), d);
  }
}

/// Whoever has something explained has no session, and gets none for that: nobody else knows of
/// this one, and it is gone with the explanation.
sessions::session_ptr onlooker(const identity::access_ptr& who) {
  auto s = std::make_shared<sessions::client_session>(std::make_shared<sse::replay_pool>());
  s->principal = who->key();
  s->access = who;
  return s;
}

/// What is to be explained takes the way of the request that it is about, as the lists stand: for
/// the sake of an explanation nobody is asked, nor charged.
result inquire(unrouted c, desk& d) {
  c->ticket.notes().unaudited = true;
  auto& q = *c->inquiry;
  if (q.what != endpoint::explain) {
    d.inquiries.answer(std::move(c));
    return settled{};
  }
  q.explained = true;
  c->method = mcp::find_method(q.about.method);
  if (!c->method || c->method->routing == mcp::routing::notice)
    return refuse(std::move(c), reason::method_unknown, "method not found");
  if (q.about.name.empty()) {  // nothing that policy could judge
    c->route = route::local;
    return result{std::move(c)};
  }
  c->session = onlooker(c->access());
  q.request = R"({"jsonrpc":"2.0","id":0,"method":)" + json::quoted(q.about.method) +
              (c->method->routing == mcp::routing::owned ? R"(,"params":{"uri":)"
                                                         : R"(,"params":{"name":)") +
              json::quoted(q.about.name) + "}}";
  auto read = mcp::read_body(q.request);
  if (!read) return refuse_by(std::move(c), mcp::unreadable(read.error()));
  c->message = *read;
  return route_request(std::move(c), d);
}

}  // namespace

step_result<fact<stage::route>> route_step::run(fact<stage::rate_limit> call, desk& d) {
  if (call->inquiry) return take(inquire(std::move(call), d));
  return take(route_by_verb(std::move(call), d));
}

step_result<fact<stage::route>> route_step::resume(unrouted call, desk& d) {
  switch (call->route) {
    case route::undecided:  // not even its session was known
      return take(route_by_verb(std::move(call), d));
    case route::task:
      return take(find_task(std::move(call), d));
    case route::listen:
      return take(find_listened(std::move(call), d));
    default:
      return take(find_owner(std::move(call), d));
  }
}

step_result<fact<stage::route>> route_step::take(result r) {
  if (auto* routed = std::get_if<unrouted>(&r)) return fact<stage::route>(std::move(*routed));
  if (auto* no = std::get_if<refused>(&r)) return std::move(*no);
  return settled{};
}

}  // namespace gate::pipeline
