#include "actors/router/endpoints.hpp"

#include <algorithm>

#include "actors/ops/endpoints.hpp"
#include "actors/router/chain.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/limits.hpp"
#include "protocol/oauth/metadata.hpp"

namespace gate::routing {

using namespace pipeline;

namespace {

bool is_of_tokens(const ops::endpoint_row& e) {
  return e.what == ops::endpoint::token || e.what == ops::endpoint::authorization;
}

}  // namespace

void endpoints::serve(fact<stage::host> c) {
  const auto path = c->request().path();
  const auto refuse = [&](reason why, std::string message, std::string headers = {}) {
    exit_stage::refuse({std::move(c), {why, std::move(message), {}, -1}, std::move(headers)},
                       unit_.desk);
  };
  // What is not MCP leaves no audit event unless it was refused by stage 1.
  c->ticket.notes().unaudited = true;
  const auto* e = ops::find_endpoint(path);
  const auto* text = published(path);
  const bool mints = e && e->what == ops::endpoint::token;
  if (!text && (!e || (is_of_tokens(*e) && !authority_->ema)))
    return refuse(reason::not_found,
                  "no such endpoint: MCP is at " + unit_.snapshot->doc.server.mcp_path);
  const auto allowed = mints ? verb::post : verb::get;
  if (c->request().method() != allowed)
    return refuse(reason::method_not_allowed, mints ? "use POST" : "use GET",
                  mints ? "Allow: POST\r\n" : "Allow: GET\r\n");
  if (mints) return redeem(std::move(c));
  if (e && e->what == ops::endpoint::health) return serve_health(std::move(c));
  if (e && e->what == ops::endpoint::authorization) {
    exit_stage::serve(
        *c, {400, "application/json", {}, false},
        oauth::error_body("unsupported_response_type", "tokens are given for assertions only"));
  } else if (text) {
    exit_stage::serve(*c, {200, "application/json", {}, false}, *text);
  } else {
    const auto exposed = metrics_->exposed(unit_.now());
    exit_stage::serve(*c, {200, "text/plain; version=0.0.4; charset=utf-8", {}, false}, *exposed);
  }
}

/// What the gateway says of itself to clients that look for a token; null: nothing there.
const std::string* endpoints::published(std::string_view path) const {
  const auto& p = authority_->published;
  if (std::ranges::find(p.resource_metadata_paths, path) != p.resource_metadata_paths.end())
    return &p.resource_metadata;
  if (path == oauth::server_metadata_path && !p.server_metadata.empty()) return &p.server_metadata;
  if (path == oauth::key_set_path && !p.key_set.empty()) return &p.key_set;
  return nullptr;
}

/// The call waits in the table while HEALTH works: an exchange must not be lost if HEALTH dies.
void endpoints::serve_health(fact<stage::host> call) {
  unit_.partners.ask_health(unit_.calls.put_aside(std::move(call), {partner::health}));
}

void endpoints::on_health(std::uint64_t number, const health_report& r) {
  if (auto c = unit_.calls.end(number))
    exit_stage::serve(
        *c, {r.serving ? 200 : 503, "application/json", "Cache-Control: no-store\r\n", false},
        *r.body);
}

// --- tokens --------------------------------------------------------------------------------------

void endpoints::redeem(fact<stage::host> c) {
  auto& notes = c->ticket.notes();
  notes.unaudited = false;
  notes.method = audit::token_endpoint;
  const auto& request = c->request();
  const auto twice = std::ranges::count_if(request.headers(), [](const http::header& h) {
    return http::same_name(h.name, "authorization");
  });
  if (twice > 1)
    return exit_stage::refuse({std::move(c),
                               {reason::bad_request, "more than one Authorization header", {}, -1},
                               "Cache-Control: no-store\r\n"},
                              unit_.desk);
  if (request.body_follows) {
    // Nobody has shown anything yet, and no assertion is as long.
    const auto announced = http::announced_body(*request.head);
    if (!announced || *announced > limits::body_unjudged)
      return exit_stage::refuse({std::move(c),
                                 {reason::body_too_large,
                                  "the body is longer than 64 KiB, or its length unknown",
                                  {},
                                  -1},
                                 "Cache-Control: no-store\r\n"},
                                unit_.desk);
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
  exit_stage::serve(*c, {m.status, "application/json", m.headers, false}, m.body,
                    {m.outcome, m.error, m.rejection});
}

}  // namespace gate::routing
