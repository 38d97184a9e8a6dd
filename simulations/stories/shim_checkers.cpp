// Checkers of stories of `gate-stdio`.
#include "simulations/stories/shim_checkers.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/limits/children.hpp"

namespace gate::shim_churn {
namespace {

using namespace std::chrono_literals;
using std::to_string;
using kind = request::kind;

constexpr time_point never{};

std::string when(const evidence& e, time_point at) {
  return to_string(std::chrono::duration_cast<std::chrono::milliseconds>(at - e.began).count()) +
         " ms";
}

std::string name_of(const request& r) {
  return std::string(word_of(r.what)) + " number " + to_string(r.number) +
         (r.visitor == nobody ? "" : " of session " + to_string(r.visitor));
}

/// The sessions whose marks are in a text, with the numbers of their calls.
std::set<std::pair<std::size_t, std::uint32_t>> marks_within(std::string_view text) {
  constexpr std::string_view begins = "mark-";
  std::set<std::pair<std::size_t, std::uint32_t>> out;
  for (auto at = text.find(begins); at != text.npos; at = text.find(begins, at + 1)) {
    char* end = nullptr;
    const auto session = std::strtoul(text.data() + at + begins.size(), &end, 10);
    if (*end != '-') continue;
    out.emplace(session, static_cast<std::uint32_t>(std::strtoul(end + 1, nullptr, 10)));
  }
  return out;
}

bool is_doomed(const evidence& e, const request& r, time_point until) {
  return r.visitor != nobody && e.sessions.at(r.visitor).doomed <= until;
}

/// Answers are told apart by their ids; null: it has none.
std::vector<std::string> answers_in(const request& r) {
  std::vector<std::string> out;
  const auto look = [&](const std::string& text) {
    if (json::member(text, "method").empty() &&
        json::member(text, "id") == std::string_view(to_string(r.number)))
      out.push_back(text);
  };
  if (r.receipt->streaming)
    for (const auto& text : r.receipt->events()) look(text);
  else
    look(r.receipt->body);
  return out;
}

/// Does the child answer this, if it hears it?
bool is_answered(std::string_view deed) {
  constexpr std::string_view no[] = {"silent", "dies", "broken", "closes", "deaf"};
  return std::ranges::find(no, deed) == std::end(no);
}

}  // namespace

std::string_view word_of(request::kind what) {
  constexpr std::string_view words[] = {"initialize", "initialized", "call",  "ping",  "cancel",
                                        "listen",     "leave",       "stray", "health"};
  return words[static_cast<std::size_t>(what)];
}

complaints judge(const scenario& s, const evidence& e) {
  complaints out;
  check_answers(e, out);
  check_marks(e, out);
  check_sessions(e, out);
  check_secrets(e, out);
  check_prompt(e, out);
  check_ceiling(s, e, out);
  check_teardown(e, out);
  check_recovery(s, e, out);
  check_departure(e, out);
  return out;
}

void check_answers(const evidence& e, complaints& out) {
  for (const auto& r : e.requests) {
    const auto& got = *r.receipt;
    const auto sentence = "answers: " + name_of(r) + " of " + when(e, r.sent) + ' ';
    for (const auto& what : got.misuse) out.push_back(sentence + what);
    if (got.endings > 1) out.push_back(sentence + "ended twice");
    if (answers_in(r).size() > 1) out.push_back(sentence + "has two answers");
    if (r.vanished) continue;
    // Whoever had a request in a session that crashed is answered by INGRESS.
    const bool crashed = r.visitor != nobody &&
                         std::ranges::any_of(e.sessions.at(r.visitor).crashes, [&](time_point t) {
                           return r.sent <= t && t <= r.answered;
                         });
    if (got.endings == 0 && !(got.dropped && crashed)) out.push_back(sentence + "has no answer");
    if (r.what == kind::stray && got.status != 404)
      out.push_back(sentence + "named a session that there is not, and was answered " +
                    to_string(got.status));
    // A stream that ends without an answer: only to who wants none.
    if (r.what == kind::call && got.endings == 1 && got.status == 200 && !r.cancelled &&
        answers_in(r).empty())
      out.push_back(sentence + "ended without an answer");
  }
}

void check_marks(const evidence& e, complaints& out) {
  for (const auto& r : e.requests) {
    for (const auto& [session, number] : marks_within(r.receipt->body + r.receipt->stream))
      if (session != r.visitor)
        out.push_back("marks: " + name_of(r) + " got what belongs to number " + to_string(number) +
                      " of session " + to_string(session));
    for (const auto& text : answers_in(r))
      for (const auto& [session, number] : marks_within(text))
        if (number != r.number && r.what == kind::call)
          out.push_back("marks: " + name_of(r) + " was answered with what belongs to number " +
                        to_string(number));
    const auto wanted = R"({"jsonrpc":"2.0","id":)" + to_string(r.number) +
                        R"(,"result":{"content":[], "mark":")" + mark_of(r.visitor, r.number) +
                        "\"}}";
    for (const auto& text : answers_in(r))
      if (r.what == kind::call && text.find("\"result\"") != text.npos && text != wanted)
        out.push_back(std::string("marks: ")
                          .append(name_of(r))
                          .append(" was answered with ")
                          .append(text)
                          .append(", and its child said ")
                          .append(wanted));
  }
  for (const auto& c : e.children) {
    std::set<std::size_t> whose;
    std::set<std::uint32_t> calls;
    for (const auto& line : c->heard)
      for (const auto& [session, number] : marks_within(line)) {
        whose.insert(session);
        if (line.find("tools/call") != line.npos && !calls.insert(number).second)
          out.push_back("marks: child " + to_string(c->number) + " heard call " +
                        to_string(number) + " twice");
      }
    if (whose.size() > 1)
      out.push_back("marks: child " + to_string(c->number) + " heard " + to_string(whose.size()) +
                    " sessions");
  }
}

void check_sessions(const evidence& e, complaints& out) {
  for (const auto& r : e.requests)
    if (r.visitor != nobody && r.receipt->status == 404 && !is_doomed(e, r, r.answered))
      out.push_back("sessions: " + name_of(r) + " of " + when(e, r.sent) +
                    " was told that there is no such session, and nothing had ended it");
}

void check_secrets(const evidence& e, complaints& out) {
  for (std::size_t i = 0; i < e.sessions.size(); ++i) {
    const auto& id = e.sessions[i].id;
    if (id.empty()) continue;
    const auto look = [&](const std::string& text, const std::string& where) {
      if (text.find(id) != text.npos)
        out.push_back(std::string("secrets: the id of session ")
                          .append(to_string(i))
                          .append(" stands in ")
                          .append(where)
                          .append(": ")
                          .append(text));
    };
    for (const auto& line : e.log) look(line, "the log");
    for (const auto& c : e.children)
      for (const auto& line : c->heard) look(line, "what child " + to_string(c->number) + " heard");
    for (const auto& r : e.requests) {
      if (r.visitor != i) look(r.receipt->headers, "the header of the answer of " + name_of(r));
      look(r.receipt->body + r.receipt->stream, "the answer of " + name_of(r));
    }
  }
}

void check_prompt(const evidence& e, complaints& out) {
  std::chrono::milliseconds reading{0};
  for (const auto& c : e.children) reading = std::max(reading, c->manner.reading_takes);
  for (const auto& r : e.requests) {
    if (r.what != kind::call || r.cancelled || r.vanished || !is_answered(r.upstream)) continue;
    // (Lines are read one after the other.)
    const auto until = r.sent + r.takes + reading + 2s;
    if (is_doomed(e, r, until)) continue;
    const auto all = answers_in(r);
    const bool good = all.size() == 1 && all.front().find("\"result\"") != std::string::npos;
    if (!good || r.answered > until)
      out.push_back("prompt: " + name_of(r) + ", " + r.upstream + ", should be answered at " +
                    when(e, until) + ", and " +
                    (r.answered == never
                         ? "was not"
                         : "ended at " + when(e, r.answered) + " with " +
                               to_string(r.receipt->status) + ' ' + r.receipt->last()));
  }
}

void check_ceiling(const scenario& s, const evidence& e, complaints& out) {
  for (const auto& [at, n] : e.occupied)
    if (n > s.max_sessions)
      out.push_back("ceiling: at " + when(e, at) + " there were " + to_string(n) +
                    " children, and there may be " + to_string(s.max_sessions));
  if (e.most_probes > 1)
    out.push_back("ceiling: there were " + to_string(e.most_probes) + " probes at a time");
  for (const auto& r : e.requests) {
    if (r.what != kind::initialize || r.receipt->status != 503) continue;
    if (r.receipt->body.find("too many sessions") == std::string::npos) continue;
    // A session may outlive its child for as long as it takes to say so.
    const auto there = static_cast<std::size_t>(std::ranges::count_if(e.children, [&](auto& c) {
      return !c->probe && c->asked <= r.answered &&
             (c->gone == never || c->gone >= r.sent - limits::child_last_words);
    }));
    if (there < s.max_sessions)
      out.push_back("ceiling: " + name_of(r) + " was refused at " + when(e, r.answered) +
                    ", and there was room: " + to_string(there) + " of " +
                    to_string(s.max_sessions));
  }
}

void check_teardown(const evidence& e, complaints& out) {
  for (const auto& c : e.children) {
    const auto sentence = "teardown: child " + to_string(c->number) + ' ';
    for (const auto& what : c->misuse)
      out.push_back(std::string(sentence).append("was given ").append(what));
    if (c->orphaned || c->started == never) continue;
    // It is killed at once if it does not run yet, as far as whoever has it knows.
    if (c->killed == c->started) continue;
    const auto patience = limits::child_patience;
    if (c->terminated != never && c->input_closed == never)
      out.push_back(sentence + "was sent SIGTERM, and its input was open");
    else if (c->terminated != never && c->exited == never &&
             c->terminated < c->input_closed + patience)
      out.push_back(sentence + "was sent SIGTERM before it had its time");
    if (c->killed != never && (c->terminated == never || c->killed < c->terminated + patience))
      out.push_back(sentence + "was sent SIGKILL before it had its time");
    if (c->input_closed == never) continue;
    const auto late = c->input_closed + 2 * patience + 1s;
    const auto last = c->gone == never ? e.ended : c->gone;
    if (last > late && c->killed == never)
      out.push_back(sentence + "was not killed, though it had its time");
  }
}

void check_recovery(const scenario& s, const evidence& e, complaints& out) {
  std::size_t opened = 0;
  for (const auto& r : e.requests) {
    if (!r.healed) continue;
    if (r.what == kind::initialize && r.receipt->status == 200) ++opened;
    if ((r.what == kind::health || r.what == kind::call) && r.receipt->status != 200)
      out.push_back("recovery: " + name_of(r) + " was answered " + to_string(r.receipt->status) +
                    ' ' + r.receipt->last());
  }
  if (opened != s.max_sessions)
    out.push_back("recovery: " + to_string(opened) + " of " + to_string(s.max_sessions) +
                  " clients could open a session when all others had gone");
}

void check_departure(const evidence& e, complaints& out) {
  for (const auto& c : e.children)
    if (c->gone == never)
      out.push_back("departure: child " + to_string(c->number) + " is still there");
  if (!e.end.stopped) out.push_back("departure: the shim was told to end, and did not");
  const auto look = [&](const std::map<std::string, std::size_t>& all, std::size_t shims,
                        std::string_view then) {
    for (const auto& [name, n] : all)
      if (n != (name == "shim" ? shims : 0))
        out.push_back("departure: " + std::string(then) + ", there are " + to_string(n) + " of " +
                      name);
  };
  look(e.end.actors, 1, "when all clients had gone");
  look(e.end.actors_after, 0, "when the shim had ended");
  if (e.end.timers_after != 0)
    out.push_back("departure: " + to_string(e.end.timers_after) + " timers outlive the shim");
}

}  // namespace gate::shim_churn
