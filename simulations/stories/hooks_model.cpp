#include "simulations/stories/hooks_model.hpp"

#include <algorithm>

#include "protocol/webhook/events.hpp"

namespace gate::hook_churn {

model::model(const evidence& e) {
  for (const auto& d : e.deeds)
    if (!std::holds_alternative<ledger::refusal>(d.said)) learn(d);
  for (auto& [id, h] : hooks)
    if (const auto it = e.host_of.find(id); it != e.host_of.end()) h.host = it->second;
  for (const auto& d : debts) owed_.emplace(d.event, hooks.at(d.webhook).host);
  for (const auto& a : e.arrivals) {
    of_delivery[a.delivery].push_back(&a);
    at_of_event[{a.host, a.event}].push_back(&a);
  }
}

const std::vector<const arrived*>& model::arrivals_of(const std::string& host,
                                                      std::string_view event) const {
  static const std::vector<const arrived*> none;
  const auto it = at_of_event.find({host, std::string(event)});
  return it == at_of_event.end() ? none : it->second;
}

void model::learn(const deed& d) {
  if (const auto* r = std::get_if<ledger::accept_events>(&d.asked))
    return learn(*r, std::get<ledger::accepted>(d.said), d.at);
  if (const auto* r = std::get_if<ledger::create_webhook>(&d.asked)) {
    auto& h = hooks[r->what.id];
    h.organization = r->what.organization;
    h.events = r->what.events;
    h.secrets.push_back({r->what.secret, {d.at}});
    return turn_on(h, r->what.why_not == webhook::disabled::no, d.at);
  }
  if (const auto* r = std::get_if<ledger::patch_webhook>(&d.asked)) return learn(*r, d.at);
  if (const auto* r = std::get_if<ledger::delete_webhook>(&d.asked)) {
    hooks[r->id].deleted = d.at;
    return;
  }
  if (const auto* r = std::get_if<ledger::rotate_secret>(&d.asked)) {
    auto& all = hooks[r->id].secrets;
    all.back().valid.until = d.at;
    return all.push_back({r->secret, {d.at}});
  }
  if (const auto* r = std::get_if<ledger::disable_webhook>(&d.asked))
    return turn_on(hooks[r->id], false, d.at);
  if (const auto* r = std::get_if<ledger::note_attempt>(&d.asked)) return learn(*r, d.at);
  if (const auto* r = std::get_if<ledger::delete_dead>(&d.asked))
    return deleted_letters.push_back(r->id);
  if (const auto* said = std::get_if<ledger::requeued>(&d.said)) learn(*said, d.at);
}

void model::learn(const ledger::accept_events& r, const ledger::accepted& said, time_point at) {
  for (std::size_t i = 0; i < r.events.size(); ++i) {
    if (said.events.at(i).repeated) continue;
    const auto& e = r.events[i];
    auto& known = events[name_of(r.organization, e.id)].emplace_back();
    known = {r.organization, e.type, e.body, at, 0};
    for (const auto& [id, h] : hooks) {
      const bool wants = h.organization == r.organization && h.is_on() &&
                         h.deleted == time_point::max() && webhook::wants(h.events, e.type);
      if (!wants) continue;
      debts.push_back({name_of(r.organization, e.id), id, at});
      ++known.wanted;
    }
  }
}

void model::learn(const ledger::patch_webhook& r, time_point at) {
  auto& h = hooks[r.id];
  if (r.events) h.events = *r.events;
  if (r.enabled) turn_on(h, *r.enabled, at);
}

void model::learn(const ledger::note_attempt& r, time_point at) {
  auto& d = deliveries[r.delivery];
  const auto made = static_cast<std::uint32_t>(d.notes.size() + 1);
  d.notes.push_back({made, r, d.dead, at});
  d.dead = d.dead || r.status == webhook::state::dead;
}

void model::learn(const ledger::requeued& said, time_point at) {
  for (const auto& id : said.deliveries) deliveries[id].retries.push_back(at);
}

void model::turn_on(hook& h, bool on, time_point at) {
  if (on == h.is_on()) return;
  if (on)
    h.on.push_back({at});
  else
    h.on.back().until = at;
}

const model::hook* model::at_host(const std::string& host) const {
  for (const auto& [id, h] : hooks)
    if (h.host == host) return &h;
  return nullptr;
}

bool model::owes(const std::string& event, const std::string& host) const {
  return owed_.contains({event, host});
}

}  // namespace gate::hook_churn
