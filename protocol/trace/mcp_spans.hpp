#pragma once
/// The spans of an MCP gateway: what each says, under the names of the requirements and, beside
/// them, those of the OpenTelemetry conventions for MCP. Each is appended as it is exported
/// (protocol/trace/span.hpp). Pure; ids and times are parameters.
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "protocol/audit/event.hpp"
#include "protocol/trace/span.hpp"

namespace gate::trace {

/// Which spans these are, and when.
struct place {
  span_context self;
  span_id parent{};
  bool remote_parent = false;
  std::string_view state;
  wall_time began, ended;
  std::span<const span_context> links;
};

/// Why a request has no result, as conventions say it.
struct failure {
  int code = 0;              ///< of the JSON-RPC error that was answered; 0: none
  bool of_the_tool = false;  ///< there is a result, which says `isError`
  std::string_view word{};   ///< there is no answer: why, in few words that the program has
};

/// A request of a client, as its audit event tells it.
struct server_facts {
  const audit::event& event;
  std::string_view name;        ///< of the span: its method, or a word for all that are unknown
  std::string_view request_id;  ///< raw JSON
  std::string_view session;     ///< a digest of its id; empty: it has none
  std::string_view version;     ///< of the protocol
  failure why;
  bool tells_principal = true;
};
void append_server_span(std::string& out, const place& where, const server_facts& of);

/// What became of a request of an upstream, as its guards see it: `ok` (answered, be it by an
/// error), `rate_limited`, `circuit_open`, `budget_exhausted`, `error`.
struct client_facts {
  std::string_view upstream;  ///< its id
  std::string_view method;
  std::string_view outcome;
  failure why;
  bool suspended = false;  ///< its client is asked something, and comes back by another request
};
/// `upstream ID`
void append_client_span(std::string& out, const place& where, const client_facts& of);

/// `token ID`: a credential for this upstream was asked for.
void append_token_span(std::string& out, const place& where, std::string_view upstream, bool told);

}  // namespace gate::trace
