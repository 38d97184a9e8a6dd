// What a fleet counts together, told independently: by what servers saw and clients were answered.
#include <algorithm>

#include "protocol/limits.hpp"
#include "simulations/stories/fleet_checkers.hpp"
#include "simulations/world/client.hpp"

namespace gate::fleet_churn {
namespace {

using sim::at;
using sim::sight;
using kind = request::kind;
using std::to_string;
using std::chrono::milliseconds;
using times = std::vector<time_point>;

/// Of something that was let in: when it was decided, if the store did; by when it was, if that did
/// not answer, so that somebody decided alone.
struct decision {
  time_point at, until;
};
using decisions = std::vector<decision>;
using namespace std::chrono_literals;

/// What limits and budgets count: all that clients may want, and the first page of lists.
bool is_counted(const sight& s) {
  static const std::set<std::string, std::less<>> free{
      "initialize", "ping", "GET", "DELETE", "response", "logging/setLevel"};
  return !free.contains(s.method) && !s.method.starts_with("notifications/") &&
         s.param("cursor").empty();
}

/// Is this the request that was sent in a session which its server did not know, once more?
bool is_once_more(const sight& s, const sight& stray) {
  return s.asker.id() == stray.asker.id() && s.method == stray.method &&
         s.param("name") == stray.param("name") && s.param("uri") == stray.param("uri");
}

/// A handshake lies between.
constexpr auto most_of_a_retry = 10s;

/// A request is let in once, and may be sent twice: when the first time was in a session that had
/// ended at its server.
times counted(const evidence& e, const std::string& host) {
  times out;
  const auto seen = e.seen.find(host);
  if (seen == e.seen.end()) return out;
  std::vector<const sight*> strays;
  for (const auto& s : seen->second) {
    if (!is_counted(*s)) continue;
    std::erase_if(strays, [&](const sight* x) { return x->at + most_of_a_retry < s->at; });
    const auto first =
        std::ranges::find_if(strays, [&](const sight* x) { return is_once_more(*s, *x); });
    if (first == strays.end())
      out.push_back(s->at);
    else
      strays.erase(first);
    if (s->stray) strays.push_back(s.get());
  }
  return out;
}

constexpr milliseconds minute{60'000};
constexpr milliseconds hour{3'600'000};

/// In which period of the store's clock it was decided; none if that is not certain.
std::optional<std::int64_t> period_of(const evidence& e, time_point t, milliseconds slack,
                                      milliseconds length) {
  const auto last = e.store_time(t) / length;
  if ((e.store_time(t) - slack) / length != last) return {};
  return last;
}

/// The sliding window of two minutes. What is seen at one time was decided within `slack` before
/// that, by the store; where somebody decided alone, by that one, from what it knew, and as late as
/// an outage began that kept the store's answer from it.
void check_window(const evidence& e, const std::string& what, const decisions& all,
                  std::int64_t limit, milliseconds slack, complaints& out) {
  for (const auto& [t, by] : all) {
    const auto now = period_of(e, t, slack, minute);
    if (!now) continue;
    std::int64_t current = 0, previous = 0;
    auto until = by;
    for (const auto& [other, its_until] : all) {
      const auto its = period_of(e, other, slack, minute);
      if (its == *now && other <= t) {
        ++current;
        until = std::max(until, its_until);
      }
      if (its == *now - 1) ++previous;
    }
    const auto into = e.store_time(t) - *now * minute;
    const auto trouble = e.turmoil(t - into - minute, until);
    const auto weighed = trouble > 0 ? static_cast<double>(current)
                                     : static_cast<double>(current) +
                                           static_cast<double>(previous) *
                                               (1 - static_cast<double>(into.count()) / 60'000);
    if (weighed <= static_cast<double>(limit * (1 + trouble)) + 1e-6) continue;
    out.push_back("limits: " + what + ": " + to_string(current) + " within a minute, and " +
                  to_string(previous) + " in the one before, where " + to_string(limit) +
                  " have room (" + to_string(trouble) + " times somebody decided alone)");
    return;
  }
}

/// Neither may any be refused while there is room.
void check_refusals(const evidence& e, complaints& out) {
  const auto seen = counted(e, "lim");
  std::vector<const request*> refused, others;
  for (const auto& r : e.requests) {
    if (r.upstream != "lim") continue;
    const bool no_room = at(r.receipt->last(), "error", "code") == "-32040";
    (no_room ? refused : others).push_back(&r);
  }
  for (const auto* it : refused) {
    const auto& r = *it;
    const auto from = r.sent - 2 * minute - 1s;
    if (!e.calm(from, r.answered)) continue;
    const auto wanted = std::ranges::count_if(others, [&](const request* other) {
      return other->sent >= from && other->sent <= r.answered;
    });
    const auto came =
        std::ranges::count_if(seen, [&](time_point t) { return t >= from && t <= r.answered; });
    if (wanted + came < lim_per_minute)
      out.push_back("limits: " + name_of(r) + " was refused without need");
  }
}

/// Those that upstreams see have been decided by then.
decisions decided(const times& seen) {
  decisions out;
  for (const auto t : seen) out.push_back({t, t});
  return out;
}

/// Those requests that were let in: by the store, or by who has waited for it in vain.
decisions let_in(const scenario& s, const evidence& e, std::string_view principal) {
  decisions out;
  for (const auto& r : e.requests) {
    const auto status = r.receipt->status;
    if (r.what == kind::token || status == 0 || status == 429 || status == 503) continue;
    const auto asked = r.sent + s.longest;
    if (principal.empty() || principal_of(r.visitor) == principal)
      out.push_back({asked, std::clamp(r.answered, asked, asked + limits::store_operation)});
  }
  return out;
}

}  // namespace

void check_limits(const scenario& s, const evidence& e, complaints& out) {
  check_window(e, "lim", decided(counted(e, "lim")), lim_per_minute, s.longest + 5ms, out);
  check_refusals(e, out);
  if (s.requests_per_minute)
    check_window(e, "everybody", let_in(s, e, {}), s.requests_per_minute, s.longest + 5ms, out);
  if (s.per_principal)
    for (const auto* who : {"alice", "bob", "carol"})
      check_window(e, who, let_in(s, e, who), s.per_principal, s.longest + 5ms, out);
}

void check_budget(const scenario& s, const evidence& e, complaints& out) {
  const auto seen = e.seen.find("pen");
  if (seen == e.seen.end()) return;
  // By period; and by who asked, whose own count no outage makes less.
  std::map<std::int64_t, std::pair<std::int64_t, time_point>> all;
  std::map<std::pair<std::int64_t, std::size_t>, std::int64_t> each;
  const auto slack = s.longest + 5ms;
  for (const auto& x : seen->second) {
    if (!is_counted(*x)) continue;
    // Who has not heard from the store yet goes by its own clock.
    auto surely = period_of(e, x->at - 30s, 60s, hour);
    if (surely != period_of(e, x->at + 30s, 60s, hour)) surely.reset();
    const auto of_all = e.calm(x->at - slack, x->at) ? period_of(e, x->at, slack, hour) : surely;
    if (of_all) {
      auto& [count, last] = all[*of_all];
      ++count;
      last = x->at;
    }
    const auto who = e.asked_by.find(x.get());
    if (surely && who != e.asked_by.end()) ++each[{*surely, who->second}];
  }
  for (const auto& [period, found] : all) {
    const auto [count, last] = found;
    const auto begin = last - (e.store_time(last) - period * hour);
    const auto trouble = e.turmoil(begin, last);
    if (count > pen_calls * (1 + trouble))
      out.push_back("budget: pen was asked " + to_string(count) + " times in an hour (" +
                    to_string(trouble) + " times somebody decided alone)");
  }
  for (const auto& [who, count] : each)
    if (count > pen_calls)
      out.push_back("budget: life " + to_string(who.second) + " asked pen " + to_string(count) +
                    " times in an hour");
}

namespace {

/// Begin or end of something at sick.
struct step {
  time_point at;
  bool ends;
  bool failed;
  const sight* of;
};

std::vector<step> steps_of(const evidence& e) {
  std::vector<step> out;
  const auto seen = e.seen.find("sick");
  if (seen == e.seen.end()) return out;
  for (const auto& x : seen->second) {
    if (!is_counted(*x)) continue;
    const bool call = x->method == "tools/call";
    const bool failed = e.failed.contains(x.get());
    if (call) out.push_back({x->at, false, failed, x.get()});
    if (x->finished) out.push_back({x->at + (call ? sick_takes : 0ms), true, failed, x.get()});
  }
  std::ranges::stable_sort(out, {}, &step::at);
  return out;
}

bool dies_soon(const evidence& e, const step& s) {
  const auto who = e.asked_by.find(s.of);
  if (who == e.asked_by.end()) return true;
  const auto& life = e.lives[who->second];
  return life.killed && life.ended <= s.at + 1s;
}

/// Whoever has only begun may not have heard of anything yet.
bool has_just_begun(const evidence& e, const step& s, milliseconds slack) {
  const auto who = e.asked_by.find(s.of);
  return who != e.asked_by.end() && s.at <= e.lives[who->second].began + slack;
}

}  // namespace

/// From the moment on at which the circuit is certainly open and everybody has heard of it, until
/// a call succeeds, no two calls are under way that began since. Who decides alone has a circuit of
/// its own, so that nothing is certain.
void check_lease(const scenario& s, const evidence& e, complaints& out) {
  const auto slack = 2 * s.longest + 5ms;
  std::int64_t failures = 0;
  time_point first{}, good{};
  std::optional<time_point> open;
  std::vector<const sight*> probes;
  for (const auto& x : steps_of(e)) {
    if (x.ends && !x.failed) {
      failures = 0;
      good = x.at;
      open.reset();
      probes.clear();
    } else if (x.ends) {
      std::erase(probes, x.of);
      if (x.at <= good + slack || dies_soon(e, x) || !e.calm(x.at, x.at)) continue;
      if (failures++ == 0) first = x.at;
      if (failures >= failure_threshold && !open) open = x.at;
    } else if (open && x.at > *open + slack && !has_just_begun(e, x, slack)) {
      std::erase_if(probes, [](const sight* p) { return !p->finished; });
      probes.push_back(x.of);
      if (probes.size() <= 1 || !e.calm(first, x.at)) continue;
      out.push_back("lease: " + to_string(probes.size()) + " calls of sick are under way, among " +
                    probes.back()->param("name") + ", while its circuit is open");
      return;
    }
  }
}

namespace {

bool decided_alone(const evidence& e, const request& r) {
  return std::ranges::any_of(e.alones, [&](const alone& a) {
    return a.life == r.life && a.from <= r.answered && r.sent <= a.to;
  });
}

/// The store knows of it by then, however it was decided.
bool is_told_by(const evidence& e, const request& r, time_point then) {
  const auto lost = [&](time_point t) { return r.sent <= t && t <= then; };
  if (std::ranges::any_of(e.losses, lost)) return false;
  if (!decided_alone(e, r)) return true;
  const auto& life = e.lives[r.life];
  for (const auto& a : e.alones)
    if (a.life == r.life && a.from <= then && r.sent <= a.to && a.to + 5s > then) return false;
  return !life.killed || life.ended > then;
}

}  // namespace

void check_assertions(const evidence& e, complaints& out) {
  std::map<std::string, std::vector<const request*>> taken;
  for (const auto& r : e.requests)
    if (r.what == kind::token && r.receipt->status == 200) taken[r.about].push_back(&r);
  for (const auto& [jti, all] : taken)
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t n = i + 1; n < all.size(); ++n) {
        const auto &one = *all[i], &two = *all[n];
        const bool same = one.life == two.life;
        if (same || (!decided_alone(e, two) && is_told_by(e, one, two.sent)))
          out.push_back("assertions: " + jti + " was taken by " + name_of(one) + " and by " +
                        name_of(two));
      }
}

namespace {

/// The numbers of the notices of a call, in the order in which they were heard.
std::vector<std::string> notices_of(const std::string& call, const request& r) {
  std::vector<std::string> out;
  for (const auto& text : r.receipt->events())
    if (at(text, "params", "data", "call") == call) out.push_back(at(text, "params", "data", "n"));
  return out;
}

/// What a client heard of its call, before its connection broke and behind that.
void check_notices(const evidence& e, const request& back, bool in_peace, complaints& out) {
  const auto call = std::ranges::find_if(e.requests, [&](const request& r) {
    return r.what == kind::call && to_string(r.number) == back.about;
  });
  auto heard = notices_of(back.about, *call);
  const auto before = heard.size();
  for (auto& n : notices_of(back.about, back)) heard.push_back(std::move(n));
  for (std::size_t i = 0; i < heard.size(); ++i) {
    // What was lost with an instance, or with the store, is not told; what was told is not again.
    const bool follows = heard[i] == to_string(i);
    const bool repeated = i > 0 && std::stoul(heard[i]) <= std::stoul(heard[i - 1]);
    if (follows || (!repeated && !in_peace)) continue;
    out.push_back("streams: " + name_of(back) + " heard notice " + heard[i] + " of its call " +
                  (i == 0 ? "first" : "behind " + heard[i - 1]) + ", " + to_string(before) +
                  " of them before it came back");
    return;
  }
  if (in_peace && heard.size() != long_call_notices.size())
    out.push_back("streams: " + name_of(back) + " heard " + to_string(heard.size()) + " of the " +
                  to_string(long_call_notices.size()) + " notices of its call");
}

}  // namespace

void check_resumed(const evidence& e, complaints& out) {
  for (const auto& r : e.requests) {
    const auto status = r.receipt->status;
    const bool refused = status == 404 || status == 429;
    if (r.what != kind::resume || refused || r.vanished || r.left || r.session_may_be_over)
      continue;
    const auto from = r.sent - long_call, to = r.sent + long_call + 1s;
    const bool dies = std::ranges::any_of(e.lives, [&](const life& l) {
      return (l.killed || l.stopped) && from <= l.ended && l.ended <= to;
    });
    const bool in_peace = !dies && e.calm(r.session_since, to);
    check_notices(e, r, in_peace, out);
    if (!in_peace) continue;
    const auto last = r.receipt->last();
    if (status != 200 || at(last, "id") != r.about || at(last, "result").empty())
      out.push_back("streams: " + name_of(r) + " has no answer: " + std::to_string(status) + ' ' +
                    last);
  }
}

void check_tasks(const evidence& e, complaints& out) {
  for (const auto& r : e.requests) {
    if (r.what != kind::ask_task || r.known == time_point{} || r.vanished || r.left) continue;
    // The store is told a moment later, if its instance lives so long.
    if (r.known + 1s > r.sent || !e.calm(r.made, std::max(r.answered, r.sent))) continue;
    const auto minter = std::ranges::find(e.requests, r.about, &request::about);
    const auto& life = e.lives[minter->life];
    if (life.killed && life.ended < r.known + 1s) continue;
    const auto answer = r.receipt->last();
    const auto status = r.receipt->status;
    const bool found = !at(answer, "result").empty();
    if (found && !r.own)
      out.push_back("tasks: " + name_of(r) + " was told of " + r.about + ", which is another's");
    if (!found && r.own && status != 404 && status != 429)
      out.push_back("tasks: " + name_of(r) + " was not told of its " + r.about + ": " + answer);
  }
}

}  // namespace gate::fleet_churn
