// Checkers of requests and sessions of a fleet, and of what is left.
#include "simulations/stories/fleet_checkers.hpp"

#include <algorithm>

#include "simulations/stories/fleet.hpp"
#include "simulations/world/client.hpp"

namespace gate::fleet_churn {
namespace {

using sim::at;
using kind = request::kind;
using std::to_string;
using namespace std::chrono_literals;

constexpr std::array kinds{"initialize", "initialized", "call",   "list",   "task",
                           "ask_task",   "subscribe",   "listen", "resume", "token",
                           "steal",      "leave",       "later",  "foreign"};

bool is_limited(const scenario& s) {
  return s.requests_per_minute != 0 || s.per_principal != 0;
}

/// Was it answered for a reason of its client's own, or of its instance's end?
bool is_cut_off(const request& r) {
  return r.left || r.vanished || r.session_may_be_over;
}

/// Nothing was in the way of its session, from its beginning to this answer.
bool is_in_peace(const evidence& e, const request& r) {
  return !is_cut_off(r) && e.calm(r.session_since, std::max(r.answered, r.sent));
}

std::string tool_of(const request& r) {
  return r.upstream + "__t" + to_string(r.number);
}

std::size_t audited(const request& r) {
  const auto status = r.receipt->status;
  return r.what == kind::initialized && status == 202 ? 0 : 1;
}

bool names_a_tool(const request& r) {
  return r.what == kind::call || r.what == kind::task || r.what == kind::foreign ||
         (r.what == kind::steal && r.number % 3);
}

}  // namespace

std::string_view word_of(request::kind what) {
  return kinds[static_cast<std::size_t>(what)];
}

std::string name_of(const request& r) {
  return std::string(word_of(r.what)) + " number " + to_string(r.number) + " (visitor " +
         to_string(r.visitor) + ", life " + to_string(r.life) + (r.upstream.empty() ? "" : ", ") +
         r.upstream + ", sent at " + to_string(r.at.count()) + " ms)";
}

complaints judge(const scenario& s, const evidence& e) {
  complaints out;
  check_endings(e, out);
  check_audit(e, out);
  check_calls(s, e, out);
  check_sessions(s, e, out);
  check_limits(s, e, out);
  check_budget(s, e, out);
  check_lease(s, e, out);
  check_assertions(e, out);
  check_tasks(e, out);
  check_resumed(e, out);
  check_tenants(e, out);
  check_credentials(e, out);
  check_recovery(s, e, out);
  check_departure(e, out);
  return out;
}

void check_endings(const evidence& e, complaints& out) {
  for (const auto& r : e.requests) {
    const auto& got = *r.receipt;
    const auto complain = [&](const std::string& what) {
      out.push_back("endings: " + name_of(r) + ' ' + what);
    };
    for (const auto& how : got.misuse) complain(": " + how);
    if (got.dropped && got.alive) complain("was dropped");
    if (got.endings > 1) complain("ended more than once");
    if (got.endings == 0 && got.alive && !got.dropped) complain("was never answered");
    if (got.endings != 1 || got.status != 200 || got.streaming || r.left) continue;
    if (r.what == kind::token || r.what == kind::listen || r.what == kind::resume) continue;
    if (at(got.body, "id") != to_string(r.number))
      complain("got the answer to another: " + got.body);
  }
}

void check_audit(const evidence& e, complaints& out) {
  std::vector<std::size_t> least(e.lives.size()), unknown(e.lives.size());
  std::vector<std::map<std::string, std::size_t>> by_name(e.lives.size());
  for (std::size_t i = 0; i < e.lives.size(); ++i)
    for (const auto& line : e.lives[i].audit)
      if (at(line, "method") == R"("tools/call")") ++by_name[i][at(line, "name")];
  for (const auto& r : e.requests) {
    if (r.receipt->status == 0 && (r.what == kind::listen || r.what == kind::resume))
      ++unknown[r.life];
    else
      least[r.life] += audited(r);
    if (!names_a_tool(r)) continue;
    const auto found = by_name[r.life]['"' + tool_of(r) + '"'];
    const auto status = r.receipt->status;
    const bool nameless = status == 404 || status == 429 || status == 503 || status == 0;
    if (found > 1 || (found == 0 && !nameless && !e.lives[r.life].killed))
      out.push_back("audit: " + name_of(r) + " has " + to_string(found) + " audit events");
  }
  for (std::size_t i = 0; i < e.lives.size(); ++i) {
    const auto there = e.lives[i].audit.size();
    if (there <= least[i] + unknown[i] && (there >= least[i] || e.lives[i].killed)) continue;
    out.push_back("audit: life " + to_string(i) + " has " + to_string(there) + " events for " +
                  to_string(least[i]) + " requests (and perhaps " + to_string(unknown[i]) + ')');
  }
}

void check_calls(const scenario& s, const evidence& e, complaints& out) {
  std::map<std::string, std::size_t> made;
  for (const auto& [host, seen] : e.seen)
    for (const auto& x : seen)
      if (x->method == "tools/call") ++made[x->param("name")];
  for (const auto& r : e.requests) {
    const auto complain = [&](const std::string& what) {
      out.push_back("calls: " + name_of(r) + ' ' + what + ": " + to_string(r.receipt->status) +
                    ' ' + r.receipt->last());
    };
    const auto name = "\"t" + to_string(r.number) + '"';
    if (names_a_tool(r) && made.contains(name) && made.at(name) > 1)
      complain("was made " + to_string(made.at(name)) + " times");
    if (r.what != kind::call) continue;
    const auto answer = r.receipt->last();
    const auto result = at(answer, "result");
    if (!result.empty() && at(answer, "result", "name") != name) complain("got another's result");
    if ((r.upstream != "good" && r.upstream != "own") || !is_in_peace(e, r)) continue;
    if (is_limited(s) && r.receipt->status == 429) continue;
    if (result.empty()) complain("failed");
    if (made[name] != 1) complain("was made " + to_string(made[name]) + " times");
  }
}

void check_sessions(const scenario& s, const evidence& e, complaints& out) {
  std::map<std::uint32_t, const request*> by_number;
  for (const auto& r : e.requests) by_number[r.number] = &r;
  for (const auto& [host, seen] : e.seen) {
    std::map<std::string, std::size_t> user;
    for (const auto& x : seen) {
      if (x->session.empty()) continue;
      if (!x->session.starts_with(host + "-session-"))
        out.push_back("sessions: " + x->session + " was used at " + host);
      if (x->method != "tools/call") continue;
      const auto who = by_number.find(churn::number_in(x->param("name")));
      if (who == by_number.end()) continue;
      const auto [used, first] = user.emplace(x->session, who->second->visitor);
      if (!first && used->second != who->second->visitor)
        out.push_back("sessions: " + x->session + " served two visitors");
    }
  }
  for (const auto& r : e.requests) {
    const auto status = r.receipt->status;
    const auto complain = [&](const std::string& what) {
      out.push_back("sessions: " + name_of(r) + ' ' + what + ": " + to_string(status) + ' ' +
                    r.receipt->last());
    };
    if (r.what == kind::steal && status != 0 && status != 404 && status != 429 && status != 503)
      complain("was answered with the session of another principal");
    if (r.what == kind::later && status != 404 && status != 429)
      complain("was answered although its session had ended");
    const bool of_its_own = r.what != kind::steal && r.what != kind::later &&
                            r.what != kind::token && r.what != kind::initialize;
    if (of_its_own && status == 404 && is_in_peace(e, r)) complain("lost its session");
    if (r.what == kind::initialize && !r.vanished && status != 200 &&
        !(is_limited(s) && status == 429))
      complain("was refused");
  }
}

void check_recovery(const scenario& s, const evidence& e, complaints& out) {
  std::map<std::string, std::size_t> taken;
  std::size_t came = 0;
  for (const auto& r : e.requests) {
    if (!r.healed) continue;
    const auto status = r.receipt->status;
    if (is_limited(s) && status == 429) out.push_back("recovery: " + name_of(r) + " has no room");
    if (r.what == kind::token) taken[r.about] += status == 200;
    if (r.what == kind::initialize && status == 200) ++came;
    if (r.session_since < e.healed || r.left) continue;
    const bool wants = r.what == kind::call || r.what == kind::task || r.what == kind::subscribe ||
                       (r.what == kind::ask_task && r.own);
    const auto answer = r.receipt->last();
    if (wants && at(answer, "result").empty())
      out.push_back("recovery: " + name_of(r) + " failed: " + to_string(status) + ' ' + answer);
  }
  for (const auto& [jti, times] : taken)
    if (times != 1)
      out.push_back("recovery: assertion " + jti + " was taken " + to_string(times) + " times");
  if (came != 2 * places) out.push_back("recovery: " + to_string(came) + " visitors have come");
  for (const auto& h : e.hearings)
    if (!h.heard)
      out.push_back("recovery: visitor " + to_string(h.visitor) + " did not hear " + h.what);
}

namespace {

/// What was opened at a server when all was well, somebody can end.
void check_servers(const evidence& e, complaints& out) {
  for (const auto& [host, seen] : e.seen) {
    std::map<std::string, time_point> first;
    std::set<std::string> ended;
    for (const auto& x : seen) {
      if (x->session.empty()) continue;
      first.emplace(x->session, x->at);
      if (x->method == "DELETE") ended.insert(x->session);
    }
    for (const auto& [session, since] : first)
      if (since >= e.healed && !ended.contains(session))
        out.push_back("departure: session " + session + " is left at its server");
  }
}

}  // namespace

void check_departure(const evidence& e, complaints& out) {
  for (std::size_t i = 0; i < e.lives.size(); ++i) {
    const auto& l = e.lives[i];
    if (l.killed) continue;
    const auto name = "departure: life " + to_string(i);
    if (!l.stopped) out.push_back(name + " does not stop");
    if (l.clients != 0) out.push_back(name + " has sessions of clients: " + to_string(l.clients));
    if (l.bridged != 0) out.push_back(name + " has bridged sessions: " + to_string(l.bridged));
  }
  for (const auto& key : e.left_keys) out.push_back("departure: the store still has " + key);
  check_servers(e, out);
}

}  // namespace gate::fleet_churn
