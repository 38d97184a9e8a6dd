// Checkers of what servers saw, of what metrics say, and of what is left.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "simulations/stories/checkers.hpp"
#include "simulations/stories/documents.hpp"
#include "simulations/stories/fleet.hpp"

namespace gate::churn {
namespace {

using sim::at;
using sim::sight;
using std::to_string;

/// What RATE LIMITER and BUDGET count: calls, and the first page of lists.
bool is_counted(const sight& s) {
  static const std::set<std::string, std::less<>> free{"initialize",
                                                       "notifications/initialized",
                                                       "ping",
                                                       "GET",
                                                       "DELETE",
                                                       "response",
                                                       "notifications/cancelled",
                                                       "logging/setLevel"};
  return !free.contains(s.method) && s.param("cursor").empty();
}

std::vector<time_point> counted(const evidence& e, const std::string& host) {
  std::vector<time_point> out;
  const auto seen = e.seen.find(host);
  if (seen == e.seen.end()) return out;
  for (const auto& s : seen->second)
    if (is_counted(*s)) out.push_back(s->at);
  return out;
}

constexpr std::chrono::minutes minute{1};

/// The sliding window of two buckets, told independently: is this more than it can have let in, if
/// its minutes begin at `began`?
bool exceeds(const std::vector<time_point>& times, std::size_t from, time_point began,
             std::int64_t limit) {
  std::int64_t bucket = 0;
  double before = 0, now = 0;
  for (auto i = from; i < times.size(); ++i) {
    const auto at = (times[i] - began) / minute;
    if (at != bucket) before = at == bucket + 1 ? now : 0;
    if (at != bucket) now = 0;
    bucket = at;
    const std::chrono::duration<double> into = times[i] - began - at * minute;
    if (before * (1 - into.count() / 60) + now + 1 > static_cast<double>(limit) + 1e-6) return true;
    ++now;
  }
  return false;
}

/// Minutes are those of the clock: what is asked for again and again comes as soon as there is
/// room.
bool exceeds(const std::vector<time_point>& times, std::int64_t limit) {
  if (times.empty()) return false;
  const auto began = std::chrono::floor<std::chrono::minutes>(times.front().time_since_epoch());
  return exceeds(times, 0, time_point(began), limit);
}

std::size_t at_least_none(const std::map<std::string, std::size_t>& census, const char* name) {
  const auto it = census.find(name);
  return it == census.end() ? 0 : it->second;
}

}  // namespace

std::vector<std::pair<std::string, double>> samples(const std::string& exposition) {
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t begin = 0; begin < exposition.size();) {
    const auto end = std::min(exposition.find('\n', begin), exposition.size());
    const auto line = exposition.substr(begin, end - begin);
    begin = end + 1;
    const auto space = line.rfind(' ');
    if (line.empty() || line.starts_with('#') || space == line.npos) continue;
    out.emplace_back(line.substr(0, space), std::strtod(line.c_str() + space, nullptr));
  }
  return out;
}

void check_sessions(const scenario& s, const evidence& e, complaints& out) {
  std::map<std::uint32_t, std::size_t> visitor_of;
  for (const auto& r : e.requests)
    if (r.what == request::kind::call) visitor_of[r.number] = r.visitor;
  for (const auto& [host, seen] : e.seen) {
    std::map<std::string, std::size_t> user;
    std::map<std::string, caf::actor_id> holder;
    for (const auto& x : seen) {
      if (x->session.empty()) continue;
      if (!x->session.starts_with(host + "-session-"))
        out.push_back("sessions: " + x->session + " was used at " + host);
      const auto [held, first_holder] = holder.emplace(x->session, x->asker.id());
      if (!first_holder && held->second != x->asker.id())
        out.push_back("sessions: " + x->session + " was used by two actors");
      if (x->method != "tools/call") continue;
      const auto who = visitor_of.find(number_in(x->param("name")));
      if (who == visitor_of.end()) continue;
      const auto [used, first_user] = user.emplace(x->session, who->second);
      if (!first_user && used->second != who->second)
        out.push_back("sessions: " + x->session + " of " + host + " served two visitors");
    }
  }
  if (s.steady && s.has("trio") && e.seen.at("t1").empty() && e.end.healed)
    out.emplace_back("sessions: t1 never got one");
}

namespace {

/// Calls of this upstream that may have been counted without being sent; and lists, which with
/// `listsPerClient` are fetched in the session that ended: resources are looked for in two.
std::size_t cut_off(const evidence& e, std::string_view upstream) {
  std::size_t out = 0;
  for (const auto& r : e.requests) {
    if (!r.cancelled && !r.left && !r.vanished) continue;
    if (r.upstream == upstream) ++out;
    if (r.what == request::kind::list) ++out;
    if (r.what == request::kind::read || r.what == request::kind::subscribe) out += 2;
  }
  return out;
}

/// Until when it may have been refused: who subscribes is asked for only when it is known whose the
/// resource is, which can take a while.
time_point until(const request& r) {
  return std::max(r.sent, r.answered);
}

/// Neither more than the limit is let in, nor is anything refused while there is room.
void check_rate(const evidence& e, complaints& out) {
  const auto times = counted(e, "lim");
  if (exceeds(times, lim_per_minute))
    out.emplace_back("limits: lim was asked more often than its rate limit allows");
  for (const auto& r : e.requests) {
    if (r.upstream != "lim" || !is_refused(r, rate_limited)) continue;
    const auto recent = std::ranges::count_if(
        times, [&](time_point t) { return t <= until(r) && r.sent - t < 2 * minute; });
    if (recent + static_cast<std::ptrdiff_t>(cut_off(e, "lim")) < lim_per_minute)
      out.push_back("limits: call " + to_string(r.number) + " of lim was refused without need");
  }
}

void check_budget(const evidence& e, complaints& out) {
  // The hour turns once, when all is healed.
  const auto asked = counted(e, "pen");
  if (asked.size() > static_cast<std::size_t>(pen_calls * (e.end.healed ? 2 : 1)))
    out.push_back("limits: pen was asked " + to_string(asked.size()) + " times");
  for (const auto& r : e.requests) {
    if (r.upstream != "pen" || !is_refused(r, exhausted)) continue;
    const auto before = std::ranges::count_if(asked, [&](time_point t) { return t <= until(r); });
    if (before + static_cast<std::ptrdiff_t>(cut_off(e, "pen")) < pen_calls)
      out.push_back("limits: call " + to_string(r.number) + " of pen was refused without need");
  }
}

}  // namespace

void check_limits(const scenario& s, const evidence& e, complaints& out) {
  // BUDGET counts the requests to upstreams, too.
  if (!e.crashed.contains("budget")) {
    if (s.has("pen")) check_budget(e, out);
    if (s.has("lim")) check_rate(e, out);
  }
  if (!s.requests_per_minute || e.crashed.contains("rate limiter")) return;
  std::vector<time_point> let_in;
  for (const auto& r : e.requests) {
    using kind = request::kind;
    const bool of_mcp = r.what != kind::health && r.what != kind::metrics;
    const auto status = r.receipt->status;
    if (of_mcp && status && status != 429 && status != 503) let_in.push_back(r.sent);
  }
  if (exceeds(let_in, s.requests_per_minute))
    out.emplace_back("limits: more requests came in than the limit of all allows");
}

void check_gauges(const evidence& e, complaints& out) {
  for (const auto& text : e.expositions) {
    for (const auto& [name, value] : samples(text)) {
      if (!name.starts_with("gate_")) continue;
      const bool breaker = name.starts_with("gate_upstream_breaker_state");
      const bool endpoint = name.starts_with("gate_upstream_endpoint_healthy");
      const bool odd = value < 0 || (breaker && value != 0 && value != 1 && value != 2) ||
                       (endpoint && value != 0 && value != 1);
      if (odd) out.push_back("gauges: " + name + " is " + to_string(value));
    }
  }
}

void check_recovery(const scenario& s, const evidence& e, complaints& out) {
  if (!e.end.healed) return;
  const auto complain = [&](const std::string& what) { out.push_back("recovery: " + what); };
  for (const auto& r : e.requests) {
    if (!r.healed || r.receipt->status == 404 || r.receipt->status == 429 || r.left) continue;
    const auto answer = r.receipt->last();
    if (r.what == request::kind::call && at(answer, "result").empty())
      complain(r.upstream + " does not answer: " + answer);
    if (r.what != request::kind::list) continue;
    if (!at(answer, "result", "_meta", "gate/partialFailure").empty())
      complain("a list is incomplete: " + answer);
    for (const auto& id : s.upstreams)
      if (answer.find('"' + id + "__echo\"") == answer.npos)
        complain("a list lacks the tool of " + id + ": " + answer);
  }
  if (at(e.end.health, "status") != R"("ok")") complain("/health says " + e.end.health);
  std::size_t breakers = 0, endpoints = 0;
  for (const auto& [name, value] : samples(e.end.metrics)) {
    if (name.starts_with("gate_upstream_breaker_state")) {
      ++breakers;
      if (value != 0) complain(name + " is " + to_string(value));
    }
    if (!name.starts_with("gate_upstream_endpoint_healthy")) continue;
    ++endpoints;
    if (value != 1) complain(name + " is 0");
  }
  if (endpoints != (s.has("trio") ? replicas.size() : 0))
    complain("there are " + to_string(endpoints) + " gauges of endpoints");
  if (breakers != e.end.upstreams) complain("there are " + to_string(breakers) + " breaker gauges");
  const std::map<std::string, std::size_t> wanted{{"gateway", 1},
                                                  {"audit", 1},
                                                  {"sink", 1},
                                                  {"health", 1},
                                                  {"tasks", 1},
                                                  {"rate limiter", 1},
                                                  {"budget", 1},
                                                  {"loader", 1},
                                                  {"discovery", s.discovery ? 1 : 0},
                                                  {"router", s.units},
                                                  {"upstream", s.units * e.end.upstreams},
                                                  {"breaker", e.end.upstreams},
                                                  {"balancer", e.end.balancers}};
  for (const auto& [name, count] : wanted)
    if (const auto there = at_least_none(e.end.actors, name.c_str()); there != count)
      complain("there are " + to_string(there) + " actors " + name + ", not " + to_string(count));
}

void check_departure(const scenario& s, const evidence& e, complaints& out) {
  if (!e.end.stopped) out.emplace_back("departure: the gateway does not stop");
  if (!e.end.healed) return;
  for (const auto& [name, value] : samples(e.end.metrics_after))
    if ((name.starts_with("gate_sessions") ||
         name.starts_with(R"(gate_upstream_sessions{kind="bridged")")) &&
        value != 0)
      out.push_back("departure: " + name + " is " + to_string(value));
  if (const auto n = at_least_none(e.end.actors_after, "bridged session"))
    out.push_back("departure: " + to_string(n) + " bridged sessions are left");
  const auto roots = at_least_none(e.end.actors_after, "root session");
  // Of the plain kind, and of the visitors' own for a while behind the last of them.
  if (roots > 2 * s.units * e.end.upstreams)
    out.push_back("departure: there are " + to_string(roots) + " root sessions");
  for (const auto& session : e.end.left_sessions)
    out.push_back("departure: session " + session + " is left at its server");
}

}  // namespace gate::churn
