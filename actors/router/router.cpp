#include "actors/router/router.hpp"

#include "protocol/mcp/session_id.hpp"

namespace gate {

using namespace pipeline;

router::router(caf::actor_config& cfg, caf::execution_unit* unit, router_parts parts,
               snapshot_ptr snapshot)
    : pinned(cfg, unit),
      parts_(std::move(parts)),
      snapshot_(std::move(snapshot)),
      hosts_(snapshot_->doc.server.allowed_hosts),
      door_(*parts_.metrics, parts_.audit, parts_.wall, [this] { return now(); }),
      keeper_(parts_.authority),
      key_states_(parts_.authority->sources.size()),
      session_count_(parts_.metrics->get(metric::sessions, {"client"})),
      ambiguous_(parts_.metrics->get(metric::tenant_ambiguous)),
      places_(limits::own_lists, parts_.own_list_bytes) {
  std::array<std::uint8_t, 5> start{};
  parts_.random(start);
  std::uint64_t first = 0;
  for (auto byte : start) first = first << 8U | byte;
  sessions_.name_from((first << 20U) + 1);
}

router::~router() = default;

router::behavior_type router::make_behavior() {
  for (auto& source : parts_.key_sources)
    if (source) send(source, listen_for_keys{caf::actor_cast<keys_listener>(this)});
  delayed_send(this, tick_interval, router_tick{});
  return {
      // Handlers are tried in this order: first what every call needs.
      [this](arrival& m) { take_in(std::move(m.from), false, false); },
      [this](const answered& m) { on_answered(m); },
      // From RATE LIMITER.
      [this](const admitted& m) { on_admitted(m); },
      // From UPSTREAM and its sessions.
      [this](const relayed& m) { on_relayed(m); },
      [this](heard& m) { on_heard(m); },
      [this](asked& m) { on_asked(m); },
      [this](const withdrawn& m) { on_withdrawn(m); },
      [this](listed& m) { on_listed(m); },
      [this](const list_changed& m) { on_list_changed(m); },
      [this](introduced& m) { on_introduced(m); },
      [this](const session_lost& m) { on_session_lost(m); },
      // From INGRESS.
      [this](const body_read& m) { on_body_read(m.number); },
      [this](const client_gone& m) { on_client_gone(m.number); },
      // From KEY SET and MINT.
      [this](keys_told& m) { on_keys(m); },
      [this](const redeemed& m) { on_redeemed(m); },
      // From GATEWAY.
      [this](keys_replaced& m) { on_keys_replaced(m); },
      [this](mint_replaced& m) {
        parts_.mint = std::move(m.mint);
        if (!parts_.mint) lose<partner::mint>();
      },
      [this](rate_limiter_replaced& m) {
        parts_.limiter = std::move(m.limiter);
        if (!parts_.limiter) lose<partner::limiter>();
      },
      [this](federation_update& m) { update(m); },
      [this](upstream_replaced& m) { replace(m); },
      [this](health_replaced& m) { parts_.health = std::move(m.health); },
      [this](audit_replaced& m) { door_.replace_sink(std::move(m.audit)); },
      [this](tasks_replaced& m) { parts_.tasks = std::move(m.tasks); },
      [this](wind_down) { wind_streams_down(); },
      [this](end_calls) { refuse_all(); },
      // From itself.
      [this](router_tick) { on_tick(); },
      [this](sweep_on) { end_expired(); },
      [this](list_tick) { on_list_tick(); },
      [this](tell_list_changed) { notify_clients(); },
      [this](opening_tick) { on_opening_tick(); },
      [this](newcomers_due) { on_newcomers_due(); },
  };
}

void router::on_exit() {
  session_count_.add(-static_cast<double>(sessions_.size()));
  // Calls still waiting spend their tickets as they are destroyed.
  calls_ = {};
  lists_.clear();
  own_lists_.clear();
  upstreams_.clear();
  parts_.health = nullptr;
  parts_.tasks = nullptr;
  parts_.mint = nullptr;
  parts_.limiter = nullptr;
  parts_.gateway = nullptr;
  parts_.key_sources.clear();
}

// --- in ------------------------------------------------------------------------------------------

void router::take_in(exchange_ptr from, bool of_a_batch, bool metered) {
  auto c = std::make_unique<call>(std::move(from), door_, snapshot_, now());
  c->of_a_batch = of_a_batch;
  c->metered = metered;
  const bool is_mcp = c->request().path() == snapshot_->doc.server.mcp_path;
  auto r = host_step::run(arrived::deliver(std::move(c)), *this);
  if (auto* no = std::get_if<refused>(&r)) return exit_stage::refuse(std::move(*no), *this);
  auto& hosted = std::get<fact<stage::host>>(r);
  if (is_mcp)
    mcp_stages::run(std::move(hosted), *this);
  else
    serve_endpoint(std::move(hosted));
}

bool router::meter(fact<stage::authenticate>& c, const rate_scopes_ptr& scopes) {
  if (!parts_.limiter) return false;
  const auto number = put_aside(std::move(c), partner::limiter);
  send(parts_.limiter, admit{number, scopes, caf::actor_cast<admission_user>(this)});
  return true;
}

void router::on_admitted(const admitted& m) {
  auto c = take_call<stage::authenticate>(m.number);
  if (!c) return;  // let in when RATE LIMITER crashed
  renew(**c);
  mcp_stages::resume_after<rate_limit_step>(rate_limit_step::resume(std::move(*c), m), *this);
}

std::uint64_t router::park(fact<stage::guard> c) {
  const bool lists = c->course == course::list;
  return put_aside(std::move(c), lists ? partner::lists : partner::upstream);
}

void router::note_parked(call& c) {
  c.last_write = c.ticket.notes().began;
  if (c.session) {
    c.session->add_call(c.message.id, c.number);
    const bool subscribes = c.method && c.method->name == "resources/subscribe";
    if (subscribes && !c.session->subscriptions.contains(c.uri))
      c.session->subscribing.emplace(c.number, c.uri.size());
  }
  if (c.course == course::upstream) ++load_[c.upstream->index];
  if (c.course == course::list) wait_for_list(c.number, list_of(*c.session, c.method->list));
}

void router::ask(std::size_t index, invoke question) {
  if (index < upstreams_.size() && upstreams_[index])
    return send(upstreams_[index], std::move(question));
  // It crashed and its successor does not run yet.
  answered nobody;
  nobody.call = question.call;
  nobody.upstream = index;
  nobody.why = "connect failed";
  nobody.asked = 0;
  send(this, std::move(nobody));
}

// --- out -----------------------------------------------------------------------------------------

void router::note_taken(const call& c) {
  if (c.course == course::upstream) --load_[c.upstream->index];
}

call_ptr router::end_call(std::uint64_t number) {
  auto c = calls_.end(number);
  if (c) note_taken(*c);
  return c;
}

void router::on_answered(const answered& m) {
  auto* waiting = calls_.find(m.call);
  if (!waiting) return;  // cancelled meanwhile
  if (waiting->survey) return on_surveyed(*waiting, m);
  if (auto c = take_call<stage::guard>(m.call))
    mcp_stages::resume_after<proxy_step>(proxy_step::resume(std::move(*c), m, *this), *this);
}

void router::on_relayed(const relayed& m) {
  auto* c = calls_.find(m.call);
  // Who is only asked whether it knows a task has nothing to say to the client.
  if (!c || c->survey) return;
  if (m.client && c->session->key != m.client) {
    heard h{m.client, m.upstream, m.text, {}, 0};
    return on_heard(h);
  }
  if (!m.text.empty())
    send_event(*c, m.text);
  else if (c->from->alive())
    begin_stream(*c);
}

void router::cancel(sessions::client_session& s, std::string_view raw_id, std::string_view reason) {
  const auto number = s.find_call(raw_id);
  if (!number) return;  // finished already, or never was
  auto c = end_call(*number);
  if (!c) return;
  tell_cancelled(*c, reason);
  forget(*c);
  exit_stage::withdraw(*c, "cancelled by the client", *this);
}

/// The upstreams that work for it are told.
void router::tell_cancelled(const call& c, std::string_view reason) {
  const auto tell = [&](std::size_t index) {
    if (!upstreams_[index]) return;
    const auto client = c.survey ? c.session->key : c.via;
    send(upstreams_[index],
         cancel_call{c.number, client, std::string(reason), c.survey || c.anywhere});
  };
  if (!c.survey) {
    if (c.course == course::upstream) tell(c.upstream->index);
  } else if (c.course == course::task) {
    for (const auto& u : c.snapshot->upstreams) tell(u.index);
  }
}

// --- when somebody dies -------------------------------------------------------------------------

/// Somebody whom the call waits for is gone, and the call can not do without.
void router::refuse_without(std::uint64_t number, partner whom) {
  if (auto c = end_call(number))
    exit_stage::refuse({std::move(c),
                        {reason::overloaded, std::string(row(whom).sentence), {}, -1},
                        "Retry-After: 1\r\n"},
                       *this);
}

void router::on_session_lost(const session_lost& m) {
  if (m.client == 0) {
    // The root session died with whatever list it was fetching.
    const auto its = [&](std::uint64_t principal) {
      return !m.principal || principal == m.principal;
    };
    lists_lost(m.upstream,
               [&](const list_state& state) { return state.as == m.as && its(state.principal); });
    not_introduced(m.upstream);
    // What had nowhere else to go went over it.
    return fail_calls(m.upstream, [&](const call& c) {
      return (c.survey || c.anywhere) && c.session->lists_as == m.as && its(c.session->principal);
    });
  }
  lists_lost(m.upstream, [&](const list_state& state) { return state.client == m.client; });
  if (const auto* u = snapshot_->at(m.upstream); u && u->per_client) not_introduced(m.upstream);
  if (const auto s = sessions_.find_key(m.client)) note_unsubscribed(*s, m.upstream);
  fail_calls(m.upstream,
             [&](const call& c) { return (c.survey ? c.session->key : c.via) == m.client; });
}

/// Answers the calls that wait for this upstream and are `lost`: nobody else will.
void router::fail_calls(std::size_t upstream, const std::function<bool(const call&)>& lost) {
  std::vector<std::uint64_t> all;
  calls_.for_each([&](const call& c) {
    const bool waits = c.survey || (c.course == course::upstream && c.upstream->index == upstream);
    if (waits && lost(c)) all.push_back(c.number);
  });
  for (auto number : all) {
    answered a;
    a.call = number;
    a.upstream = upstream;
    a.why = "request failed";
    on_answered(a);
  }
}

void router::lists_lost(std::size_t upstream, const std::function<bool(const list_state&)>& which) {
  if (!snapshot_->at(upstream)) return;  // lists know nothing of it any more
  // Serving may make lists of a client, so they are gathered first.
  std::vector<list_state*> lost;
  for_each_list([&](list_state& state) {
    if (which(state)) lost.push_back(&state);
  });
  keep_lists_ = true;
  for (auto* state : lost) {
    state->lists.cache().lost(upstream, now());
    serve_waiting(*state);
  }
  keep_lists_ = false;
}

void router::replace(upstream_replaced& m) {
  if (m.index >= upstreams_.size()) return;
  upstreams_[m.index] = std::move(m.upstream);
  if (upstreams_[m.index]) {
    note_unsubscribed(m.index);
    return renew_subscriptions();
  }
  // It is gone, and so are the answers it owed.
  fail_calls(m.index, [](const call&) { return true; });
  not_introduced(m.index);
  lists_lost(m.index, [](const list_state&) { return true; });
}

// --- desk ---------------------------------------------------------------------------------------

router::time_point router::now() const {
  return const_cast<router*>(this)->clock().now();
}

sessions::session_ptr router::open_session(const identity::access_ptr& owner,
                                           std::string_view peer) {
  if (const auto other = sessions_.in_the_way(owner, peer)) end_session(other);
  std::array<std::uint8_t, 16> bytes{};
  parts_.random(bytes);
  auto s = sessions_.open(mcp::make_session_id(bytes, parts_.unit_number), owner, peer, now());
  if (s) session_count_.add(1);
  return s;
}

sessions::session_ptr router::find_session(std::string_view id, const identity::access_ptr& who) {
  config::view_ptr before;
  // Who comes with a call that has waited since before a reload is judged by what holds now.
  const auto access = keeper_.under(who, snapshot_);
  auto s = sessions_.find(id, access, now(), before);
  if (s && before != access->view) {
    keep_news(*s, *before);
    leave_upstreams(*s, *before);
    judge_subscriptions(*s);
  }
  return s;
}

/// The caller's newest token says less than the one before, or the policy does: what was opened
/// where nothing is allowed any more ends. (Calls that were allowed when they came are finished.)
void router::leave_upstreams(sessions::client_session& s, const config::policy_view& before) {
  std::vector<const config::compiled_upstream*> lost;
  for (const auto& u : snapshot_->upstreams)
    if (before.reaches(u.index) && !s.access->view->reaches(u.index)) lost.push_back(&u);
  for (const auto* u : lost) leave_upstream(s, *u);
  leave_roots(s.lists_as, s.principal, lost);
}

/// A caller's root session ends where none of its sessions may do anything any more.
void router::leave_roots(mcp::capability_profile as, std::uint64_t principal,
                         const std::vector<const config::compiled_upstream*>& lost) {
  if (!principal || std::ranges::none_of(lost, [](auto* u) { return u->per_caller; })) return;
  const auto views = sessions_.views_of(principal, as);
  for (const auto* u : lost)
    if (u->per_caller && upstreams_[u->index] &&
        std::ranges::none_of(views, [&](const auto& view) { return view->reaches(u->index); }))
      send(upstreams_[u->index], release_root{as, principal});
}

void router::leave_upstream(sessions::client_session& s, const config::compiled_upstream& u) {
  s.end_subscriptions([&](const auto& x) { return x.second == u.id; });
  if (upstreams_[u.index] && s.upstreams.contains(u.index))
    send(upstreams_[u.index], client_ended{s.key, true});
}

void router::end_session(const sessions::session_ptr& s) {
  for (auto calls = s->calls; auto& [id, number] : calls) {
    auto c = end_call(number);
    if (!c) continue;
    // Its own bridged sessions end with it; another's goes on.
    if (c->anywhere || c->survey) tell_cancelled(*c, R"("the client ended its session")");
    exit_stage::withdraw(*c, "the client ended its session", *this);
  }
  s->calls.clear();
  sessions_.close(s);
  forget_session(*s);
}

}  // namespace gate
