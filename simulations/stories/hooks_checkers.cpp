// Checkers of what was promised to callers of `gate-hooks`.
#include "simulations/stories/hooks_checkers.hpp"

#include <algorithm>
#include <set>

#include "protocol/json/scan.hpp"
#include "protocol/limits/operations.hpp"

namespace gate::hook_churn {
namespace {

using namespace std::chrono_literals;
using std::to_string;
using kind = request::kind;
using webhook::state;

/// A retry waits for attempts, a trial for its answer.
constexpr auto longest_answer = 30s;
/// Of an actor that crashes again and again.
constexpr auto longest_restart = limits::restart_most;

/// INGRESS has answered for an API that was not there.
bool died_with_api(const evidence& e, const request& r) {
  return r.receipt->dropped && std::ranges::any_of(e.api_crashes, [&](time_point t) {
           return t <= r.answered && r.sent <= t + longest_restart;
         });
}

std::string name_of(const request& r) {
  return std::string(word_of(r.what)) + " number " + to_string(r.number);
}

/// What a 202 says: ids, and how many webhooks want each.
std::vector<std::pair<std::string, std::size_t>> accepted_in(const std::string& body) {
  std::vector<std::pair<std::string, std::size_t>> out;
  const auto one = [&](std::string_view text) {
    std::string id;
    json::unquote(json::member(text, "id"), id);
    out.emplace_back(id, std::stoul(std::string(json::member(text, "deliveries"))));
  };
  if (body.starts_with('{')) {
    one(body);
    return out;
  }
  json::cursor c(body, {});
  json::elements(c, [&](json::cursor& at) { one(at.value(1)); });
  return out;
}

bool took(const arrived& a) {
  return a.code >= 200 && a.code < 300;
}

bool reached(const model& m, const std::string& host, std::string_view event, time_point from,
             time_point until) {
  return std::ranges::any_of(m.arrivals_of(host, event), [&](const arrived* a) {
    return took(*a) && a->what->at >= from && a->what->at <= until;
  });
}

/// Without the organization.
std::string_view id_in(const std::string& event) {
  return std::string_view(event).substr(event.find('/') + 1);
}

}  // namespace

std::string_view word_of(request::kind what) {
  switch (what) {
    case kind::create:
      return "create";
    case kind::change:
      return "change";
    case kind::remove:
      return "remove";
    case kind::rotate:
      return "rotate";
    case kind::post:
      return "post";
    case kind::trial:
      return "trial";
    case kind::retry:
      return "retry";
    case kind::look:
      return "look";
    case kind::health:
      break;
  }
  return "health";
}

bool is_calm(const evidence& e, time_point from, time_point until) {
  return std::ranges::none_of(
      e.disturbances, [&](const disturbance& d) { return d.from <= until && from <= d.until; });
}

bool keeps_time(const evidence& e, time_point from, time_point until) {
  return std::ranges::none_of(e.jumps, [&](time_point t) { return from <= t && t <= until; });
}

std::string when(const evidence& e, time_point at) {
  return to_string(std::chrono::duration_cast<std::chrono::milliseconds>(at - e.began).count()) +
         " ms";
}

complaints judge(const scenario&, const evidence& e) {
  complaints out;
  const model m(e);
  check_answers(e, out);
  check_accepted(e, m, out);
  check_asked(e, out);
  check_tenants(e, out);
  check_secrets(e, out);
  check_lost(e, m, out);
  check_reasons(e, out);
  check_astray(e, m, out);
  check_signatures(e, m, out);
  check_attempts(e, m, out);
  check_twice(e, m, out);
  check_crowds(e, out);
  check_prompt(e, m, out);
  check_end_of_trouble(e, m, out);
  check_end_of_process(e, out);
  return out;
}

void check_answers(const evidence& e, complaints& out) {
  for (const auto& r : e.requests) {
    const auto& got = *r.receipt;
    for (const auto& what : got.misuse) out.push_back("answers: " + name_of(r) + ": " + what);
    if (got.endings > 1) out.push_back("answers: " + name_of(r) + " was answered twice");
    if (got.endings == 1 && got.status >= 500 && got.status != 503)
      out.push_back("answers: " + name_of(r) + " was answered " + to_string(got.status));
    if (r.vanished || r.left || died_with_api(e, r)) continue;
    if (got.endings == 0)
      out.push_back("answers: " + name_of(r) + " of " + when(e, r.sent) + " has no answer");
    else if (r.answered > r.sent + longest_answer && is_calm(e, r.sent, r.sent + longest_answer))
      out.push_back("answers: " + name_of(r) + " of " + when(e, r.sent) + " was answered at " +
                    when(e, r.answered));
  }
}

void check_accepted(const evidence& e, const model& m, complaints& out) {
  for (const auto& r : e.requests) {
    if (r.what != kind::post || r.receipt->status != 202) continue;
    const auto all = accepted_in(r.receipt->body);
    if (all.size() != r.data.size()) {
      out.push_back("accepted: " + name_of(r) + " has " + to_string(r.data.size()) +
                    " events, and its answer " + to_string(all.size()));
      continue;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& [id, wanted] = all[i];
      const auto it = m.events.find(model::name_of(std::string(organizations[r.visitor]), id));
      if (it == m.events.end() || it->second.front().at > r.answered) {
        out.push_back("accepted: " + name_of(r) + " was told that " + id +
                      " is accepted, and it is not kept");
        continue;
      }
      const auto& kept = it->second.front();
      if (kept.body.find(R"("data":)" + r.data[i]) == std::string::npos)
        out.push_back("accepted: " + id + " was posted with " + r.data[i] + ", and kept as " +
                      kept.body);
      // (Of one that is repeated, it is not known when.)
      if (!r.again && kept.wanted != wanted)
        out.push_back("accepted: " + id + " is wanted by " + to_string(kept.wanted) +
                      " webhooks, and its poster was told " + to_string(wanted));
    }
  }
}

void check_lost(const evidence& e, const model& m, complaints& out) {
  std::map<std::pair<std::string, std::string>, const webhook::delivery*> kept;
  for (const auto& d : e.end.deliveries)
    if (const auto h = m.hooks.find(d.webhook); h != m.hooks.end())
      kept[{model::name_of(h->second.organization, d.event), d.webhook}] = &d;
  for (const auto& owed : m.debts) {
    const auto& h = m.hooks.at(owed.webhook);
    if (h.deleted != time_point::max()) continue;
    const auto sentence = "lost: " + owed.event + ", which " + h.host + " is to have since " +
                          when(e, owed.at) + ", ";
    const auto it = kept.find({owed.event, owed.webhook});
    if (it == kept.end()) {
      out.push_back(sentence + "is not there any more");
      continue;
    }
    const auto status = it->second->status;
    if (status == state::dead) continue;
    if (status != state::succeeded) {
      if (h.is_on()) out.push_back(sentence + "still waits, as " + it->second->id);
    } else if (!reached(m, h.host, id_in(owed.event), owed.at, e.ended)) {
      out.push_back(sentence + "is taken for delivered, and its receiver never took it");
    }
  }
}

void check_reasons(const evidence& e, complaints& out) {
  for (const auto& d : e.end.deliveries)
    if (d.status == state::dead && (d.attempts == 0 || (d.error.empty() && d.code == 0)))
      out.push_back("reasons: " + d.id + " is a dead letter and does not say why");
}

void check_end_of_trouble(const evidence& e, const model& m, complaints& out) {
  for (const auto& r : e.requests)
    if (r.healed && r.receipt->status != (r.what == kind::post ? 202 : 200))
      out.push_back("recovery: " + name_of(r) + " was answered " + to_string(r.receipt->status) +
                    ' ' + r.receipt->body);
  for (const auto& owed : m.debts) {
    const auto& h = m.hooks.at(owed.webhook);
    if (owed.at < e.healed || !h.is_on()) continue;
    if (!reached(m, h.host, id_in(owed.event), owed.at, owed.at + 3s))
      out.push_back("recovery: " + owed.event + " did not reach " + h.host + " within 3 s");
  }
  for (const auto& [name, n] : e.end.actors) {
    const std::size_t wanted = name == "destination" ? 0 : 1;
    if (n != wanted)
      out.push_back("recovery: there are " + to_string(n) + " of " + name +
                    ", and there should be " + to_string(wanted));
  }
  if (e.end.delivering != 0)
    out.push_back("recovery: " + to_string(e.end.delivering) +
                  " deliveries have a lease, and nobody delivers them");
}

void check_end_of_process(const evidence& e, complaints& out) {
  if (!e.end.stopped) out.push_back("departure: the process was told to end, and did not");
  if (e.end.unstopped > 0)
    out.push_back("departure: in the middle, the process was told to end, and did not in its time");
  for (const auto& [name, n] : e.end.actors_after)
    if (n != 0 && !name.starts_with("fake "))
      out.push_back("departure: " + to_string(n) + " of " + name + " outlive the process");
  if (e.end.timers_after != 0)
    out.push_back("departure: " + to_string(e.end.timers_after) + " timers outlive the process");
}

}  // namespace gate::hook_churn
