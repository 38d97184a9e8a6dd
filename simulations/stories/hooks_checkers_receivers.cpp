// Checkers of what receivers of `gate-hooks` saw.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "protocol/base/base64.hpp"
#include "protocol/base/hmac.hpp"
#include "protocol/limits/webhooks.hpp"
#include "simulations/stories/hooks_checkers.hpp"

namespace gate::hook_churn {
namespace {

using namespace std::chrono_literals;
using std::to_string;
using webhook::state;

/// What was taken before something changed may be under way for so long.
constexpr auto a_lease = limits::webhook_answer + limits::webhook_lease_margin + 5s;

std::string name_of(const arrived& a) {
  return "attempt " + to_string(a.attempt) + " of " + a.delivery + " to " + a.host;
}

std::string event_of(const model::hook& h, const arrived& a) {
  return model::name_of(h.organization, a.event);
}

/// Nothing of it is kept: it was for a test.
bool is_trial(const model& m, const model::hook& h, const arrived& a) {
  return !m.events.contains(event_of(h, a));
}

std::string in_hex(const sha256_digest& d) {
  constexpr const char* digits = "0123456789abcdef";
  std::string out;
  for (const auto byte : d) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

bool signed_by(const arrived& a, const std::string& secret) {
  const auto& s = *a.what;
  if (s.header("x-gate-signature") != in_hex(hmac_sha256(secret, s.body))) return false;
  const auto digest =
      hmac_sha256(secret, a.event + '.' + s.header("webhook-timestamp") + '.' + s.body);
  const auto standard =
      "v1," + base64_encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
  return s.header("webhook-signature").find(standard) != std::string::npos;
}

/// The arrival that an attempt was noted for.
const arrived* find_arrival(const model& m, const std::string& delivery, const model::note& n) {
  const auto all = m.of_delivery.find(delivery);
  if (all == m.of_delivery.end()) return nullptr;
  const arrived* out = nullptr;
  for (const auto* a : all->second) {
    if (a->attempt != n.attempt || a->what->at > n.at) continue;
    if (out == nullptr || a->code == n.what.what.code) out = a;
  }
  return out;
}

/// What is to become of a delivery, and after which pauses it is attempted again.
struct verdict_of_attempt {
  state status = state::succeeded;
  std::chrono::milliseconds least{0}, most{0};
};
verdict_of_attempt what_follows(const arrived& a, int code, const model::note& n) {
  if (code >= 200 && code < 300) return {};
  const std::size_t all = std::size(pauses);
  const auto made = n.only_one ? all : std::size_t{n.attempt};
  if (code == 410 || made >= all) return {state::dead, {}, {}};
  const std::chrono::milliseconds pause = pauses[made];
  const std::chrono::milliseconds told = code == 429 || code == 503 ? a.retry_after : 0s;
  return {state::failed, std::max(pause * 4 / 5, told), std::max(pause * 6 / 5, told)};
}

std::string_view word_of(state s) {
  constexpr std::string_view words[] = {"pending", "delivering", "succeeded", "failed", "dead"};
  return words[static_cast<std::size_t>(s)];
}

void check_note(const evidence& e, const model& m, const std::string& delivery,
                const model::note& n, complaints& out) {
  const auto sentence =
      "attempts: attempt " + to_string(n.attempt) + " of " + delivery + " was noted ";
  const auto* a = find_arrival(m, delivery, n);
  if (a == nullptr) {
    out.push_back(sentence + "at " + when(e, n.at) + ", and nobody was asked");
    return;
  }
  const auto code = n.what.what.code;
  if (code != a->code) {
    out.push_back(sentence + "with code " + to_string(code) + ", and its receiver said " +
                  to_string(a->code));
    return;
  }
  const auto wanted = what_follows(*a, code, n);
  if (n.what.status != wanted.status) {
    out.push_back(sentence + "as " + std::string(word_of(n.what.status)) + " after code " +
                  to_string(code) + ", and should be " + std::string(word_of(wanted.status)));
    return;
  }
  if (wanted.status != state::failed || !keeps_time(e, a->what->at, n.at)) return;
  const auto pause = n.what.next.value_or(wall_time{}) - (n.what.what.at + n.what.what.took);
  // (Times are cut to milliseconds.)
  if (pause < wanted.least - 1ms || pause > wanted.most + 1ms)
    out.push_back(sentence + "to be made again after " + to_string(pause.count()) +
                  " ms, and should be after " + to_string(wanted.least.count()) + " to " +
                  to_string(wanted.most.count()));
}

/// Was it attempted before its time?
void check_pause(const evidence& e, const model::delivery& d, const arrived& a, complaints& out) {
  if (a.attempt < 2 || d.notes.size() < a.attempt - 1) return;
  const auto& before = d.notes[a.attempt - 2];
  const auto by_hand = std::ranges::any_of(
      d.retries, [&](time_point t) { return before.at <= t && t <= a.what->at; });
  if (by_hand || !before.what.next || !keeps_time(e, before.at, a.what->at)) return;
  if (a.wall < *before.what.next)
    out.push_back("attempts: " + name_of(a) + " came " +
                  to_string((*before.what.next - a.wall).count()) + " ms too early");
}

}  // namespace

void check_astray(const evidence& e, const model& m, complaints& out) {
  std::map<std::string, std::size_t> trials;
  for (const auto& a : e.arrivals) {
    const auto* h = m.at_host(a.host);
    if (h == nullptr) {
      out.push_back("astray: " + name_of(a) + ", where no webhook is");
      continue;
    }
    if (is_trial(m, *h, a)) {
      ++trials[a.host];
      continue;
    }
    const auto event = event_of(*h, a);
    if (!m.owes(event, a.host))
      out.push_back("astray: " + name_of(a) + ", which does not want " + event);
    const auto& all = m.events.at(event);
    if (std::ranges::none_of(all, [&](const auto& one) { return one.body == a.what->body; }))
      out.push_back("bodies: " + name_of(a) + " brought " + a.what->body + ", and " + event +
                    " is " + all.back().body);
    const auto at = a.what->at;
    const auto is_on = std::ranges::any_of(
        h->on, [&](const span_of& s) { return s.from <= at && at - a_lease <= s.until; });
    const bool there = at - a_lease <= h->deleted;
    if ((!is_on || !there) && keeps_time(e, at - 2h, at))
      out.push_back("astray: " + name_of(a) + " at " + when(e, at) + ", which is " +
                    (there ? "switched off" : "deleted"));
  }
  for (const auto& got : trials) {
    const auto asked = std::ranges::count_if(e.requests, [&](const auto& r) {
      return r.what == request::kind::trial && r.upstream == got.first;
    });
    if (got.second > static_cast<std::size_t>(asked))
      out.push_back("astray: " + got.first + " got " + to_string(got.second) +
                    " events that nobody posted, and " + to_string(asked) +
                    " trials were asked for");
  }
}

void check_signatures(const evidence& e, const model& m, complaints& out) {
  for (const auto& a : e.arrivals) {
    const auto* h = m.at_host(a.host);
    if (h == nullptr) continue;
    const auto at = a.what->at;
    const bool ours = std::ranges::any_of(h->secrets, [&](const model::secret& s) {
      const bool valid = s.valid.from <= at && at - a_lease <= s.valid.until;
      return (valid || !keeps_time(e, at - 2h, at)) && signed_by(a, s.text);
    });
    if (!ours)
      out.push_back("signatures: " + name_of(a) + " is not signed by its webhook's secret");
    const auto said = std::strtoll(a.what->header("webhook-timestamp").c_str(), nullptr, 10);
    const auto wall = std::chrono::floor<std::chrono::seconds>(a.wall).time_since_epoch().count();
    if (std::abs(said - wall) > 1 && keeps_time(e, at - 1min, at))
      out.push_back("signatures: " + name_of(a) + " says that it is " + to_string(said) +
                    ", and it is " + to_string(wall));
  }
}

void check_attempts(const evidence& e, const model& m, complaints& out) {
  for (const auto& [id, d] : m.deliveries)
    for (const auto& n : d.notes) check_note(e, m, id, n, out);
  for (const auto& a : e.arrivals)
    if (const auto it = m.deliveries.find(a.delivery); it != m.deliveries.end())
      check_pause(e, it->second, a, out);
  for (const auto& d : e.end.deliveries) {
    const auto it = m.deliveries.find(d.id);
    const auto noted = it == m.deliveries.end() ? 0 : it->second.notes.size();
    if (d.attempts != noted)
      out.push_back("attempts: " + d.id + " has " + to_string(d.attempts) + " attempts, and " +
                    to_string(noted) + " were noted");
  }
}

void check_twice(const evidence& e, const model& m, complaints& out) {
  std::map<std::pair<std::string, std::uint32_t>, time_point> first;
  for (const auto& a : e.arrivals) {
    const auto d = m.deliveries.find(a.delivery);
    const auto at = a.what->at;
    const auto [it, is_new] = first.emplace(std::pair{a.host + a.delivery, a.attempt}, at);
    const auto* h = m.at_host(a.host);
    if (h == nullptr || is_trial(m, *h, a)) continue;
    if (!is_new && is_calm(e, it->second, at))
      out.push_back("twice: " + name_of(a) + " was made at " + when(e, it->second) + " and at " +
                    when(e, at));
    if (d == m.deliveries.end()) continue;
    for (const auto& n : d->second.notes)
      if (n.what.status == state::succeeded && n.at < at && is_calm(e, n.at - a_lease, at))
        out.push_back("twice: " + name_of(a) + " was made at " + when(e, at) +
                      ", and it had succeeded at " + when(e, n.at));
  }
}

void check_crowds(const evidence& e, complaints& out) {
  for (const auto& a : e.arrivals)
    if (a.beside > limits::webhook_attempts)
      out.push_back("crowds: " + name_of(a) + " was one of " + to_string(a.beside) +
                    " at a time, and there may be " + to_string(limits::webhook_attempts));
}

void check_prompt(const evidence& e, const model& m, complaints& out) {
  for (const auto& owed : m.debts) {
    const auto& h = m.hooks.at(owed.webhook);
    const auto until = owed.at + 1s;
    if (h.host != "h0" && h.host != "h1") continue;
    if (!is_calm(e, owed.at, until) || !keeps_time(e, owed.at, until) || h.deleted <= until)
      continue;
    const bool on = std::ranges::any_of(
        h.on, [&](const span_of& s) { return s.from <= owed.at && until <= s.until; });
    const auto id = std::string_view(owed.event).substr(owed.event.find('/') + 1);
    const auto came = std::ranges::any_of(m.arrivals_of(h.host, id), [&](const arrived* a) {
      return a->what->at >= owed.at && a->what->at <= until;
    });
    if (on && !came)
      out.push_back("prompt: " + owed.event + " was accepted at " + when(e, owed.at) +
                    ", and was not at " + h.host + " a second later");
  }
}

}  // namespace gate::hook_churn
