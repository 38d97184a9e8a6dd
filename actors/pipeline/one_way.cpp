#include "actors/pipeline/one_way.hpp"

#include <utility>

#include "actors/pipeline/stage9_audit.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/json/scan.hpp"
#include "transport/batch.hpp"

namespace gate::pipeline {

std::optional<refused> open_stream(fact<stage::guard>& c, desk& d) {
  const auto last = c->request().header("last-event-id");
  using resumed = stream_desk::resumed;
  auto how = resumed::yes;
  if (last.empty())
    d.streams.listen(c->session, c->from);
  else
    how = d.streams.resume(c->session, last, c->from);
  if (how == resumed::unknown)
    return refuse_by(std::move(c), mcp::broken(mcp::http_rule::event_known));
  if (how == resumed::over)
    return refuse_by(std::move(c), mcp::broken(mcp::http_rule::stream_unfinished));
  c->ticket.notes().name = "GET";
  exit_stage::close(*c);  // when it ends is no event
  return {};
}

bool withdrawn(call& c, desk& d) {
  if (c.from->alive()) return false;
  d.exit.forget(c);
  exit_stage::withdraw(c, "cancelled by the client", d);
  return true;
}

std::optional<refused> begin_listening(fact<stage::guard>& c, const federation_abilities& can,
                                       desk& d) {
  if (withdrawn(*c, d)) return {};
  auto s = d.sessions.open(c->access(), c->from->peer());
  if (s && !c->session->place.held()) {  // there is no room for both
    d.sessions.end(s);
    s = nullptr;
  }
  if (!s)
    return refuse(std::move(c), reason::overloaded,
                  "too many streams: end some, or try again later", std::string(http::retry_later));
  auto& l = *c->listening;
  l.wanted.uris.clear();
  for (const auto& [uri, upstream] : l.owned) l.wanted.uris.push_back(uri);
  mcp::stateless::restrict_to(l.wanted, can.features);
  if (l.wanted.uris.empty()) l.owned.clear();
  s->version = c->session->version;
  s->lists_as = c->session->lists_as;
  s->subscriber =
      std::make_unique<sessions::client_session::listener>(sessions::client_session::listener{
          std::move(l.wanted), std::string(c->message.id), c->session});
  // What it wants to hear of it has, or a reload would not tell it of the difference.
  for (const auto& list : mcp::lists)
    if (mcp::stateless::wants(s->subscriber->honoured, list.change_notice))
      s->listed.set(static_cast<std::size_t>(list.kind));
  d.streams.listen(s, c->from);
  if (s->stream) d.sessions.subscribe(s, l.owned);
  d.exit.forget(*c);
  exit_stage::close(*c);  // when it ends is no event
  return {};
}

void end_session(call& c, desk& d) {
  d.sessions.end(c.session);
  c.ticket.notes().name = "DELETE";
  exit_stage::acknowledge(c, 204);
}

void pass_notification(call& c, desk& d) {
  // (Clients without a session have nothing to tell: whatever it is, it is taken and let be.)
  const auto name = c.method && c.session ? c.method->name : std::string_view{};
  if (name == mcp::names::cancelled)
    d.sessions.cancel(*c.session, c.message.request_id, json::member(c.message.params, "reason"));
  else if (name == mcp::names::roots_changed)
    d.sessions.tell_upstreams(*c.session, name);
  else if (name == mcp::names::progress)
    d.requests.pass_progress(*c.session, c.message);
  exit_stage::acknowledge(c, 202);
}

void pass_reply(call& c, desk& d) {
  const auto to = d.requests.answer(*c.session, c.message, c.from);
  auto& notes = c.ticket.notes();
  notes.method = to ? to->method : audit::response;
  notes.uncounted = true;
  notes.unaudited = notes.method == mcp::names::ping;
  if (to && to->upstream) {
    notes.upstream = to->upstream->id;
    notes.owner = to->upstream->owner ? &*to->upstream->owner : nullptr;
  }
  ending e;
  if (!to)
    e = {audit::outcome::error, "nobody asked", {}};
  else if (!c.message.error.empty())
    e = {audit::outcome::error, "the client answered with an error", {}};
  exit_stage::acknowledge(c, 202, std::move(e));
}

void take_apart(call& c, desk& d) {
  exit_stage::leave_to_elements(c);
  // The batch has been counted once: as its first element.
  bool metered = true;
  for (auto& part : make_batch(c.from, c.elements))
    d.exit.take_in_element(std::move(part), std::exchange(metered, false));
}

}  // namespace gate::pipeline
