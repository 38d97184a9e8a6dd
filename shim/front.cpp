#include "shim/front.hpp"

#include <utility>

#include "protocol/http/ascii.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::shim {
namespace {

using course = verdict::course;

constexpr std::string_view mcp_methods = "Allow: GET, POST, DELETE\r\n";

verdict no(reason why, std::string message, std::string_view headers = {}) {
  return {course::refuse, why, std::move(message), std::string(headers)};
}

bool admits_origin(const http_request& r, const front_rules& rules, std::string_view origin) {
  if (!rules.any_host) return rules.hosts.origin(origin);
  for (const std::string_view scheme : {"http://", "https://"})
    if (http::same_text(origin.substr(0, scheme.size()), scheme))
      return http::same_text(origin.substr(scheme.size()), r.header("host"));
  return false;
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
  constexpr std::string_view scheme = "Bearer ";
  bool good = false, seen = false;
  for (const auto& h : r.headers()) {
    if (!http::same_name(h.name, "authorization")) continue;
    // Whoever reads the other one of two sees somebody else.
    if (std::exchange(seen, true)) return false;
    good = http::same_text(h.value.substr(0, scheme.size()), scheme) &&
           same_secret(http::trim(h.value.substr(scheme.size())), token);
  }
  return good;
}

verdict judge_post(const http_request& r) {
  if (!r.head->sends_json)
    return no(reason::unsupported_media_type, "Content-Type must be application/json");
  if (!r.head->accepts_json || !r.head->accepts_events)
    return no(reason::not_acceptable, "Accept must admit application/json and text/event-stream");
  if (r.body_follows) return {course::body};
  if (!r.head->session_id.empty()) return {course::session};
  if (!jsonrpc::is_batch(r.body)) {
    const auto m = jsonrpc::read(r.body, {limits::json_depth, true});
    if (!m)
      return no(
          m.error().code == jsonrpc::parse_error ? reason::parse_error : reason::invalid_request,
          m.error().what);
    if (m->kind == jsonrpc::kind::request && m->method == "initialize") {
      const auto version = r.head->version_named;
      if (!version.empty() && !mcp::is_session_version(version))
        return no(reason::unsupported_version, "unsupported MCP-Protocol-Version");
      return {course::open};
    }
  }
  return no(reason::session_required,
            "Mcp-Session-Id header is required: only initialize begins a session");
}

verdict judge_mcp(const http_request& r, const front_rules& rules) {
  if (!rules.token.empty() && !presents(r, rules.token))
    return no(reason::unauthenticated, "a token is required: Authorization: Bearer <token>",
              "WWW-Authenticate: Bearer\r\n");
  if (const auto name = r.head->contradiction; !name.empty())
    return no(reason::bad_request, "two different values of " + std::string(name));
  const bool named = !r.head->session_id.empty();
  switch (r.method()) {
    case verb::post:
      return judge_post(r);
    case verb::get:
      if (!named)
        return no(reason::session_required,
                  "GET opens the stream of a session: Mcp-Session-Id header is required");
      if (!r.head->accepts_events)
        return no(reason::not_acceptable, "Accept must admit text/event-stream");
      return {r.body_follows ? course::body : course::session};
    case verb::del:
      if (!named) return no(reason::session_required, "Mcp-Session-Id header is required");
      return {r.body_follows ? course::body : course::session};
    case verb::options:
      break;
  }
  return no(reason::method_not_allowed, "use POST, GET or DELETE", mcp_methods);
}

}  // namespace

verdict judge(const http_request& r, const front_rules& rules) {
  if (r.flaw != http::defect::none && r.flaw != http::defect::body_too_large &&
      r.flaw != http::defect::crowded)
    return no(r.flaw == http::defect::timeout ? reason::timeout : reason::bad_request,
              std::string(http::describe(r.flaw)));
  if (!rules.any_host && !rules.hosts.host(r.header("host")))
    return no(reason::forbidden_host, "this Host is not served here");
  for (const auto& h : r.headers())
    if (http::same_name(h.name, "origin") && !admits_origin(r, rules, h.value))
      return no(reason::forbidden_origin, "requests from this Origin are not served");
  if (r.flaw == http::defect::body_too_large)
    return no(reason::body_too_large, "the request body exceeds --max-body-bytes");
  if (r.flaw == http::defect::crowded)
    return no(reason::overloaded, std::string(http::describe(r.flaw)), "Retry-After: 1\r\n");
  const auto path = r.path();
  if (path == mcp_path) return judge_mcp(r, rules);
  const bool health = path == "/health";
  if (!health && path != "/metrics") return no(reason::not_found, "no such endpoint");
  if (r.method() != verb::get) return no(reason::method_not_allowed, "use GET", "Allow: GET\r\n");
  return {health ? course::health : course::metrics};
}

std::string refusal_message(reason why, std::string_view message, std::string_view raw_id) {
  return jsonrpc::error_message(raw_id, row(why).session_code, message,
                                refusal_data({why, std::string(message), {}, -1}));
}

void refuse(exchange& to, reason why, std::string_view message, std::string_view headers,
            std::string_view raw_id) {
  std::string body;
  if (to.request().path() == mcp_path) {
    body = refusal_message(why, message, raw_id);
  } else {
    body = R"({"error":)";
    json::append_quoted(body, message);
    body += '}';
  }
  // A request that broke the framing leaves nothing to go on with.
  const bool close = to.request().flaw != http::defect::none;
  to.respond({row(why).http_status, "application/json", headers, close}, {body});
}

}  // namespace gate::shim
