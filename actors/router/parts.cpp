#include "actors/router/parts.hpp"

#include "actors/router/chain.hpp"
#include "protocol/http/response_lines.hpp"
#include "protocol/limits.hpp"

namespace gate::routing {

using namespace pipeline;

parts::parts(const settings& s, upstream_door& upstreams, partner_door& partners, time_door& time,
             audit_door::audience told, snapshot_ptr snapshot)
    : door_(*s.metrics, std::move(told), s.wall, [&time] { return time.now(); }),
      unit_{s.unit_number,       upstreams, partners, time, desk_,
            std::move(snapshot), {},        {},       {},   s.task_units},
      entry(unit_, streams, beside, s.authority, s.wall, *s.metrics),
      beside(unit_, s.authority, entry.keeper(), s.wall),
      sessions(unit_, entry.keeper(), shelf, news, subscriptions, listening, s.random,
               s.metrics->get(metric::sessions, {to_string(session_kind::client)})),
      streams(unit_, sessions, requests, shelf),
      suspensions(unit_, s.random, s.state_key),
      requests(unit_, streams, suspensions),
      subscriptions(unit_, streams, listening, met),
      listening(unit_, streams, sessions, subscriptions),
      met(unit_, sessions, shelf, missing),
      tasks(unit_, suspensions),
      shelf(unit_, news, s.own_list_bytes),
      news(unit_, shelf, lists, streams),
      lists(unit_, shelf, news, entry.keeper(), s.cursor_key, {*s.metrics, metric::list_cache}),
      missing(unit_, shelf, lists, news),
      calls(unit_, streams, subscriptions, met, tasks, lists, suspensions),
      upkeep_{departures(unit_), unit_gauges(unit_, *s.metrics)},
      desk_{entry, sessions, met,   streams, requests,           suspensions,
            lists, tasks,    calls, *this,   beside.of_viewers()} {
  if (s.tracing)
    desk_.tracer = std::make_shared<traces::tracer>(traces::tracer_parts{
        s.tracing->sample_ratio, s.tracing->record_principal, s.random, s.wall,
        [&time] { return time.now(); },
        s.metrics->get(metric::trace_dropped, {to_string(trace_loss::failed)})});
  if (!s.fleet) return;
  fleet = std::make_unique<of_a_fleet>(*this, s);
  unit_.fleet = &fleet->sessions;
  unit_.handed = &fleet->calls;
  unit_.followed = &fleet->followed;
  unit_.lent = &fleet->lent;
}

parts::of_a_fleet::of_a_fleet(parts& all, const settings& s)
    : sessions(all.unit_, *s.fleet, s.random,
               fleet_peers{all.sessions, all.streams, all.requests, all.subscriptions},
               labelled<adoption>{*s.metrics, metric::sessions_adopted}),
      calls(all.unit_, sessions.line(), all.suspensions, all.calls),
      followed(all.unit_, sessions.line(), sessions.words()),
      lent(all.unit_, sessions.line(), all.streams) {}

void parts::of_a_fleet::tick(time_point t) {
  sessions.tick(t);
  calls.tick(t);
  followed.tick(t);
  lent.tick(t);
}

parts::~parts() = default;

void parts::start() {
  wake_in_a_moment();
}

void parts::wake_in_a_moment() {
  upkeep_.gauges.expect(unit_.now() + limits::sweep);
  unit_.time.wake(timer::upkeep, limits::sweep);
}

/// Upstreams that stay keep their number, and with it all that is said of them here. One that is
/// gone is asked no more, but by calls of older snapshots.
void parts::adopt(snapshot_ptr snapshot, std::size_t slots) {
  const auto before = std::exchange(unit_.snapshot, std::move(snapshot));
  met.resize(slots);
  unit_.calls.resize(slots);
  if (before == unit_.snapshot) return;  // the first, or after a restart
  for (const auto& u : before->upstreams) {
    if (unit_.snapshot->at(u.index)) continue;
    upkeep_.left.add(u.index);
    met.forget(u.index);
    tasks.forget(u.index);
    news.keep_of(u.index);
    suspensions.leave(u.index);
  }
  for (const auto& u : unit_.snapshot->upstreams)
    if (!before->at(u.index)) met.forget(u.index);
  lists.adopt(sessions.renew(*before));
  subscriptions.move(*before);
  met.open_waiting();
  upkeep_.left.tick();
}

void parts::on_timer(timer what) {
  switch (what) {
    case timer::upkeep:
      return tick();
    case timer::expiring:
      return sessions.end_expired();
    case timer::late_lists:
      return lists.on_timer();
    case timer::news:
      return news.on_timer();
    case timer::introductions:
      return met.on_timer();
    case timer::newcomers:
      return lists.on_newcomers_due();
    case timer::questions:
      return suspensions.on_timer();
    case timer::records:
      return fleet->sessions.on_timer();
    case timer::fleet_key:
      return fleet->sessions.looks().key_is_late();
  }
}

void parts::tick() {
  const auto t = unit_.now();
  upkeep_.gauges.measure(beside.of_viewers().streams());
  sessions.tick(t);
  streams.tick(t, entry.wall_now());
  suspensions.tick(t);
  tasks.tick(t);
  upkeep_.left.tick();
  subscriptions.renew();
  listening.tick(t);
  beside.of_viewers().tick(t, entry.wall_now());
  missing.tick(t);
  shelf.lighten();
  if (desk_.tracer) desk_.tracer->hand_on();
  if (fleet) fleet->tick(t);
  wake_in_a_moment();
}

void parts::on_client_gone(std::uint64_t exchange) {
  entry.bodies().give_up(exchange, "the client left before its body was read");
  streams.client_gone(exchange);
  beside.of_viewers().client_gone(exchange);
  if (fleet) fleet->followed.client_gone(exchange);
}

void parts::forget(call& c) {
  if (!c.session) return;
  requests.forget(c);
  suspensions.forget(c);
  if (fleet) fleet->calls.forget(c);
  unit_.sessions.touch(*c.session, unit_.now());
  streams.forget(c);
}

void parts::wind_down() {
  streams.wind_down();
  beside.of_viewers().wind_down();
  suspensions.wind_down();
  if (fleet) fleet->followed.wind_down();
}

void parts::refuse_all() {
  const auto refuse = [this](call_ptr c) {
    exit_stage::refuse({std::move(c),
                        {reason::overloaded, "the gateway is stopping", {}, -1},
                        std::string(http::retry_later)},
                       desk_);
  };
  for (auto& c : entry.bodies().end_all()) refuse(std::move(c));
  for (const auto number : unit_.calls.all()) refuse(unit_.calls.end(number));
  unit_.sessions.end_streams();
  beside.of_viewers().wind_down();
}

void parts::export_to(traces_handle to) {
  if (desk_.tracer) desk_.tracer->export_to(std::move(to));
}

void parts::clear() {
  sessions.uncount();
  beside.of_viewers().clear();
  upkeep_.gauges.clear();
  tasks.mintings().clear();
  suspensions.clear();
  // Before the calls, or these would say how they end.
  if (fleet) {
    fleet->lent.abandon();
    fleet->followed.abandon();
  }
  unit_.calls.clear();
  unit_.sessions.end_streams();
  shelf.clear();
  if (desk_.tracer) desk_.tracer->retire();
}

}  // namespace gate::routing
