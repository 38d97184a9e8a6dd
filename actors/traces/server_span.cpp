#include "actors/traces/server_span.hpp"

#include <utility>

#include "protocol/trace/context.hpp"

namespace gate::traces {

client_span_ptr server_span::ask(std::string_view id, std::string_view method) const {
  return std::make_shared<client_span>(by, self, state, std::string(id), method);
}

std::shared_ptr<const std::string> server_span::lines(const client_span& of) const {
  return std::make_shared<const std::string>(
      trace::header_lines({trace::traceparent(of.self()), state, baggage, {}}));
}

void server_span::answered(const client_end& how, const credential_wait* credential) {
  if (const auto open = std::exchange(upstream, nullptr)) open->end(how, credential);
}

void server_span::end(const audit::event& event, std::string_view name, const trace::failure& why) {
  answered({"error", {0, false, "cancelled"}}, nullptr);
  const trace::place at{self,       parent, trace::is_id(parent), state, event.time - event.latency,
                        event.time, links};
  by->add([&](std::string& out) {
    trace::append_server_span(
        out, at, {event, name, request_id, session, version, why, by->records_principal()});
  });
}

}  // namespace gate::traces
