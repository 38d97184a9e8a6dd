#pragma once
/// An open span of a client's request, as far as its audit event will not tell it. Part of the
/// journal of a call that is recorded; ended where that event is made.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/traces/client_span.hpp"
#include "actors/traces/tracer.hpp"

namespace gate::traces {

struct server_span {
  tracer_ptr by;
  trace::span_context self;
  trace::span_id parent{};  ///< its client's; zeros: the trace begins here
  std::string state;        ///< `tracestate`, as it came
  std::string baggage;      ///< the same
  std::string request_id;   ///< raw
  std::string session;      ///< a digest of its id; empty: it has none
  std::string_view version;
  std::vector<trace::span_context> links;
  client_span_ptr upstream;  ///< that works for it; null: none does at the moment
  bool suspends = false;     ///< its client is asked something by its result

  /// Of a request that is about to be sent.
  client_span_ptr ask(std::string_view id, std::string_view method) const;
  /// The header lines of that request.
  std::shared_ptr<const std::string> lines(const client_span& of) const;
  /// The upstream that works for it does no more.
  void answered(const client_end& how, const credential_wait* credential);
  /// The call has ended so; whatever is within it, too.
  void end(const audit::event& event, std::string_view name, const trace::failure& why);
};
using server_span_ptr = std::shared_ptr<server_span>;

}  // namespace gate::traces
