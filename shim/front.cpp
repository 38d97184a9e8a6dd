#include "shim/front.hpp"

#include <utility>

#include "protocol/endpoints.hpp"
#include "protocol/http/ascii.hpp"
#include "protocol/http/bearer.hpp"
#include "protocol/http/media.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/method_names.hpp"

namespace gate::shim {
namespace {

using route = verdict::route;

constexpr auto who = mcp::program::gate_stdio;

verdict no(mcp::http_refusal r) {
  return {route::refuse, std::move(r)};
}

/// In the same time wherever they differ; how long they are is no secret.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

bool presents(const http_request& r, std::string_view token) {
  const auto shown = http::read_bearer(r.headers());
  return !shown.twice && same_secret(http::trim(shown.token), token);
}

verdict judge_post(const http_request& r) {
  if (r.body_follows) return {route::body};
  if (!r.head->session_id.empty()) return {route::session};
  if (!jsonrpc::is_batch(r.body)) {
    const auto m = mcp::read_body(r.body);
    if (!m) return no(mcp::unreadable(m.error()));
    if (m->kind == jsonrpc::kind::request && m->method == mcp::names::initialize) {
      if (auto wrong = mcp::check_version(*r.head, who)) return no(std::move(*wrong));
      return {route::open};
    }
  }
  return no(mcp::broken(mcp::http_rule::session_opened));
}

verdict judge_mcp(const http_request& r, const front_rules& rules) {
  if (!rules.token.empty() && !presents(r, rules.token))
    return no({reason::unauthenticated, "a token is required: Authorization: Bearer <token>",
               "WWW-Authenticate: Bearer\r\n"});
  if (auto wrong = mcp::check_said_once(*r.head)) return no(std::move(*wrong));
  if (auto wrong = mcp::check_transport(*r.head, who)) return no(std::move(*wrong));
  if (r.method() == verb::post) return judge_post(r);
  return {r.body_follows ? route::body : route::session};
}

verdict judge_beside(const http_request& r) {
  const auto* e = find_endpoint(r.path());
  const bool ours = e && (e->id == endpoint::health || e->id == endpoint::metrics);
  if (!ours) return no(no_endpoint(mcp_path));
  if (!e->verbs.contains(r.method())) return no(wrong_verb(*e));
  return {e->id == endpoint::health ? route::health : route::metrics};
}

}  // namespace

verdict judge(const http_request& r, const front_rules& rules) {
  const auto* hosts = rules.any_host ? nullptr : &rules.hosts;
  if (auto wrong = mcp::check_arrival(*r.head, r.flaw, hosts, who)) return no(std::move(*wrong));
  return r.path() == mcp_path ? judge_mcp(r, rules) : judge_beside(r);
}

void refuse(exchange& to, const mcp::http_refusal& no, std::string_view raw_id) {
  const auto body = to.request().path() == mcp_path
                        ? mcp::refusal_message({no.why, no.message, {}, -1}, raw_id)
                        : mcp::plain_refusal(no.message);
  // A request that broke the framing leaves nothing to go on with.
  const bool close = to.request().flaw != http::defect::none;
  to.respond({row(no.why).http_status, http::json_type, no.headers, close}, {body});
}

void refuse(exchange& to, mcp::http_rule broken) {
  refuse(to, mcp::broken(broken, {}, who));
}

}  // namespace gate::shim
