// Checkers of what was asked and answered.
#include "simulations/stories/checkers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "protocol/limits/operations.hpp"
#include "simulations/stories/documents.hpp"
#include "simulations/stories/fleet.hpp"

namespace gate::churn {
namespace {

using sim::at;
using kind = request::kind;
using std::to_string;

/// Was it answered for a reason of its client's own?
bool is_its_clients_doing(const request& r) {
  return r.cancelled || r.left || r.vanished || (r.receipt->status == 404 && r.session_may_be_over);
}

/// How often it must stand in the audit trail.
std::size_t audited(const request& r) {
  const auto status = r.receipt->status;
  switch (r.what) {
    case kind::health:
    case kind::metrics:
      return 0;
    case kind::ping:
    case kind::initialized:  // unless they were refused before anybody knew what they were
      return status == 200 || status == 202 ? 0 : 1;
    default:
      return 1;
  }
}

/// How often a host was asked for each tool, by its raw name.
std::map<std::string, std::size_t> times_asked(const std::vector<sim::sight_ptr>& seen) {
  std::map<std::string, std::size_t> out;
  for (const auto& s : seen)
    if (s->method == "tools/call") ++out[s->param("name")];
  return out;
}

/// Calls within which a server spoke, by their numbers.
std::map<std::uint32_t, std::vector<const sim::sight*>> spoken_in(const evidence& e) {
  std::map<std::uint32_t, std::vector<const sim::sight*>> out;
  for (const auto& [host, seen] : e.seen)
    for (const auto& s : seen)
      if (s->spoke && s->method == "tools/call")
        out[number_in(s->param("name"))].push_back(s.get());
  return out;
}

double latency_of(const std::string& line) {
  return std::strtod(at(line, "latencyMs").c_str(), nullptr);
}

}  // namespace

bool is_refused(const request& r, refusal_codes by) {
  return at(r.receipt->last(), "error", "code") == (r.stateless ? by.stateless : by.session);
}

std::string_view word_of(kind what) {
  constexpr std::array words{"initialize", "initialized", "call",    "list",     "read",
                             "subscribe",  "level",       "ping",    "cancel",   "listen",
                             "leave",      "health",      "metrics", "forbidden"};
  return words[static_cast<std::size_t>(what)];
}

std::string name_of(const request& r) {
  return "request " + to_string(r.receipt->number) + " (visitor " + to_string(r.visitor) +
         ", number " + to_string(r.number) + (r.upstream.empty() ? "" : ", " + r.upstream) +
         ", sent at " + to_string(r.at.count()) + " ms)";
}

complaints judge(const scenario& s, const evidence& e) {
  complaints out;
  check_answers(e, out);
  check_audit(e, out);
  check_the_healthy(s, e, out);
  check_latency(e, out);
  check_drain(e, out);
  check_reloads(e, out);
  check_marks(e, out);
  check_secrets(s, e, out);
  check_sessions(s, e, out);
  check_limits(s, e, out);
  check_policy(s, e, out);
  check_order(e, out);
  check_readers(e, out);
  check_revision(e, out);
  check_gauges(e, out);
  check_recovery(s, e, out);
  check_departure(s, e, out);
  return out;
}

void check_answers(const evidence& e, complaints& out) {
  for (const auto& r : e.requests) {
    const auto& got = *r.receipt;
    for (const auto& how : got.misuse) out.push_back("answers: " + name_of(r) + ": " + how);
    if (got.dropped && got.alive) out.push_back("answers: " + name_of(r) + " was dropped");
    if (got.endings > 1) out.push_back("answers: " + name_of(r) + " ended more than once");
    if (got.endings == 0 && got.alive && !got.dropped)
      out.push_back("answers: " + name_of(r) + " was never answered");
    if (got.endings != 1 || got.status != 200 || r.what == kind::listen || r.cancelled || r.left)
      continue;
    if (r.what == kind::health || r.what == kind::metrics) continue;
    // One response, and it is to this request.
    std::size_t responses = 0;
    for (const auto& text : got.streaming ? got.events() : std::vector<std::string>(1, got.body)) {
      if (at(text, "method").empty()) ++responses;
      if (at(text, "method").empty() && at(text, "id") != to_string(r.number))
        out.push_back("answers: " + name_of(r) + " got the answer to another: " + text);
    }
    if (responses != 1)
      out.push_back("answers: " + name_of(r) + " got " + to_string(responses) + " responses");
  }
}

void check_audit(const evidence& e, complaints& out) {
  std::size_t least = 0, unknown = 0;
  std::map<std::string, std::size_t> by_name;
  for (const auto& line : e.audit)
    if (at(line, "method") == R"("tools/call")") ++by_name[at(line, "name")];
  for (const auto& r : e.requests) {
    // Whoever has vanished did not see how it was answered.
    if (r.receipt->status == 0 && r.what == kind::listen)
      ++unknown;
    else
      least += audited(r);
    if (r.what != kind::call) continue;
    const auto found = by_name['"' + r.upstream + "__t" + to_string(r.number) + '"'];
    const auto status = r.receipt->status;
    const bool nameless = status == 404 || status == 429 || status == 503;
    if (found > 1 || (found == 0 && !nameless && status))
      out.push_back("audit: " + name_of(r) + " has " + to_string(found) + " audit events");
  }
  if (e.audit.size() < least || e.audit.size() > least + unknown)
    out.push_back("audit: there are " + to_string(e.audit.size()) + " events for " +
                  to_string(least) + " requests (and perhaps " + to_string(unknown) + ')');
}

void check_the_healthy(const scenario& s, const evidence& e, complaints& out) {
  std::map<std::string, const std::string*> lines;
  for (const auto& line : e.audit) lines[at(line, "name")] = &line;
  std::map<std::string, std::map<std::string, std::size_t>> asked;  // by host
  for (const auto& r : e.requests) {
    if (is_its_clients_doing(r)) continue;
    const auto answer = r.receipt->last();
    const auto status = r.receipt->status;
    const bool refused_to_all = s.requests_per_minute && status == 429;
    const bool stopping = s.abrupt && answer.find("stopping") != answer.npos;
    if (refused_to_all || stopping) continue;
    const auto complain = [&](const std::string& what) {
      out.push_back("healthy: " + name_of(r) + ' ' + what + ": " + to_string(status) + ' ' +
                    answer);
    };
    const bool of_good = r.what == kind::read || (r.what == kind::list && status != 200) ||
                         (r.what == kind::subscribe && r.upstream == "good");
    if (of_good && at(answer, "result").empty()) complain("failed");
    const bool local = r.what == kind::initialize || r.what == kind::ping || r.what == kind::level;
    if (local && at(answer, "result").empty()) complain("was refused");
    if (r.what == kind::health && status != 200 && !e.crashed.contains("health"))
      complain("says that nothing is well");
    if (r.what != kind::call || !stays(s, r.upstream)) continue;
    if ((r.upstream == "lim" && is_refused(r, rate_limited)) ||
        (r.upstream == "pen" && is_refused(r, exhausted)))
      continue;
    const auto name = "\"t" + to_string(r.number) + '"';
    if (at(answer, "result", "name") != name) {
      complain("failed");
      continue;
    }
    const auto line = lines['"' + r.upstream + "__t" + to_string(r.number) + '"'];
    const auto due = static_cast<double>(delay_of(r.upstream, r.number).count());
    if (line && latency_of(*line) > due) complain("took " + to_string(latency_of(*line)) + " ms");
    if (!delay_of(r.upstream, r.number).count()) continue;
    auto [counts, fresh] = asked.try_emplace(r.upstream);
    if (fresh) counts->second = times_asked(e.seen.at(r.upstream));
    const auto times = counts->second[name];
    if (times != 1) complain("was asked for " + to_string(times) + " times");
  }
}

void check_latency(const evidence& e, complaints& out) {
  // Lists and owners of resources wait for all upstreams, initialize to get to know new ones.
  const std::map<std::string, double> bounds{{R"("initialize")", 2'000},
                                             {R"("tools/list")", 10'000},
                                             {R"("prompts/list")", 10'000},
                                             {R"("resources/list")", 10'000},
                                             {R"("resources/templates/list")", 10'000},
                                             {R"("tools/call")", request_timeout.count()}};
  // (Those that leave no event, to the second.)
  for (const auto& r : e.requests) {
    const bool of_health = r.what == kind::health;
    const auto bound = of_health ? std::chrono::seconds(6) : std::chrono::seconds(1);
    if ((of_health || r.what == kind::ping) && r.receipt->status && r.answered - r.sent > bound)
      out.push_back("latency: " + name_of(r) + " waited for " +
                    to_string((r.answered - r.sent) / std::chrono::milliseconds(1)) + " ms");
  }
  // A server that speaks within a call, which ours do at once, has from then on.
  std::map<std::string, double> more;
  const auto spoken = spoken_in(e);
  for (const auto& r : e.requests) {
    const auto of_it = spoken.find(r.number);
    if (r.what != kind::call || of_it == spoken.end()) continue;
    for (const auto* x : of_it->second)
      more['"' + r.upstream + "__t" + to_string(r.number) + '"'] =
          std::chrono::duration<double, std::milli>(x->at - r.sent).count();
  }
  for (const auto& line : e.audit) {
    const auto bound = bounds.find(at(line, "method"));
    if (bound == bounds.end()) continue;
    const auto later = more.find(at(line, "name"));
    if (latency_of(line) > bound->second + (later == more.end() ? 0 : later->second))
      out.push_back("latency: " + line);
  }
}

void check_drain(const evidence& e, complaints& out) {
  const auto& end = e.end;
  const auto since_told = [&](time_point t) {
    return to_string((t - end.told_to_stop) / std::chrono::milliseconds(1)) +
           " ms after the gateway was told to end";
  };
  // (It is looked at twice a second.)
  const auto slack = std::chrono::seconds(1);
  const auto answers_until = end.told_to_stop + limits::drain + limits::refusals_flush + slack;
  if (end.stopped_at > answers_until + limits::goodbye)
    out.push_back("drain: it ended " + since_told(end.stopped_at));
  for (const auto& r : e.requests) {
    if (!r.under_way || r.what == kind::listen) continue;
    if (r.answered == time_point{} || r.answered > answers_until)
      out.push_back("drain: " + name_of(r) + " ran then, and " +
                    (r.answered == time_point{} ? "was not answered"
                                                : "was answered " + since_told(r.answered)));
    // Of calls that take no longer than that none needs to be refused.
    if (r.what == kind::call && keeps_time(r.upstream) &&
        r.receipt->last().find("stopping") != std::string::npos)
      out.push_back("drain: " + name_of(r) + " ran then, and was refused " +
                    since_told(r.answered) + ": " + r.receipt->last());
  }
}

void check_reloads(const evidence& e, complaints& out) {
  for (std::size_t i = 0; i < e.reloads.size(); ++i) {
    const auto& r = e.reloads[i];
    const auto name = "reloads: number " + to_string(i);
    if (!r.answered) out.push_back(name + " was never answered");
    if (r.taken && !r.good) out.push_back(name + " took over a bad document");
    // Two by signal and one of discovery may have waited, too.
    const bool too_many =
        r.beside + 3 >= limits::reloads && r.problems.find("too many reloads") != r.problems.npos;
    if (r.answered && !r.taken && r.good && !too_many && !e.crashed.contains("loader"))
      out.push_back(name + " refused a good document: " + r.problems);
  }
}

}  // namespace gate::churn
