#include "actors/router/client_sessions.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "actors/pipeline/stage9_audit.hpp"
#include "actors/router/list_news.hpp"
#include "actors/router/list_shelf.hpp"
#include "actors/router/listeners.hpp"
#include "actors/router/shared_sessions.hpp"
#include "actors/router/subscription_upkeep.hpp"
#include "protocol/base/pen.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/mcp/log_levels.hpp"
#include "protocol/mcp/session_id.hpp"
#include "protocol/mcp/stateless/envelope.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::routing {

using namespace pipeline;

/// Short names begin anywhere: a ROUTER that takes the place of one that was lost must not use its
/// names again.
client_sessions::client_sessions(unit& u, identity::gatekeeper& keeper, list_shelf& lists,
                                 list_news& news, subscription_upkeep& subscriptions,
                                 listeners& listening, random_source random, metrics::value open)
    : unit_(u),
      keeper_(keeper),
      lists_(lists),
      news_(news),
      subscriptions_(subscriptions),
      listeners_(listening),
      random_(std::move(random)),
      open_(open) {
  std::array<std::uint8_t, 5> start{};
  random_(start);
  std::uint64_t first = 0;
  for (auto byte : start) first = first << 8U | byte;
  unit_.sessions.name_from((first << 20U) + 1);
}

// --- opened, found, ended ------------------------------------------------------------------------

sessions::session_ptr client_sessions::open(const identity::access_ptr& who,
                                            std::string_view peer) {
  std::array<std::uint8_t, 16> bytes{};
  random_(bytes);
  return take_up(mcp::make_session_id(bytes, unit_.number), who, peer);
}

sessions::session_ptr client_sessions::take_up(std::string id, const identity::access_ptr& who,
                                               std::string_view peer) {
  // As in `find`: its call may have waited.
  const auto owner = keeper_.under(who, unit_.snapshot);
  if (const auto other = unit_.sessions.in_the_way(owner, peer)) end(other);
  auto s = unit_.sessions.open(std::move(id), owner, peer, unit_.now());
  if (s) open_.add(1);
  return s;
}

client_sessions::search client_sessions::seek(fact<stage::rate_limit>& c) {
  return unit_.fleet ? unit_.fleet->looks().seek(c) : search::vain;
}

bool client_sessions::share(fact<stage::guard>& c) {
  return unit_.fleet && unit_.fleet->share(c);
}

sessions::session_ptr client_sessions::find(std::string_view id, const identity::access_ptr& who) {
  config::view_ptr before;
  // Who comes with a call that has waited since before a reload is judged by what holds now.
  const auto access = keeper_.under(who, unit_.snapshot);
  auto s = unit_.sessions.find(id, access, unit_.now(), before);
  if (s && before && before != access->view) {
    news_.keep(*s, *before);
    leave_upstreams(*s, *before);
    subscriptions_.judge(*s);
  }
  return s;
}

/// Its id is none that a header can carry. Tokens of one caller that see different things have one
/// each: what one of them opens must not end because the other comes. Of callers without a token we
/// know no more than the address.
sessions::session_ptr client_sessions::visit(const identity::access_ptr& who,
                                             const mcp::stateless::known_envelope& by,
                                             std::string_view peer) {
  const auto as = admit(by.asked_by);
  std::string id;
  pen name(id, 64);
  name << "\n";
  if (who->who())
    name << who->key();
  else
    name << "at " << peer;
  name << "\n" << as << "\n" << who->view->id();
  id.resize(name.size());
  auto s = find(id, who);
  if (!s) {
    if (const auto other = unit_.sessions.in_the_way(who, peer)) end(other);
    s = unit_.sessions.open(std::move(id), who, peer, unit_.now());
    if (!s) return nullptr;
    open_.add(1);
    s->version = mcp::first_stateless_version;
    s->lists_as = as;
    s->visits = std::make_unique<sessions::client_session::visitor>();
    auto p = *s->profile;
    p.capabilities = mcp::profile_capabilities(as, false);
    p.in_calls_only = true;
    s->profile = std::make_shared<const client_profile>(std::move(p));
  }
  // Servers say as much as the most curious request has wanted; others are not passed on what they
  // did not want.
  const auto wanted = mcp::severity(by.log_level);
  if (wanted < mcp::severity(s->profile->log_level))
    set_level(*s, json::quoted(mcp::log_levels[wanted]));
  return s;
}

void client_sessions::subscribe(const sessions::session_ptr& listener,
                                const std::vector<std::pair<std::string, std::size_t>>& to) {
  listeners_.begin(*listener, to);
}

void client_sessions::abandon(std::uint64_t call) {
  auto c = unit_.calls.end(call);
  if (!c) return;
  tell_cancelled(*c, R"("the client closed the stream of its request")");
  unit_.desk.exit.forget(*c);
  exit_stage::cancel(*c, "cancelled by the client", unit_.desk);
}

void client_sessions::end(const sessions::session_ptr& s) {
  for (auto calls = s->calls; auto& [id, number] : calls) {
    auto c = unit_.calls.end(number);
    if (!c) continue;
    // Its own bridged sessions end with it; another's goes on.
    if (c->anywhere || c->fan_out) tell_cancelled(*c, R"("the client ended its session")");
    // A stream that is looked for at other instances is not to be had any more.
    if (c->route == route::stream && !c->stream.begun())
      exit_stage::refuse(refuse_by(std::move(c), mcp::broken(mcp::http_rule::session_known)),
                         unit_.desk);
    else
      exit_stage::cancel(*c, "the client ended its session", unit_.desk);
  }
  s->calls.clear();
  unit_.sessions.close(s);
  if (s->shared) unit_.fleet->ended(*s);
  forget(*s);
}

bool client_sessions::end_by(fact<stage::guard>& c) {
  const auto s = c->session;
  const auto key = s->shared ? s->shared->key : std::string{};
  end(s);
  if (key.empty()) return false;
  unit_.fleet->departures().await_end(key, c);
  return true;
}

/// It is in the table no more: what hangs on it ends.
void client_sessions::forget(sessions::client_session& s) {
  if (s.subscriber) listeners_.end(s);
  lists_.forget(s.key);
  open_.add(-1);
  if (s.shared) return unit_.fleet->leave(s);
  for (const auto index : s.upstreams)
    if (unit_.upstreams.there(index)) unit_.upstreams.tell(index, client_ended{s.key});
}

void client_sessions::uncount() {
  open_.add(-static_cast<double>(unit_.sessions.size()));
}

// --- calls that are cancelled --------------------------------------------------------------------

bool client_sessions::hand_over(fact<stage::guard>& c) {
  return c->session && c->session->shared && unit_.fleet->words().hand_over(c);
}

bool client_sessions::cancel(sessions::client_session& s, std::string_view raw_id,
                             std::string_view reason) {
  const auto number = s.find_call(raw_id);
  if (!number) return false;
  auto c = unit_.calls.end(*number);
  if (!c) return true;
  tell_cancelled(*c, reason);
  unit_.desk.exit.forget(*c);
  exit_stage::cancel(*c, "cancelled by the client", unit_.desk);
  return true;
}

/// The upstreams that work for it are told.
void client_sessions::tell_cancelled(const call& c, std::string_view reason) {
  const auto tell = [&](std::size_t index) {
    if (!unit_.upstreams.there(index)) return;
    const auto client = c.fan_out ? c.session->key : c.via;
    unit_.upstreams.tell(index, cancel_call{c.upstream_number(), client, std::string(reason),
                                            c.fan_out || c.anywhere});
  };
  if (!c.fan_out) {
    if (c.route == route::upstream) tell(c.upstream->index);
  } else {
    for (const auto& u : c.snapshot->upstreams) tell(u.index);
  }
}

// --- what upstreams are told ---------------------------------------------------------------------

void client_sessions::change_profile(sessions::client_session& s, client_profile p) {
  ++p.version;
  s.profile = std::make_shared<const client_profile>(std::move(p));
  for (const auto index : s.upstreams)
    if (unit_.upstreams.there(index))
      unit_.upstreams.tell(index, profile_changed{s.key, s.profile});
}

void client_sessions::set_level(sessions::client_session& s, std::string_view raw_level) {
  auto p = *s.profile;
  p.log_level = raw_level;
  change_profile(s, std::move(p));
  if (s.shared) unit_.fleet->level_changed(s);
}

void client_sessions::tell_upstreams(sessions::client_session& s, std::string_view notification) {
  tell_upstreams_here(s, notification);
  if (s.shared) unit_.fleet->words().tell_holders(s, jsonrpc::request({}, notification));
}

void client_sessions::tell_upstreams_here(sessions::client_session& s,
                                          std::string_view notification) {
  for (const auto index : s.upstreams)
    if (unit_.upstreams.there(index))
      unit_.upstreams.tell(index, client_notice{s.key, notification});
}

void client_sessions::be_present(sessions::client_session& s, bool listening, bool away) {
  if (s.profile->listening == listening && s.profile->away == away) return;
  auto p = *s.profile;
  p.listening = listening;
  p.away = away;
  change_profile(s, std::move(p));
}

// --- rights that are lost ------------------------------------------------------------------------

client_sessions::lost_upstreams client_sessions::lost_by(const config::policy_view& was,
                                                         const config::policy_view& is) const {
  lost_upstreams out;
  for (const auto& u : unit_.snapshot->upstreams)
    if (was.reaches(u.index) && !is.reaches(u.index)) out.push_back(&u);
  return out;
}

/// The caller's newest token says less than the one before, or the policy does: what was opened
/// where nothing is allowed any more ends. (Calls that were allowed when they came are finished.)
void client_sessions::leave_upstreams(sessions::client_session& s,
                                      const config::policy_view& before) {
  const auto lost = lost_by(before, *s.access->view);
  for (const auto* u : lost) leave_upstream(s, *u);
  leave_roots(s.lists_as, s.principal, lost);
}

void client_sessions::leave_upstream(sessions::client_session& s,
                                     const config::compiled_upstream& u) {
  subscriptions_.leave(s, u.id);
  if (unit_.upstreams.there(u.index) && s.upstreams.contains(u.index))
    unit_.upstreams.tell(u.index, client_ended{s.key, true});
}

/// A caller's root session ends where none of its sessions may do anything any more.
void client_sessions::leave_roots(mcp::capability_profile as, std::uint64_t principal,
                                  const lost_upstreams& lost) {
  if (!principal || std::ranges::none_of(lost, [](auto* u) { return u->per_caller; })) return;
  const auto views = unit_.sessions.views_of(principal, as);
  for (const auto* u : lost)
    if (u->per_caller && unit_.upstreams.there(u->index) &&
        std::ranges::none_of(views, [&](const auto& view) { return view->reaches(u->index); }))
      unit_.upstreams.tell(u->index, release_root{as, principal});
}

federation::catalogue::succession client_sessions::renew(const config::snapshot& before) {
  struct step {
    config::view_ptr was;
    lost_upstreams lost;
    bool other_lists = false;  ///< theirs are kept elsewhere from now on
  };
  federation::catalogue::succession views;
  std::map<std::pair<const config::policy_view*, const config::policy_view*>, step> steps;
  std::map<std::pair<mcp::capability_profile, std::uint64_t>, std::set<const step*>> losers;
  unit_.sessions.for_each([&](const sessions::session_ptr& s) {
    const auto was = std::exchange(s->access, keeper_.under(s->access, unit_.snapshot))->view;
    const auto& is = s->access->view;
    // Sessions are many, upstreams too; pairs of views are few.
    auto [it, fresh] = steps.try_emplace({was.get(), is.get()});
    auto& [kept, lost, other_lists] = it->second;
    if (fresh) {
      kept = was;  // or another view could get its address
      views.emplace_back(was, is);
      news_.pass_on(*was, *is);
      lost = lost_by(*was, *is);
      other_lists = are_kept_elsewhere(before, *was, *unit_.snapshot, *is);
    }
    for (const auto* u : lost) leave_upstream(*s, *u);
    if (s->principal && !lost.empty()) losers[{s->lists_as, s->principal}].insert(&it->second);
    subscriptions_.judge(*s);
    // What they were served can not be compared.
    for (std::size_t n = 0; other_lists && n < mcp::kept_list_kinds; ++n)
      news_.tell(s->key, static_cast<mcp::list_kind>(n));
  });
  for (const auto& [who, all] : losers)
    for (const auto* what : all) leave_roots(who.first, who.second, what->lost);
  return views;
}

// --- with time -----------------------------------------------------------------------------------

void client_sessions::tick(time_point t) {
  // A look at every session costs; a fraction of the timeout is fine enough.
  using std::chrono::seconds;
  const auto idle = unit_.snapshot->doc.server.session_idle_timeout;
  if (t < next_sweep_) return;
  next_sweep_ =
      t + std::clamp<std::chrono::steady_clock::duration>(idle / 8, seconds{1}, seconds{30});
  unit_.sessions.forget_events(t - limits::replay_time);
  if (!sweeping_) end_expired();
  sweep_profiles(t);
  lists_.sweep(t);
}

/// However many expire in the same moment: others get their turn in between.
void client_sessions::end_expired() {
  const auto t = unit_.now();
  const auto before = t - unit_.snapshot->doc.server.session_idle_timeout;
  for (const auto& s : unit_.sessions.expire(before, t, limits::session_ends_at_once)) forget(*s);
  sweeping_ = before < t && unit_.sessions.due(before);
  if (sweeping_) unit_.time.wake(timer::expiring, limits::session_ends_pause);
}

/// Lists and root sessions for a kind of clients end some time after the last of these.
void client_sessions::sweep_profiles(time_point t) {
  for (const auto as : profiles_.expire(unit_.sessions.profiles(), t, limits::bridged_idle)) {
    for (std::size_t i = 0; i < unit_.upstreams.slots(); ++i)
      if (unit_.upstreams.there(i)) unit_.upstreams.tell(i, release_root{as});
    lists_.drop(as);
  }
}

}  // namespace gate::routing
