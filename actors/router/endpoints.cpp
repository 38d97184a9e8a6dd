#include "actors/router/endpoints.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "actors/ops/auth_hint.hpp"
#include "actors/ops/console/page.hpp"
#include "actors/router/chain.hpp"
#include "protocol/http/bearer.hpp"
#include "protocol/http/media.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/introspection/queries.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/metadata.hpp"

namespace gate::routing {

using namespace pipeline;

namespace {

using http::json_type;
using http::no_store;

void publish(call& c, std::string_view text) {
  exit_stage::serve(c, {200, json_type, {}, false}, text);
}

}  // namespace

endpoints::endpoints(unit& u, identity::authority_ptr authority, identity::gatekeeper& keeper,
                     wall_clock wall)
    : unit_(u),
      authority_(std::move(authority)),
      auth_hint_(ops::auth_hint(u.snapshot->doc)),
      inquiries_(u, keeper, std::move(wall)) {}

void endpoints::serve(fact<stage::host> c) {
  const auto refuse = [&](mcp::http_refusal no) {
    exit_stage::refuse(refuse_by(std::move(c), std::move(no)), unit_.desk);
  };
  auto& notes = c->ticket.notes();
  // What is not MCP leaves no audit event unless it was refused by stage 1, or its row says so.
  notes.unaudited = true;
  const auto path = c->request().path();
  const auto* e = find_endpoint(path);
  if (!e || !is_there(*e, path)) return refuse(no_endpoint(unit_.snapshot->doc.server.mcp_path));
  if (!e->verbs.contains(c->request().method())) return refuse(wrong_verb(*e));
  if (!e->audited_as.empty()) {
    notes.unaudited = false;
    notes.uncounted = true;
    notes.method = e->audited_as;
  }
  (this->*handler_of(e->id))(std::move(c));
}

/// What is published of who may call depends on the configuration; that can not change while the
/// process runs.
bool endpoints::is_there(const endpoint_row& e, std::string_view path) const {
  const auto& paths = authority_->published.resource_metadata_paths;
  switch (e.offered) {
    case offered::always:
      return true;
    case offered::with_auth:
      return std::ranges::find(paths, path) != paths.end();
    case offered::with_ema:
      return authority_->ema.has_value();
    case offered::with_introspection:
      return unit_.snapshot->doc.server.introspection.enabled;
    case offered::with_console:
      return unit_.snapshot->doc.server.console.enabled && ops::console_is_there(path);
  }
  return false;
}

// --- what the gateway is and does ----------------------------------------------------------------

/// The call waits in the table while HEALTH works: an exchange must not be lost if HEALTH dies.
template <>
void endpoints::answer<endpoint::health>(fact<stage::host> c) {
  unit_.partners.ask_health(unit_.calls.put_aside(std::move(c), {partner::health}));
}

void endpoints::on_health(std::uint64_t number, const health_report& r) {
  if (auto c = unit_.calls.end(number))
    exit_stage::serve(*c, {r.serving ? 200 : 503, json_type, no_store, false}, *r.body);
}

/// HEALTH makes the text: it takes its time.
template <>
void endpoints::answer<endpoint::metrics>(fact<stage::host> c) {
  unit_.partners.inquire(unit_.calls.put_aside(std::move(c), {partner::health}), ask_metrics{});
}

// --- for viewers ---------------------------------------------------------------------------------

template <>
void endpoints::answer<endpoint::auth_hint>(fact<stage::host> c) {
  exit_stage::serve(*c, {200, json_type, no_store, false}, auth_hint_);
}

void endpoints::ask(const endpoint_row& e, fact<stage::host> c) {
  const auto& head = *c->request().head;
  const auto query = introspection::query_of(head.target);
  const bool takes_json = http::accepts(head.headers, json_type);
  auto asked = std::make_unique<inquiry>();
  asked->what = e.id;
  std::string wrong;
  if (e.id == endpoint::explain) {
    if (auto read = introspection::read_explain_query(query))
      asked->about = std::move(*read);
    else
      wrong = std::move(read.error().what);
  } else if (e.id == endpoint::activity) {
    asked->live = !takes_json && http::accepts(head.headers, http::events_type);
    if (const auto read = introspection::read_activity_query(query))
      asked->activity = *read;
    else
      wrong = read.error().what;
    const auto last = introspection::read_number(c->request().header("last-event-id"));
    if (asked->live && last) asked->activity.since = last;
  } else if (const auto read = introspection::read_no_query(query); !read) {
    wrong = read.error().what;
  }
  c->inquiry = std::move(asked);
  const bool acceptable = takes_json || c->inquiry->live;
  if (!wrong.empty())
    return exit_stage::refuse(refuse(std::move(c), reason::bad_request, std::move(wrong)),
                              unit_.desk);
  if (!acceptable)
    return exit_stage::refuse(
        refuse(std::move(c), reason::not_acceptable, "the answer is application/json"), unit_.desk);
  c->ticket.notes().unaudited = false;  // who may not ask is in the audit trail
  mcp_stages::run(std::move(c), unit_.desk);
}

template <>
void endpoints::answer<endpoint::federation>(fact<stage::host> c) {
  ask(gate::row(endpoint::federation), std::move(c));
}
template <>
void endpoints::answer<endpoint::activity>(fact<stage::host> c) {
  ask(gate::row(endpoint::activity), std::move(c));
}
template <>
void endpoints::answer<endpoint::explain>(fact<stage::host> c) {
  ask(gate::row(endpoint::explain), std::move(c));
}

// --- what clients look for that need a token -----------------------------------------------------

template <>
void endpoints::answer<endpoint::resource_metadata>(fact<stage::host> c) {
  publish(*c, authority_->published.resource_metadata);
}

template <>
void endpoints::answer<endpoint::server_metadata>(fact<stage::host> c) {
  publish(*c, authority_->published.server_metadata);
}

template <>
void endpoints::answer<endpoint::key_set>(fact<stage::host> c) {
  publish(*c, authority_->published.key_set);
}

template <>
void endpoints::answer<endpoint::authorization>(fact<stage::host> c) {
  exit_stage::serve(
      *c, {400, json_type, {}, false},
      oauth::error_body("unsupported_response_type", "tokens are given for assertions only"));
}

// --- tokens --------------------------------------------------------------------------------------

/// An assertion for an access token.
template <>
void endpoints::answer<endpoint::token>(fact<stage::host> c) {
  const auto refuse = [&](mcp::http_refusal no) {
    no.headers = no_store;
    exit_stage::refuse(refuse_by(std::move(c), std::move(no)), unit_.desk);
  };
  const auto& request = c->request();
  if (http::read_bearer(request.headers()).twice)
    return refuse(mcp::broken(mcp::http_rule::one_authorization));
  if (request.body_follows) {
    // Nobody has shown anything yet, and no assertion is as long.
    const auto announced = http::announced_body(*request.head);
    if (!announced || *announced > limits::body_unjudged)
      return refuse(
          {reason::body_too_large, "the body is longer than 64 KiB, or its length unknown"});
    return unit_.desk.entrance.await_body(std::move(c));
  }
  gate::redeem ask{0, request.body, std::string(request.header("content-type")),
                   std::string(request.header("authorization")), std::string(c->from->peer())};
  ask.call = unit_.calls.put_aside(std::move(c), {partner::mint});
  if (const auto number = ask.call; !unit_.partners.redeem(std::move(ask)))
    do_without<partner::mint>(unit_, number);
}

void endpoints::on_redeemed(const redeemed& m) {
  auto c = unit_.calls.end(m.call);
  if (!c) return;
  if (!m.subject.empty()) {
    auto who = std::make_shared<identity::caller>();
    who->who.subject = m.subject;
    who->who.issuer = m.issuer;
    auto access = std::make_shared<identity::access>();
    access->caller = std::move(who);
    c->ticket.notes().access = std::move(access);
  }
  exit_stage::serve(*c, {m.status, json_type, m.headers, false}, m.body,
                    {m.outcome, m.error, m.rejection});
}

// --- the page of operators -----------------------------------------------------------------------

template <>
void endpoints::answer<endpoint::console>(fact<stage::host> c) {
  const auto& request = c->request();
  const auto page = ops::console_page(request.path(), request.headers(), unit_.snapshot->doc);
  exit_stage::serve(*c, {page.status, page.type, page.headers, false}, page.body);
}

// --- the table -----------------------------------------------------------------------------------

endpoints::handler endpoints::handler_of(endpoint e) {
  static constexpr auto all = []<std::size_t... Row>(std::index_sequence<Row...>) {
    return std::array<handler, sizeof...(Row)>{&endpoints::answer<static_cast<endpoint>(Row)>...};
  }
  (std::make_index_sequence<gate::endpoints.size()>{});
  return all[static_cast<std::size_t>(e)];
}

}  // namespace gate::routing
