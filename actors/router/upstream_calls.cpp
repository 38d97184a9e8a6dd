#include "actors/router/upstream_calls.hpp"

#include "actors/pipeline/pipeline.hpp"
#include "actors/router/client_streams.hpp"
#include "actors/router/fan_outs.hpp"
#include "actors/router/handed_calls.hpp"
#include "actors/router/introductions.hpp"
#include "actors/router/merged_lists.hpp"
#include "actors/router/shared_sessions.hpp"
#include "actors/router/subscription_upkeep.hpp"
#include "actors/router/suspended_calls.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/mcp/log_levels.hpp"

namespace gate::routing {

using namespace pipeline;

namespace {

/// Progress comes by the token of the attempt that began the work; each attempt has one of its own.
std::string with_own_token(const call& c, std::string_view text) {
  std::string out(text);
  if (!json::says(json::member(text, "method"), mcp::names::progress)) return out;
  const auto token = json::member(json::member(text, "params"), "progressToken");
  // Another instance has said it, which may be of another version.
  if (token.empty()) return out;
  return out.replace(static_cast<std::size_t>(token.data() - text.data()), token.size(), c.token);
}

/// Clients of the stateless generation hear of their request what they asked for, and nothing else.
bool is_wanted(const call& c, std::string_view text) {
  if (c.era == mcp::era::session) return true;
  const auto method = json::member(text, "method");
  if (json::says(method, mcp::names::progress)) return !c.continues || !c.token.empty();
  if (!json::says(method, mcp::names::message) || c.log_level.empty()) return false;
  return mcp::severity(json::member(json::member(text, "params"), "level")) >=
         mcp::severity(json::quoted(c.log_level));
}

}  // namespace

void upstream_calls::note_result(call& c) {
  subscriptions_.note_result(c);
}

/// What may become a task is told before its upstream can make one.
std::uint64_t upstream_calls::park(fact<stage::guard> c) {
  const auto number = unit_.calls.put_aside(std::move(c), {partner::upstream});
  fan_outs_.mintings().begin(*unit_.calls.find(number));
  return number;
}

void upstream_calls::on_answered(const answered& m) {
  const bool taken = take(m);
  fan_outs_.mintings().settle(m, taken);
}

bool upstream_calls::take(const answered& m) {
  if (suspensions_.keep(m) || (unit_.handed && unit_.handed->guests().settle(m))) return false;
  const auto number = suspensions_.live(m.call);
  auto* waiting = unit_.calls.find(number);
  if (!waiting) return false;  // cancelled meanwhile
  if (waiting->fan_out) {
    fan_outs_.on_answered(*waiting, m);
    return true;
  }
  auto c = unit_.calls.take<stage::guard>(number);
  if (c)
    mcp_stages::resume_after<proxy_step>(proxy_step::resume(std::move(*c), m, unit_.desk),
                                         unit_.desk);
  return c.has_value();
}

void upstream_calls::on_call_notification(const call_notification& m) {
  if (suspensions_.pass_on(m) || (unit_.handed && unit_.handed->guests().pass_on(m))) return;
  auto* c = unit_.calls.find(suspensions_.live(m.call));
  // Who is only asked whether it knows a task has nothing to say to the client.
  if (!c || c->fan_out) return;
  if (m.client && c->session->key != m.client) {
    client_notification h{m.client, m.upstream, m.text, {}, 0};
    return on_client_notification(h);
  }
  if (!m.text.empty() && !is_wanted(*c, m.text)) return;
  if (c->continues && !m.text.empty()) return void(streams_.send(*c, with_own_token(*c, m.text)));
  if (!m.text.empty())
    streams_.send(*c, m.text);
  else if (c->from->alive())
    streams_.begin(*c);
}

void upstream_calls::on_client_notification(client_notification& m) {
  auto s = unit_.sessions.find_key(m.client);
  if (!s || !s->access->view->reaches(m.upstream)) return;
  if (!m.updated.empty()) return subscriptions_.on_updated(m, *s);
  if (s->shared && !s->profile->listening) unit_.fleet->words().pass_on(*s, m.text);
  streams_.send(*s, m.text);
}

void upstream_calls::on_listed(listed& m) {
  if (m.span) m.span->end(traces::end_of(m), m.credential.get());
  if (m.kind != mcp::list_kind::tasks) return lists_.on_listed(m);
  fan_outs_.on_delivered(m);
  if (auto* c = unit_.calls.find(m.fill); c && c->fan_out) fan_outs_.on_listed(*c, m);
}

/// Calls that only wait for a list of it have not been asked there yet: they go on with what comes
/// of that.
void upstream_calls::on_session_lost(const session_lost& m) {
  const auto asked = [&](const call& c) {
    return !unit_.calls.waits_for(c.number, partner::lists);
  };
  if (m.client == 0) {
    // What had nowhere else to go went over it.
    fail(m.upstream, [&](const call& c) {
      return asked(c) && (c.fan_out || c.anywhere) && goes_over_root(*c.session, m);
    });
    if (unit_.handed) unit_.handed->guests().lost_root(m);
    // The root session died with whatever list it was fetching.
    lists_.lost(
        m.upstream,
        [&](const list_state& state) {
          return state.as == m.as && (!m.principal || state.principal == m.principal);
        },
        true);
    return introductions_.lost(m.upstream);
  }
  fail(m.upstream,
       [&](const call& c) { return asked(c) && (c.fan_out ? c.session->key : c.via) == m.client; });
  lists_.lost(
      m.upstream, [&](const list_state& state) { return state.client == m.client; }, true);
  if (const auto* u = unit_.snapshot->at(m.upstream); u && u->per_client)
    introductions_.lost(m.upstream);
  if (const auto s = unit_.sessions.find_key(m.client)) subscriptions_.lost(*s, m.upstream);
  suspensions_.lost(m.upstream, m.client);
  if (unit_.handed) unit_.handed->guests().lost(m.upstream, m.client);
}

/// It is gone, and so are the answers it owed.
void upstream_calls::on_upstream_lost(std::size_t upstream) {
  fail(upstream, [](const call&) { return true; });
  suspensions_.lost(upstream);
  if (unit_.handed) unit_.handed->guests().lost(upstream);
  introductions_.lost(upstream);
  lists_.lost(
      upstream, [](const list_state&) { return true; }, false);
}

/// Answers the calls that wait for this upstream and are `lost`: nobody else will.
void upstream_calls::fail(std::size_t upstream, const std::function<bool(const call&)>& lost) {
  std::vector<std::uint64_t> all;
  unit_.calls.for_each([&](const call& c) {
    const bool waits = c.fan_out || (c.route == route::upstream && c.upstream->index == upstream);
    // Who waits for another instance is told by that one.
    if (waits && !unit_.calls.waits_for(c.number, partner::instance) && lost(c))
      all.push_back(c.number);
  });
  for (auto number : all) {
    answered a;
    a.call = number;
    a.upstream = upstream;
    a.why = no_answer::request_failed;
    on_answered(a);
  }
}

}  // namespace gate::routing
