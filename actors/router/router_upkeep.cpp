// ROUTER: what happens with time, the endpoints beside MCP, and the end.
#include "actors/router/router.hpp"
#include "protocol/limits.hpp"
#include "protocol/sse/writer.hpp"

namespace gate {

using namespace pipeline;

void router::on_tick() {
  const auto t = now();
  sweep_sessions(t);
  keep_streams_alive(t);
  give_up_on_clients(t);
  end_surveys(t);
  delayed_send(this, tick_interval, router_tick{});
}

void router::sweep_sessions(time_point t) {
  // A look at every session costs; a fraction of the timeout is fine enough.
  using std::chrono::seconds;
  const auto idle = snapshot_->doc.server.session_idle_timeout;
  if (t < next_sweep_) return;
  next_sweep_ =
      t + std::clamp<std::chrono::steady_clock::duration>(idle / 8, seconds{1}, seconds{30});
  for (auto& s : sessions_.expire(t - idle, t)) {
    own_lists_.erase(s->key);
    for (auto& u : upstreams_)
      if (u) send(u, client_ended{s->key});
    session_count_.add(-1);
  }
  sweep_profiles(t);
}

/// Lists and root sessions for a kind of clients end some time after the last of these.
void router::sweep_profiles(time_point t) {
  const auto used = sessions_.profiles();
  for (std::size_t as = 1; as < used.size(); ++as)
    if (used[as]) profiles_[static_cast<mcp::capability_profile>(as)] = t;
  for (auto it = profiles_.begin(); it != profiles_.end();) {
    if (t - it->second < limits::bridged_idle) {
      ++it;
      continue;
    }
    for (auto& u : upstreams_)
      if (u) send(u, release_root{it->first});
    lists_.erase(it->first);
    it = profiles_.erase(it);
  }
}

/// Proxies cut streams that are silent for long. A call that takes longer than a moment becomes a
/// stream, so that its client sees that somebody is there, and can come back for the answer.
void router::keep_streams_alive(time_point t) {
  using std::chrono::milliseconds;
  const auto every = snapshot_->doc.server.keep_alive;
  sessions_.for_each_stream([&](sessions::client_session& s) {
    send_notices(s);
    if (t - s.stream_written < every) return;
    s.stream_written = t;
    s.stream->send(sse::keep_alive);
  });
  calls_.for_each([&](call& c) {
    if (c.course == course::undecided || c.course == course::local) return;  // /health: no stream
    give_up_on_questions(c, t);
    const auto silence = c.streaming ? every : std::min<milliseconds>(every, limits::plain_answer);
    if (t - c.last_write < silence || !c.attached || !c.from->alive()) return;
    begin_stream(c);
    c.last_write = t;
    c.from->send(sse::keep_alive);
  });
}

void router::refuse_all() {
  std::vector<std::uint64_t> all;
  calls_.for_each([&](const call& c) { all.push_back(c.number); });
  for (auto number : all)
    exit_stage::refuse({take_call(number),
                        {reason::overloaded, "the gateway is stopping", {}, -1},
                        "Retry-After: 5\r\n"},
                       *this);
}

// --- endpoints beside MCP -----------------------------------------------------------------------

void router::serve_endpoint(fact<stage::host> hosted) {
  auto c = std::move(hosted).take();
  const auto path = c->request().path();
  const auto* e = ops::find_endpoint(path);
  auto refuse = [&](reason why, std::string message, std::string headers = {}) {
    exit_stage::refuse({std::move(c), {why, std::move(message), {}, -1}, std::move(headers)},
                       *this);
  };
  // What is not MCP leaves no audit event unless it was refused by stage 1.
  c->ticket.notes().unaudited = true;
  if (!e) return refuse(reason::not_found, "no such endpoint");
  if (c->request().method != verb::get)
    return refuse(reason::method_not_allowed, "use GET", "Allow: GET\r\n");
  if (e->what == ops::endpoint::health) return serve_health(std::move(c));
  const auto text = parts_.metrics->expose();
  c->from->respond({200, "text/plain; version=0.0.4; charset=utf-8", {}, false}, {text});
  c->ticket.spend({});
}

void router::serve_health(call_ptr call) {
  // The call waits in the table while HEALTH works: an exchange must not be lost if HEALTH dies.
  auto number = calls_.add(std::move(call));
  calls_.find(number)->number = number;
  request(parts_.health, caf::infinite, ask_health{})
      .then(
          [this, number](const health_report& r) {
            auto c = take_call(number);
            if (!c) return;
            c->from->respond(
                {r.serving ? 200 : 503, "application/json", "Cache-Control: no-store\r\n", false},
                {*r.body});
            c->ticket.spend({});
          },
          [this, number](const caf::error&) {
            auto c = take_call(number);
            if (!c) return;
            exit_stage::refuse({std::move(c),
                                {reason::overloaded, "the health check is restarting", {}, -1},
                                "Retry-After: 1\r\n"},
                               *this);
          });
}

}  // namespace gate
