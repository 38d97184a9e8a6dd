#include <array>

#include "actors/pipeline/batch.hpp"
#include "actors/pipeline/steps.hpp"
#include "protocol/http/media.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/names.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::pipeline {
namespace {

/// A routed call, or its end. Only the step itself can turn the call into the fact.
using result = std::variant<call_ptr, refused, settled>;

refused refuse(call_ptr c, reason why, std::string message, std::string headers = {}) {
  return {std::move(c), {why, std::move(message), {}, -1}, std::move(headers)};
}

constexpr std::string_view allowed_methods = "Allow: GET, POST, DELETE\r\n";

/// The session that the request names; null with `why` set if there is none.
sessions::session_ptr find_session(const http_request& request, desk& d, reason& why) {
  const auto id = request.header("mcp-session-id");
  if (id.empty()) {
    why = reason::session_required;
    return nullptr;
  }
  why = reason::session_unknown;
  return d.sessions().find(id, d.now());
}

std::string_view session_message(reason why) {
  return why == reason::session_required ? "Mcp-Session-Id header is required"
                                         : "session not found: initialize again";
}

/// MCP 2025-06-18 and later: an MCP-Protocol-Version header that names no revision we speak is 400.
bool version_is_bad(const http_request& request) {
  const auto version = request.header("mcp-protocol-version");
  return !version.empty() && !mcp::is_session_version(version);
}

// --- GET: the stream for messages of the server -------------------------------------------------

result open_stream(call_ptr c, desk& d) {
  const auto& request = c->request();
  if (request.header("mcp-session-id").empty())
    return refuse(std::move(c), reason::method_not_allowed,
                  "GET opens the stream of a session: send Mcp-Session-Id",
                  std::string(allowed_methods));
  if (!http::accepts(request.header("accept"), "text/event-stream"))
    return refuse(std::move(c), reason::not_acceptable, "Accept must admit text/event-stream");
  reason why{};
  auto session = find_session(request, d, why);
  if (!session) return refuse(std::move(c), why, std::string(session_message(why)));
  // A second stream takes the place of the first: after a network change the client knows better
  // than we do that the old one is dead.
  d.sessions().attach(session, c->from, d.now());
  c->from->open_stream("");
  // Proxies and clients see the stream open only when a byte of it arrives.
  c->from->send(":\n\n");
  // Not a terminal response: nothing to audit until somebody refuses it.
  c->ticket.notes().unaudited = true;
  c->ticket.spend({});
  return settled{};
}

// --- DELETE: the end of a session ---------------------------------------------------------------

result end_session(call_ptr c, desk& d) {
  reason why{};
  auto session = find_session(c->request(), d, why);
  if (!session) return refuse(std::move(c), why, std::string(session_message(why)));
  d.end_session(session);
  c->from->respond({204, {}, {}, false}, {});
  c->ticket.notes().name = "DELETE";
  c->ticket.spend({});
  return settled{};
}

// --- POST ---------------------------------------------------------------------------------------

/// The exposed name of a named invocation, its upstream, and the params without the prefix.
std::optional<refused> route_name(call_ptr& c) {
  const auto raw = c->message.name;
  auto bad = [&](reason why, std::string message) {
    return refuse(std::move(c), why, std::move(message));
  };
  if (raw.size() <= 2) return bad(reason::invalid_params, "params.name must be a string");
  if (raw.size() > limits::name_bytes)
    return bad(reason::invalid_params, "params.name is too long");
  const auto& snapshot = *c->snapshot;
  const auto params = c->message.params;
  const bool escaped = raw.find('\\') != raw.npos;
  std::string name;
  if (!escaped)
    name.assign(raw.substr(1, raw.size() - 2));
  else if (!json::unquote(raw, name))
    return bad(reason::invalid_params, "params.name is not a valid string");
  c->ticket.notes().name = name;
  auto& q = c->question;
  if (snapshot.passthrough) {
    c->upstream = &snapshot.upstreams.front();
    q.first = params;
    q.keep = c->from;
    c->ticket.notes().upstream = c->upstream->id;
    return {};
  }
  const auto split = mcp::split(name, snapshot.separator);
  if (split) c->upstream = snapshot.find_namespace(split->space);
  if (!c->upstream)
    return bad(reason::unknown_name,
               "unknown name \"" + name + "\": no upstream owns this namespace");
  c->ticket.notes().upstream = c->upstream->id;
  const auto before = static_cast<std::size_t>(raw.data() - params.data()) + 1;  // with its quote
  if (!escaped) {
    // Verbatim but for the prefix, which is skipped between the two pieces.
    q.first = params.substr(0, before);
    q.second = params.substr(before + (name.size() - split->bare.size()));
    q.keep = c->from;
    return {};
  }
  auto text = std::make_shared<std::string>(params.substr(0, before - 1));
  json::append_quoted(*text, split->bare);
  *text += params.substr(before - 1 + raw.size());
  q.first = *text;
  q.keep = text;
  return {};
}

result route_request(call_ptr c) {
  auto& session = c->session;
  if (session->find_call(c->message.id))
    return refuse(std::move(c), reason::invalid_request, "a request with this id is in flight");
  if (session->calls.size() >= limits::session_calls)
    return refuse(std::move(c), reason::overloaded, "too many requests in flight in this session",
                  "Retry-After: 1\r\n");
  if (!c->method || c->method->routing == mcp::routing::notice)
    return refuse(std::move(c), reason::method_unknown, "method not found");
  switch (c->method->routing) {
    case mcp::routing::fan_out:
      c->course = course::list;
      break;
    case mcp::routing::named:
      if (auto no = route_name(c)) return std::move(*no);
      c->course = course::upstream;
      c->question.client = session->key;
      c->question.method = c->method->name;
      break;
    default:
      c->course = course::local;
  }
  return result{std::move(c)};
}

result accept_notification(call_ptr c, desk& d) {
  if (c->method && c->method->name == "notifications/cancelled")
    d.cancel(*c->session, c->message.request_id, json::member(c->message.params, "reason"));
  c->from->respond({202, {}, {}, false}, {});
  c->ticket.spend({});
  return settled{};
}

/// Every element goes through all stages by itself, or a batch would be a way around them.
result split_batch(call_ptr c, desk& d) {
  const auto& request = c->request();
  reason why{};
  auto session = find_session(request, d, why);
  if (!session) return refuse(std::move(c), why, std::string(session_message(why)));
  if (session->version != mcp::batch_version)
    return refuse(std::move(c), reason::invalid_request,
                  "batches exist only in MCP " + std::string(mcp::batch_version));
  auto elements = jsonrpc::read_batch(request.body, {limits::json_depth, true});
  if (!elements) {
    const auto& e = elements.error();
    return refuse(std::move(c),
                  e.code == jsonrpc::parse_error ? reason::parse_error : reason::invalid_request,
                  e.what);
  }
  c->ticket.hand_to_elements();
  for (auto& part : make_batch(c->from, *elements)) d.admit(std::move(part));
  return settled{};
}

void note_method(call& c) {
  auto& notes = c.ticket.notes();
  c.method = mcp::find_method(c.message.method);
  if (c.method) {
    notes.method = c.method->name;
    notes.unaudited = c.method->unaudited;
  } else {
    notes.method = "other";
    notes.name = c.message.method;
  }
}

result route_post(call_ptr c, desk& d) {
  const auto& request = c->request();
  if (!http::is_media_type(request.header("content-type"), "application/json"))
    return refuse(std::move(c), reason::unsupported_media_type,
                  "Content-Type must be application/json");
  const auto accept = request.header("accept");
  if (!http::accepts(accept, "application/json") || !http::accepts(accept, "text/event-stream"))
    return refuse(std::move(c), reason::not_acceptable,
                  "Accept must admit application/json and text/event-stream");
  if (jsonrpc::is_batch(request.body)) {
    if (c->of_a_batch)
      return refuse(std::move(c), reason::invalid_request, "a batch must not contain a batch");
    return split_batch(std::move(c), d);
  }
  auto read = jsonrpc::read(request.body, {limits::json_depth, true});
  if (!read) {
    const auto e = read.error();
    c->message.id = e.id;
    return refuse(std::move(c),
                  e.code == jsonrpc::parse_error ? reason::parse_error : reason::invalid_request,
                  e.what);
  }
  c->message = *read;
  c->is_request = c->message.kind == jsonrpc::kind::request;
  const bool opens = c->is_request && c->message.method == "initialize";
  if (opens && request.header("mcp-session-id").empty()) {
    note_method(*c);
    c->course = course::local;
    return result{std::move(c)};
  }
  reason why{};
  c->session = find_session(request, d, why);
  if (!c->session) return refuse(std::move(c), why, std::string(session_message(why)));
  if (c->message.kind == jsonrpc::kind::response) {
    // Nothing has been asked of the client: upstreams are not offered any client capability.
    c->from->respond({202, {}, {}, false}, {});
    c->ticket.notes().unaudited = true;
    c->ticket.spend({});
    return settled{};
  }
  note_method(*c);
  if (opens)
    return refuse(std::move(c), reason::invalid_request, "this session is initialized already");
  if (!c->is_request) return accept_notification(std::move(c), d);
  return route_request(std::move(c));
}

result route(call_ptr c, desk& d) {
  if (version_is_bad(c->request()))
    return refuse(std::move(c), reason::unsupported_version,
                  "unsupported MCP-Protocol-Version: this gateway speaks 2024-11-05 to 2025-11-25");
  switch (c->request().method) {
    case verb::get:
      return open_stream(std::move(c), d);
    case verb::del:
      return end_session(std::move(c), d);
    case verb::options:
      return refuse(std::move(c), reason::method_not_allowed, "use POST, GET or DELETE",
                    std::string(allowed_methods));
    case verb::post:
      break;
  }
  return route_post(std::move(c), d);
}

}  // namespace

step_result<fact<stage::route>> route_step::run(fact<stage::rate_limit> call, desk& d) {
  auto r = route(std::move(call).take(), d);
  if (auto* routed = std::get_if<call_ptr>(&r)) return fact<stage::route>(std::move(*routed));
  if (auto* no = std::get_if<refused>(&r)) return std::move(*no);
  return settled{};
}

}  // namespace gate::pipeline
