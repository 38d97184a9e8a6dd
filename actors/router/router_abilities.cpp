// ROUTER: what the federation can do, as clients are told in `initialize`. Upstreams introduce
// themselves with every handshake. Those that nobody has met yet are asked to when the first client
// comes, and it waits for them a moment; whoever is late is not waited for again.
#include "actors/pipeline/initialize.hpp"
#include "actors/router/router.hpp"
#include "protocol/limits.hpp"

namespace gate {

using namespace pipeline;

std::optional<federation_abilities> router::abilities(call& c) {
  const auto t = now();
  c.session->lists_as = profiles_.admit(c.session->lists_as, t);
  const abilities_memo::key kind{c.snapshot->generation, c.view().id()};
  if (const auto* told = told_.find(kind, t)) return *told;
  federation_abilities out;
  bool wait = false, nobody = true, all = true;
  std::vector<std::string> own(c.snapshot->slots);
  for (const auto& u : c.snapshot->upstreams) {
    auto& a = met_[u.index];
    if (!c.view().reaches(u.index)) continue;
    out.features |= a.features;
    own[u.index] = a.instructions;
    if (a.met) {
      nobody = false;
      continue;
    }
    all = false;
    if (!c.waited && !a.asked && upstreams_[u.index] && t >= a.quiet_until) {
      a.asked = true;
      introduce question{c.session->lists_as, c.caller_for(u)};
      if (u.per_client && sees_own_lists(*c.session)) {  // who will list over that session anyway
        question.client = c.session->key;
        question.profile = c.session->profile;
        c.session->upstreams.add(u.index);
      }
      send(upstreams_[u.index], std::move(question));
    }
    wait |= a.asked && !a.late;
  }
  if (wait && !c.waited) return {};
  // A session outlives an outage: what comes back must find it able to ask.
  if (nobody) out.features = mcp::usual_features;
  out.instructions = std::make_shared<const std::string>(instructions(*c.snapshot, c.view(), own));
  // Who has not been met is looked for again in a while.
  told_.keep(kind, out, all ? time_point::max() : t + limits::failed_fill);
  return out;
}

void router::park_for_abilities(fact<stage::guard> c) {
  // Those who come while others wait are served with these.
  if (calls_.count(partner::meeting) == 0) {
    meeting_until_ = now() + limits::introduction;
    delayed_send(this, limits::introduction, opening_tick{});
  }
  c->waited = true;
  put_aside(std::move(c), partner::meeting);
}

void router::on_introduced(introduced& m) {
  auto& a = met_[m.upstream];
  a.asked = false;
  const bool news =
      m.reached && (!a.met || a.features != m.features || a.instructions != m.instructions);
  if (news) told_.forget();
  if (m.reached) {
    a.met = true;
    a.late = false;
    a.features = m.features;
    a.instructions = std::move(m.instructions);
  } else {
    a.quiet_until = now() + limits::failed_fill;
  }
  if (m.reached && m.missed) missed_one_answers(m.upstream, m.client);
  open_waiting();
}

/// The upstream died with whatever it was about to say.
void router::not_introduced(std::size_t upstream) {
  if (!met_[upstream].asked) return;
  introduced nobody;
  nobody.upstream = upstream;
  on_introduced(nobody);
}

/// Answers those who wait, if there is nobody left to wait for.
void router::open_waiting() {
  for (const auto& a : met_)
    if (a.asked && !a.late) return;
  for (const auto number : calls_.waiting_for(partner::meeting))
    if (auto c = take_call<stage::guard>(number))
      mcp_stages::resume_after<proxy_step>(proxy_step::resume_open(std::move(*c), *this), *this);
}

void router::on_opening_tick() {
  if (calls_.count(partner::meeting) == 0) return;
  if (const auto left = meeting_until_ - now(); left.count() > 0)
    return delayed_send(this, left, opening_tick{});
  for (auto& a : met_) a.late |= a.asked;
  open_waiting();
}

}  // namespace gate
