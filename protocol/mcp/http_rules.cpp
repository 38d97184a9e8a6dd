#include "protocol/mcp/http_rules.hpp"

#include <algorithm>

#include "protocol/http/ascii.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::mcp {
namespace {

bool is_same_host(const http::received_head& head, std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (http::same_text(origin.substr(0, scheme.size()), scheme))
      return http::same_text(origin.substr(scheme.size()), http::find(head.headers, "host"));
  return false;
}

bool admits_origins(const http::received_head& head, const http::allowlist* hosts) {
  return head.plain || std::ranges::all_of(head.headers, [&](const http::header& h) {
           if (!http::same_name(h.name, "origin")) return true;
           return hosts ? hosts->origin(h.value) : is_same_host(head, h.value);
         });
}

/// What a method asks of the header.
struct verb_row {
  verb method;
  bool of_session;
  bool sends_json;
  bool accepts_json;
  bool accepts_events;
};
constexpr std::array verb_rows{
    verb_row{verb::get, true, false, false, true},
    verb_row{verb::post, false, true, true, true},
    verb_row{verb::del, true, false, false, false},
};
static_assert(std::ranges::all_of(verb_rows, [](const verb_row& r) {
  return transport_verbs.contains(r.method);
}));

http_rule names_session(verb method, program who) {
  if (method != verb::get) return http_rule::session_named;
  return who == program::gate ? http_rule::stream_of_session : http_rule::stream_of_named_session;
}

}  // namespace

http_refusal broken(http_rule rule, std::string_view detail, program who) {
  const auto& r = row(rule);
  const bool own = who == program::gate_stdio && !r.gate_stdio.empty();
  std::string message(own ? r.gate_stdio : r.sentence);
  message += detail;
  return {r.why, std::move(message), std::string(r.headers)};
}

// --- every request, whatever its path ------------------------------------------------------------

http_refusal flawed(http::defect flaw, program who) {
  using enum http::defect;
  if (flaw == body_too_large) return broken(http_rule::body_size, {}, who);
  const auto rule = flaw == timeout   ? http_rule::in_time
                    : flaw == crowded ? http_rule::room
                                      : http_rule::sound;
  return broken(rule, http::describe(flaw), who);
}

bool is_of_header(http::defect flaw) {
  using enum http::defect;
  return flaw != none && flaw != body_too_large && flaw != crowded;
}

std::optional<http_refusal> check_arrival(const http::received_head& head, http::defect flaw,
                                          const http::allowlist* hosts, program who) {
  if (is_of_header(flaw)) return flawed(flaw, who);
  if (hosts && !hosts->host(http::find(head.headers, "host")))
    return broken(http_rule::host, {}, who);
  if (!admits_origins(head, hosts)) return broken(http_rule::origin, {}, who);
  if (flaw != http::defect::none) return flawed(flaw, who);
  return {};
}

// --- the MCP path, by the header -----------------------------------------------------------------

std::optional<http_refusal> check_said_once(const http::received_head& head) {
  if (head.contradiction.empty()) return {};
  return broken(http_rule::said_once, head.contradiction);
}

std::optional<http_refusal> check_version(const http::received_head& head, program who) {
  const auto named = head.version_named;
  if (named.empty() || is_session_version(named)) return {};
  std::string known;
  if (who == program::gate)
    known.append(session_versions.front()).append(" to ").append(session_versions.back());
  return broken(http_rule::version, known, who);
}

std::optional<http_refusal> check_version_of(std::string_view version,
                                             const http::received_head& head) {
  const auto named = head.version_named;
  if (named.empty() || named == version || is_session_version(named)) return {};
  return broken(http_rule::session_version);
}

std::optional<http_refusal> check_transport(const http::received_head& head, program who) {
  const auto asks = std::ranges::find(verb_rows, head.method, &verb_row::method);
  if (asks == verb_rows.end()) return broken(http_rule::verb);
  if (asks->of_session && head.session_id.empty()) return broken(names_session(head.method, who));
  if (asks->sends_json && !head.sends_json) return broken(http_rule::sends_json);
  if ((asks->accepts_json && !head.accepts_json) || (asks->accepts_events && !head.accepts_events))
    return broken(asks->accepts_json ? http_rule::accepts_both : http_rule::accepts_events);
  return {};
}

std::optional<http_refusal> check_stateless_transport(const http::received_head& head) {
  if (head.method != verb::post) return broken(http_rule::stateless_verb);
  if (!head.sends_json) return broken(http_rule::sends_json);
  return {};
}

refusal unsupported_era(std::string_view raw_requested) {
  refusal why{reason::unsupported_era, "unsupported protocol version", {}, -1};
  why.more = R"("supported":[)";
  for (const auto v : stateless_versions) {
    if (!why.more.ends_with('[')) why.more += ',';
    json::append_quoted(why.more, v);
  }
  why.more.append(R"(],"requested":)").append(raw_requested);
  return why;
}

// --- the body ------------------------------------------------------------------------------------

http_refusal unreadable(const jsonrpc::reading_error& e) {
  return broken(e.code == jsonrpc::parse_error ? http_rule::json : http_rule::message, e.what);
}

batch_elements read_batch(std::string_view body, std::string_view session_version) {
  if (session_version != batch_version)
    return {{}, broken(http_rule::batch_version, batch_version)};
  auto read = jsonrpc::read_batch(body, body_limits);
  if (!read) return {{}, unreadable(read.error())};
  return {std::move(*read), {}};
}

// --- answers -------------------------------------------------------------------------------------

std::string session_line(std::string_view id) {
  return "Mcp-Session-Id: " + std::string(id) + "\r\n";
}

std::string refusal_message(const refusal& r, std::string_view raw_id, era of) {
  return jsonrpc::error_message(raw_id, error_code(r.why, of), r.message, refusal_data(r));
}

std::string plain_refusal(std::string_view message) {
  std::string body = R"({"error":)";
  json::append_quoted(body, message);
  body += '}';
  return body;
}

}  // namespace gate::mcp
