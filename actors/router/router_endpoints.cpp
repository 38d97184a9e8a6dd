// ROUTER: the endpoints beside MCP. They stand behind stage 1, and leave by stage 9.
#include <algorithm>

#include "actors/router/router.hpp"
#include "protocol/oauth/metadata.hpp"

namespace gate {

using namespace pipeline;

namespace {

bool is_of_tokens(const ops::endpoint_row& e) {
  return e.what == ops::endpoint::token || e.what == ops::endpoint::authorization;
}

}  // namespace

void router::serve_endpoint(fact<stage::host> c) {
  const auto path = c->request().path();
  const auto refuse = [&](reason why, std::string message, std::string headers = {}) {
    exit_stage::refuse({std::move(c), {why, std::move(message), {}, -1}, std::move(headers)},
                       *this);
  };
  // What is not MCP leaves no audit event unless it was refused by stage 1.
  c->ticket.notes().unaudited = true;
  const auto* e = ops::find_endpoint(path);
  const auto* text = published(path);
  const bool mints = e && e->what == ops::endpoint::token;
  if (!text && (!e || (is_of_tokens(*e) && !parts_.authority->ema)))
    return refuse(reason::not_found,
                  "no such endpoint: MCP is at " + snapshot_->doc.server.mcp_path);
  const auto allowed = mints ? verb::post : verb::get;
  if (c->request().method() != allowed)
    return refuse(reason::method_not_allowed, mints ? "use POST" : "use GET",
                  mints ? "Allow: POST\r\n" : "Allow: GET\r\n");
  if (mints) return redeem_assertion(std::move(c));
  if (e && e->what == ops::endpoint::health) return serve_health(std::move(c));
  if (e && e->what == ops::endpoint::authorization) {
    exit_stage::serve(
        *c, {400, "application/json", {}, false},
        oauth::error_body("unsupported_response_type", "tokens are given for assertions only"));
  } else if (text) {
    exit_stage::serve(*c, {200, "application/json", {}, false}, *text);
  } else {
    const auto exposed = parts_.metrics->exposed(now());
    exit_stage::serve(*c, {200, "text/plain; version=0.0.4; charset=utf-8", {}, false}, *exposed);
  }
}

/// What the gateway says of itself to clients that look for a token; null: nothing there.
const std::string* router::published(std::string_view path) const {
  const auto& p = parts_.authority->published;
  if (std::ranges::find(p.resource_metadata_paths, path) != p.resource_metadata_paths.end())
    return &p.resource_metadata;
  if (path == oauth::server_metadata_path && !p.server_metadata.empty()) return &p.server_metadata;
  if (path == oauth::key_set_path && !p.key_set.empty()) return &p.key_set;
  return nullptr;
}

void router::serve_health(fact<stage::host> call) {
  // The call waits in the table while HEALTH works: an exchange must not be lost if HEALTH dies.
  const auto number = put_aside(std::move(call), partner::health);
  request(parts_.health, caf::infinite, ask_health{})
      .then(
          [this, number](const health_report& r) {
            auto c = end_call(number);
            if (!c) return;
            exit_stage::serve(
                *c,
                {r.serving ? 200 : 503, "application/json", "Cache-Control: no-store\r\n", false},
                *r.body);
          },
          [this, number](const caf::error&) { do_without<partner::health>(number); });
}

}  // namespace gate
