#pragma once
/// What a request over streamable HTTP may be, and what its client is told if it is something else
/// (MCP 2025-11-25 /basic/transports, with 2024-11-05 to 2025-06-18). One row a rule; the gateway
/// and gate-stdio follow the same ones, in the order of the functions below. What names a setting
/// has two wordings: each program has settings of its own. Pure; the stages 1 and 4 of the pipeline
/// ask it, and the shim's front and sessions.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/http/allowlist.hpp"
#include "protocol/http/received_head.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/http/verbs.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/versions.hpp"
#include "protocol/refusals.hpp"

namespace gate::mcp {

/// Who serves MCP here.
enum class program : std::uint8_t { gate, gate_stdio };
/// Whose rule it is.
enum class followed_by : std::uint8_t { both, gate, gate_stdio };

enum class http_rule : std::uint8_t {
  // Of every request, whatever its path.
  sound,    ///< the strict gate found nothing wrong with the header
  in_time,  ///< the client was quick enough
  host,
  origin,
  body_size,
  room,  ///< for its body
  // Of the MCP path, by the header.
  one_authorization,
  said_once,
  version,          ///< one that is spoken here
  session_version,  ///< the same, or what the session has agreed on
  verb,
  stateless_verb,           ///< without a session there is nothing but requests
  stream_of_session,        ///< a GET without a session is a method that is not known
  stream_of_named_session,  ///< or it lacks a header
  sends_json,
  accepts_both,
  accepts_events,
  session_named,
  session_opened,  ///< by `initialize`, and by nothing else
  session_known,
  // Of the body.
  json,
  message,
  batch_version,
  flat_batch,
  // Of the session.
  initialized_once,
  id_unused,
  progress_token_unused,
  requests_in_flight,
  // Of a stream that a client comes back for.
  event_known,
  stream_unfinished,
};

struct http_rule_row {
  http_rule rule;
  followed_by who;
  gate::reason why;             ///< whoever breaks it is refused
  std::string_view sentence;    ///< what the client is told; details may follow
  std::string_view gate_stdio;  ///< in its own words; empty: in the same
  std::string_view headers;     ///< further lines of the answer
};

/// What the MCP path knows.
inline constexpr http::verbs transport_verbs{verb::get, verb::post, verb::del};
inline constexpr std::string_view allow_transport_verbs = "Allow: GET, POST, DELETE\r\n";

inline constexpr std::array http_rules{
    // clang-format off
    http_rule_row{http_rule::sound,                   followed_by::both,       reason::bad_request,            "", "", ""},
    http_rule_row{http_rule::in_time,                 followed_by::both,       reason::timeout,                "", "", ""},
    http_rule_row{http_rule::host,                    followed_by::both,       reason::forbidden_host,         "this Host is not on the allowlist (server.allowedHosts)", "this Host is not served here", ""},
    http_rule_row{http_rule::origin,                  followed_by::both,       reason::forbidden_origin,       "this Origin is not on the allowlist (server.allowedHosts)", "requests from this Origin are not served", ""},
    http_rule_row{http_rule::body_size,               followed_by::both,       reason::body_too_large,         "the request body exceeds server.maxBodyBytes", "the request body exceeds --max-body-bytes", ""},
    http_rule_row{http_rule::room,                    followed_by::both,       reason::overloaded,             "", "", http::retry_soon},
    http_rule_row{http_rule::one_authorization,       followed_by::gate,       reason::bad_request,            "more than one Authorization header", "", ""},
    http_rule_row{http_rule::said_once,               followed_by::both,       reason::bad_request,            "two different values of ", "", ""},
    http_rule_row{http_rule::version,                 followed_by::both,       reason::unsupported_version,    "unsupported MCP-Protocol-Version: this gateway speaks ", "unsupported MCP-Protocol-Version", ""},
    http_rule_row{http_rule::session_version,         followed_by::gate_stdio, reason::unsupported_version,    "unsupported MCP-Protocol-Version for this session", "", ""},
    http_rule_row{http_rule::verb,                    followed_by::both,       reason::method_not_allowed,     "use POST, GET or DELETE", "", allow_transport_verbs},
    http_rule_row{http_rule::stateless_verb,          followed_by::gate,       reason::method_not_allowed,     "use POST: this revision has no sessions", "", "Allow: POST\r\n"},
    http_rule_row{http_rule::stream_of_session,       followed_by::gate,       reason::method_not_allowed,     "GET opens the stream of a session: send Mcp-Session-Id", "", allow_transport_verbs},
    http_rule_row{http_rule::stream_of_named_session, followed_by::gate_stdio, reason::session_required,       "GET opens the stream of a session: Mcp-Session-Id header is required", "", ""},
    http_rule_row{http_rule::sends_json,              followed_by::both,       reason::unsupported_media_type, "Content-Type must be application/json", "", ""},
    http_rule_row{http_rule::accepts_both,            followed_by::both,       reason::not_acceptable,         "Accept must admit application/json and text/event-stream", "", ""},
    http_rule_row{http_rule::accepts_events,          followed_by::both,       reason::not_acceptable,         "Accept must admit text/event-stream", "", ""},
    http_rule_row{http_rule::session_named,           followed_by::both,       reason::session_required,       "Mcp-Session-Id header is required", "", ""},
    http_rule_row{http_rule::session_opened,          followed_by::gate_stdio, reason::session_required,       "Mcp-Session-Id header is required: only initialize begins a session", "", ""},
    http_rule_row{http_rule::session_known,           followed_by::both,       reason::session_unknown,        "session not found: initialize again", "", ""},
    http_rule_row{http_rule::json,                    followed_by::both,       reason::parse_error,            "", "", ""},
    http_rule_row{http_rule::message,                 followed_by::both,       reason::invalid_request,        "", "", ""},
    http_rule_row{http_rule::batch_version,           followed_by::both,       reason::invalid_request,        "batches exist only in MCP ", "", ""},
    http_rule_row{http_rule::flat_batch,              followed_by::both,       reason::invalid_request,        "a batch must not contain a batch", "", ""},
    http_rule_row{http_rule::initialized_once,        followed_by::both,       reason::invalid_request,        "this session is initialized already", "", ""},
    http_rule_row{http_rule::id_unused,               followed_by::both,       reason::invalid_request,        "a request with this id is in flight", "", ""},
    http_rule_row{http_rule::progress_token_unused,   followed_by::gate_stdio, reason::invalid_request,        "a request with this progressToken is in flight", "", ""},
    http_rule_row{http_rule::requests_in_flight,      followed_by::both,       reason::overloaded,             "too many requests in flight in this session", "", http::retry_soon},
    http_rule_row{http_rule::event_known,             followed_by::both,       reason::bad_request,            "Last-Event-ID: that stream is not known (any more) and can not be resumed", "", ""},
    // Official clients ask again after an error, and for ever if they get an empty stream; this they
    // take for "nothing more".
    http_rule_row{http_rule::stream_unfinished,       followed_by::both,       reason::method_not_allowed,     "Last-Event-ID: that stream has ended, and this was its last event", "", allow_transport_verbs},
    // clang-format on
};

constexpr const http_rule_row& row(http_rule r) {
  return http_rules[static_cast<std::size_t>(r)];
}
static_assert([] {
  for (std::size_t i = 0; i < http_rules.size(); ++i)
    if (http_rules[i].rule != static_cast<http_rule>(i)) return false;
  return http_rules.size() == static_cast<std::size_t>(http_rule::stream_unfinished) + 1;
}());

/// A request that broke a rule: what its client is told.
struct http_refusal {
  gate::reason why;
  std::string message;
  std::string headers{};  ///< further lines of the answer, each ending in CRLF
};

/// `detail` follows the rule's sentence.
http_refusal broken(http_rule rule, std::string_view detail = {}, program who = program::gate);

// --- every request, whatever its path ------------------------------------------------------------

/// What the strict gate found wrong: the request is refused, and its connection closes.
http_refusal flawed(http::defect flaw, program who);
/// Is it the header that is flawed? Then there may be no Host to check.
bool is_of_header(http::defect flaw);

/// The header is whole; then Host and Origin; then whatever else was found wrong. `hosts` null: any
/// Host may be named, for the listener can be reached under names that we do not know, and an
/// Origin must be that same host.
std::optional<http_refusal> check_arrival(const http::received_head& head, http::defect flaw,
                                          const http::allowlist* hosts, program who);

// --- the MCP path, by the header -----------------------------------------------------------------

/// No header says two things.
std::optional<http_refusal> check_said_once(const http::received_head& head);
/// A revision that is named (since MCP 2025-06-18) is one that is spoken here.
std::optional<http_refusal> check_version(const http::received_head& head, program who);
/// The same within a session that has agreed on `version`, whether we know that one or not.
std::optional<http_refusal> check_version_of(std::string_view version,
                                             const http::received_head& head);
/// Method, media types, and the session that GET and DELETE need. (POST opens one, or needs one:
/// that is told by its body.)
std::optional<http_refusal> check_transport(const http::received_head& head, program who);

/// The same of a request whose header names a revision of the generation without sessions: it is a
/// POST, of JSON. What it accepts is not looked at, for the revision does not say what to answer.
std::optional<http_refusal> check_stateless_transport(const http::received_head& head);

/// A request of that generation which names a revision that is not spoken here: it is told which
/// are (MCP 2026-07-28, -32022). `raw_requested`: JSON, what it named.
refusal unsupported_era(std::string_view raw_requested);

// --- the body ------------------------------------------------------------------------------------

/// How deep and in which encoding clients may write.
inline constexpr json::limits body_limits{limits::json_depth, true};
using body_message = boost::system::result<jsonrpc::message, jsonrpc::reading_error>;
inline body_message read_body(std::string_view body) {
  return jsonrpc::read(body, body_limits);
}
/// Whose body could not be read.
http_refusal unreadable(const jsonrpc::reading_error& e);
/// The elements of a batch, in a session of this revision.
struct batch_elements {
  std::vector<std::string_view> all;
  std::optional<http_refusal> refused;
};
batch_elements read_batch(std::string_view body, std::string_view session_version);

// --- answers -------------------------------------------------------------------------------------

/// `Mcp-Session-Id: …` CRLF.
std::string session_line(std::string_view id);
/// A refusal as a JSON-RPC error: a body on the MCP path, or a stream's last event. `raw_id` may be
/// empty. Its code is that of the client's generation.
std::string refusal_message(const refusal& r, std::string_view raw_id, era of = era::session);
/// `{"error":"…"}`: a refusal beside MCP.
std::string plain_refusal(std::string_view message);

}  // namespace gate::mcp
