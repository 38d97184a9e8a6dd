#include "actors/pipeline/one_way.hpp"

#include <utility>

#include "actors/pipeline/stage9_audit.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/json/scan.hpp"
#include "transport/batch.hpp"

namespace gate::pipeline {
namespace {

ending unasked() {
  return {audit::outcome::error, "nobody asked", {}};
}

ending end_of_reply(const call& c) {
  if (c.message.error.empty()) return {};
  return {audit::outcome::error, "the client answered with an error", {}};
}

/// The client does not get the stream that it has come back for.
template <class Held>
refused refuse_stream(Held c, stream_end why) {
  switch (why) {
    case stream_end::over:
      return refuse_by(std::move(c), mcp::broken(mcp::http_rule::stream_unfinished));
    case stream_end::unsaid:
      return refuse(std::move(c), reason::overloaded,
                    "Last-Event-ID: that stream is not known here, and other instances did not "
                    "answer in time",
                    std::string(http::retry_soon));
    case stream_end::unknown:
      break;
  }
  return refuse_by(std::move(c), mcp::broken(mcp::http_rule::event_known));
}

}  // namespace

std::optional<refused> open_stream(fact<stage::guard>& c, desk& d) {
  const auto last = c->request().header("last-event-id");
  using resumed = stream_desk::resumed;
  auto how = resumed::yes;
  if (last.empty())
    d.streams.listen(c->session, c->from);
  else
    how = d.streams.resume(c->session, last, c->from);
  using search = session_desk::search;
  const auto found = how == resumed::unknown ? d.streams.seek(c) : search::vain;
  if (found == search::waits) return {};
  if (found == search::busy) return refuse_stream(std::move(c), stream_end::unsaid);
  if (how != resumed::yes)
    return refuse_stream(std::move(c),
                         how == resumed::over ? stream_end::over : stream_end::unknown);
  c->ticket.notes().name = "GET";
  exit_stage::close(*c);  // when it ends is no event
  return {};
}

void end_seeking(call_ptr c, stream_end why, desk& d) {
  exit_stage::refuse(refuse_stream(std::move(c), why), d);
}

exchange_ptr begin_following(call_ptr c) {
  c->ticket.notes().name = "GET";
  exit_stage::open(*c, {}, {});  // as above
  return c->from;
}

bool cancelled_by_client(call& c, desk& d) {
  if (c.from->alive()) return false;
  d.exit.forget(c);
  exit_stage::cancel(c, "cancelled by the client", d);
  return true;
}

std::optional<refused> begin_listening(fact<stage::guard>& c, const federation_abilities& can,
                                       desk& d) {
  if (cancelled_by_client(*c, d)) return {};
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

void end_session(fact<stage::guard> c, desk& d) {
  c->ticket.notes().name = "DELETE";
  if (!d.sessions.end_by(c)) exit_stage::acknowledge(*c, 204);
}

void end_farewell(call_ptr c, bool known, desk& d) {
  if (known) return exit_stage::acknowledge(*c, 204);
  exit_stage::refuse({std::move(c),
                      {reason::overloaded,
                       "the session has ended here, but the shared store could not be told yet",
                       {},
                       -1},
                      std::string(http::retry_soon)},
                     d);
}

void pass_notification(fact<stage::guard> c, desk& d) {
  // (Clients without a session have nothing to tell: whatever it is, it is taken and let be.)
  const auto name = c->method && c->session ? c->method->name : std::string_view{};
  const auto& m = c->message;
  bool known = true;
  if (name == mcp::names::cancelled)
    known = d.sessions.cancel(*c->session, m.request_id, json::member(m.params, "reason"));
  else if (name == mcp::names::roots_changed)
    d.sessions.tell_upstreams(*c->session, name);
  else if (name == mcp::names::progress)
    known = d.requests.pass_progress(*c->session, m);
  // What is not known here has ended, or never was; or it is another instance's.
  if (known || !d.sessions.hand_over(c)) exit_stage::acknowledge(*c, 202);
}

void pass_reply(fact<stage::guard> c, desk& d) {
  const auto to = d.requests.answer(*c->session, c->message, c->from);
  auto& notes = c->ticket.notes();
  notes.method = to ? to->method : audit::response;
  notes.uncounted = true;
  notes.unaudited = notes.method == mcp::names::ping;
  if (to && to->upstream) {
    notes.upstream = to->upstream->id;
    notes.owner = to->upstream->owner ? &*to->upstream->owner : nullptr;
  }
  if (to) return exit_stage::acknowledge(*c, 202, end_of_reply(*c));
  if (!d.sessions.hand_over(c)) exit_stage::acknowledge(*c, 202, unasked());
}

void end_handed(call_ptr c, handing how, desk& d) {
  const bool reply = c->route == route::reply;
  const bool lost = how == handing::lost || (how == handing::gone && reply);
  if (lost && !c->of_a_batch)
    return exit_stage::refuse({std::move(c),
                               {reason::overloaded,
                                "what this is about is not here, and the instance that has it "
                                "could not be told",
                                {},
                                -1},
                               std::string(http::retry_soon)},
                              d);
  ending e;
  if (lost) e = {audit::outcome::error, "no other instance could be told", {}};
  if (how == handing::nobody && reply) e = unasked();
  if (how == handing::taken && reply) e = end_of_reply(*c);
  exit_stage::acknowledge(*c, 202, std::move(e));
}

void take_apart(call& c, desk& d) {
  exit_stage::leave_to_elements(c);
  // The batch has been counted once: as its first element.
  bool metered = true;
  for (auto& part : make_batch(c.from, c.elements))
    d.exit.take_in_element(std::move(part), std::exchange(metered, false));
}

}  // namespace gate::pipeline
