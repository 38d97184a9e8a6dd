#include "actors/router/introductions.hpp"

#include "actors/pipeline/initialize.hpp"
#include "actors/router/chain.hpp"
#include "actors/router/client_sessions.hpp"
#include "actors/router/list_shelf.hpp"
#include "actors/router/missing_lists.hpp"
#include "protocol/limits.hpp"

namespace gate::routing {

using namespace pipeline;

std::optional<federation_abilities> introductions::abilities(call& c) {
  const auto t = unit_.now();
  c.session->lists_as = sessions_.admit(c.session->lists_as);
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
    if (!c.waited && !a.asked && unit_.upstreams.there(u.index) && t >= a.quiet_until) {
      a.asked = true;
      meet(u, c);
    }
    wait |= a.asked && !a.late;
  }
  if (wait && !c.waited) return {};
  // A session outlives an outage: what comes back must find it able to ask.
  if (nobody) out.features = mcp::usual_features;
  out.whole = all;
  out.instructions = std::make_shared<const std::string>(instructions(*c.snapshot, c.view(), own));
  // Who has not been met is looked for again in a while.
  told_.keep(kind, out, all ? time_point::max() : t + limits::failed_fill);
  return out;
}

void introductions::meet(const config::compiled_upstream& u, call& c) {
  introduce question{c.session->lists_as, c.caller_for(u)};
  if (u.per_client && lists_.opens_own(*c.session)) {  // who will list over that session anyway
    question.client = c.session->key;
    question.profile = c.session->profile;
    c.session->upstreams.add(u.index);
  }
  unit_.upstreams.tell(u.index, std::move(question));
}

void introductions::wait(fact<stage::guard> c) {
  // Those who come while others wait are served with these.
  auto until = unit_.calls.next_late(partner::meeting);
  if (until == pipeline::wait::never) {
    until = unit_.now() + limits::introduction;
    unit_.time.wake(timer::introductions, limits::introduction);
  }
  c->waited = true;
  unit_.calls.put_aside(std::move(c), {partner::meeting, 0, until});
}

void introductions::on_introduced(introduced& m) {
  auto& a = met_[m.upstream];
  // Who has met it before it came here says nothing that is not known, if it is met.
  if (m.taken_up && a.met) return;
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
    a.quiet_until = unit_.now() + limits::failed_fill;
  }
  if (m.reached && m.missed) missing_.on_met(m.upstream, m.client);
  open_waiting();
}

void introductions::lost(std::size_t upstream) {
  if (!met_[upstream].asked) return;
  introduced nobody;
  nobody.upstream = upstream;
  on_introduced(nobody);
}

void introductions::open_waiting() {
  for (const auto& a : met_)
    if (a.asked && !a.late) return;
  for (const auto number : unit_.calls.waiting_for(partner::meeting))
    if (auto c = unit_.calls.take<stage::guard>(number))
      mcp_stages::resume_after<proxy_step>(proxy_step::resume_open(std::move(*c), unit_.desk),
                                           unit_.desk);
}

void introductions::on_timer() {
  if (unit_.calls.count(partner::meeting) == 0) return;
  if (const auto left = unit_.calls.next_late(partner::meeting) - unit_.now(); left.count() > 0)
    return unit_.time.wake(timer::introductions, left);
  for (auto& a : met_) a.late |= a.asked;
  open_waiting();
}

void introductions::resize(std::size_t slots) {
  met_.resize(slots);
  told_.forget();
}

}  // namespace gate::routing
