#include "simulations/replay/judgement.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "protocol/json/scan.hpp"
#include "protocol/refusals.hpp"
#include "simulations/recording/answers.hpp"
#include "simulations/recording/printable.hpp"

namespace gate::replay {
namespace {

constexpr std::size_t examples_each = 3;
/// Columns of a value that a difference shows, and bytes of it that are looked at.
constexpr std::size_t shown_of_value = 160, most_of_value = 4 * shown_of_value;

std::string unquoted(std::string_view raw) {
  std::string out;
  return raw.starts_with('"') && json::unquote(raw, out) ? out : std::string{};
}

/// What strangers sent, on one line, harmless to a terminal, and not longer than is read.
std::string shown(std::string_view text) {
  if (text.empty()) return "nothing";
  return recording::cut_to(recording::printable(text.substr(0, most_of_value)), shown_of_value);
}

std::string seconds_of(std::uint64_t micros) {
  auto fraction = std::to_string(micros % 1'000'000 / 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return std::to_string(micros / 1'000'000) + '.' + fraction;
}

struct described {
  std::string method, name, principal, issuer;
};
described description(const tape& of, const visit& v) {
  const auto& e = of.request_of(v);
  auto said = recording::what_was_said(of.body_of(v));
  described out{std::move(said.method), std::move(said.name), {}, {}};
  if (out.method.empty()) out.method = e.method + ' ' + e.target;
  const auto claims = json::member(e.token, "claims");
  out.principal = unquoted(json::member(claims, "sub"));
  out.issuer = unquoted(json::member(claims, "iss"));
  return out;
}

std::string title(const tape& of, const visit& v) {
  const auto& e = of.request_of(v);
  const auto d = description(of, v);
  auto out = seconds_of(e.at) + " s, unit " + std::to_string(e.unit) + ", request " +
             std::to_string(e.number) + ": " + shown(d.method);
  if (!d.name.empty()) out += ' ' + shown(d.name);
  if (!d.principal.empty()) out += " by " + shown(d.principal);
  return out;
}

void add_contrast(std::string& out, const contrast& c, std::string_view margin) {
  out.append(margin).append(shown(c.where)).append("\n");
  out.append(margin).append("  recorded: ").append(shown(c.recorded)).append("\n");
  out.append(margin).append("  replayed: ").append(shown(c.replayed)).append("\n");
}

std::string json_of(const contrast& c) {
  return R"({"where":)" + json::quoted(c.where) + R"(,"recorded":)" + json::quoted(c.recorded) +
         R"(,"replayed":)" + json::quoted(c.replayed) + '}';
}

std::string json_of(const contrasts& all) {
  std::string out;
  for (const auto& c : all) out += (out.empty() ? "" : ",") + json_of(c);
  return '[' + out + ']';
}

std::string_view words_for(likeness how) {
  switch (how) {
    case likeness::same:
      return "as recorded";
    case likeness::again:
      return "once more than recorded; it got the same answer again";
    case likeness::alike:
      return "with other contents than recorded; it got the answer of a similar one";
    case likeness::unheard:
      return "nothing like it was recorded; its answer is made up";
    case likeness::nowhere:
      return "this server is not in the recording; it counts as down";
  }
  return {};
}

/// Audit events of the replay, to look up what a request was refused by. Each is that of one
/// request: those that say the same of the same caller are taken in their order.
class trail {
 public:
  explicit trail(const std::vector<std::string>& lines) {
    const auto of = [](const std::string& line, std::string_view member) {
      return unquoted(json::member(line, member));
    };
    for (const auto& line : lines)
      by_subject_[key({of(line, "method"), of(line, "name"), of(line, "principal"),
                       of(line, "issuer")},
                      of(line, "outcome"))]
          .push_back(line);
  }
  /// The next one of a request that ended so; empty if there is none.
  std::string_view next(described d, std::string_view outcome) {
    auto it = by_subject_.find(key(d, outcome));
    if (it == by_subject_.end()) {
      // Where nobody asks for tokens, nobody is named.
      d.principal = d.issuer = {};
      it = by_subject_.find(key(d, outcome));
    }
    if (it == by_subject_.end() || it->second.empty()) return {};
    const auto line = it->second.front();
    it->second.pop_front();
    return line;
  }

 private:
  static std::string key(const described& d, std::string_view outcome) {
    std::string out;
    for (const std::string_view part :
         {std::string_view(d.method), std::string_view(d.name), std::string_view(d.principal),
          std::string_view(d.issuer), outcome})
      out.append(part).append("\n");
    return out;
  }
  std::unordered_map<std::string, std::deque<std::string_view>> by_subject_;
};

/// The outcome as audit events have it.
std::string_view audited(const std::string& outcome) {
  for (const auto& r : refusals)
    if (r.word == outcome) return audit::to_string(r.outcome);
  return outcome == "ok" ? "ok" : "error";
}

}  // namespace

namespace {

/// How one message of an answer with this status says that it ended; empty: as the status says.
std::string outcome_in(std::string_view message, std::uint64_t status) {
  const auto error = json::member(message, "error");
  if (error.empty()) return status < 400 ? "ok" : std::string{};
  auto reason = unquoted(json::member(json::member(json::member(error, "data"), "gate"), "reason"));
  return reason.empty() && status == 200 ? "error" : reason;
}

}  // namespace

std::string outcome_of(const told& t) {
  if (t.dropped) return "dropped";
  if (t.status == 0) return "unanswered";
  const auto text = t.last();
  if (text.starts_with('[')) {
    std::set<std::string> words;
    json::cursor c(text, {});
    json::elements(c, [&](json::cursor& at) { words.insert(outcome_in(at.value(1), t.status)); });
    std::string out;
    for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
    if (!out.empty()) return out;
  }
  auto said = outcome_in(text, t.status);
  if (!said.empty() && said != "ok") return said;
  if (t.status == 401) return "unauthenticated";
  if (t.status >= 400) return "HTTP " + std::to_string(t.status);
  if (t.streaming && !t.over) return "open";
  return "ok";
}

summary summed_up(const tape& of, const played& p) {
  summary out;
  out.requests = of.visits.size();
  for (const auto& v : p.visits) {
    if (!v.compared)
      ++out.uncompared;
    else if (v.differences.empty())
      ++out.equal;
    else
      ++out.differ;
  }
  out.beside = p.differing() - out.differ;
  return out;
}

std::string as_text(const tape& of, const played& p, std::size_t most) {
  const auto sum = summed_up(of, p);
  auto out = std::to_string(sum.requests) + " requests, " + std::to_string(sum.equal) + " equal, " +
             std::to_string(sum.differ) + " differ";
  if (sum.uncompared > 0)
    out += "; " + std::to_string(sum.uncompared) + " were not compared: their clients did not wait";
  out += '\n';
  std::size_t shown_so_far = 0;
  const auto room = [&] { return shown_so_far++ < most; };
  for (std::size_t i = 0; i < p.visits.size(); ++i) {
    if (!p.visits[i].compared || p.visits[i].differences.empty() || !room()) continue;
    out += '\n' + title(of, of.visits[i]) + '\n';
    for (const auto& c : p.visits[i].differences) add_contrast(out, c, "  ");
  }
  for (const auto& c : p.fetches)
    if (room()) add_contrast(out += '\n', c, "");
  for (const auto& f : p.odd)
    if (room())
      out += '\n' + seconds_of(f.at) + " s, " + shown(f.subject) + " to " + shown(f.url) + ": " +
             std::string(words_for(f.how)) + '\n';
  for (const auto& c : p.audits)
    if (room()) add_contrast(out += '\n', c, "");
  if (shown_so_far > most)
    out += "\nand " + std::to_string(shown_so_far - most) + " more (--json has all of them)\n";
  return out;
}

std::string as_json(const tape& of, const played& p) {
  const auto sum = summed_up(of, p);
  auto out = R"({"requests":)" + std::to_string(sum.requests) + R"(,"equal":)" +
             std::to_string(sum.equal) + R"(,"differ":)" + std::to_string(sum.differ) +
             R"(,"uncompared":)" + std::to_string(sum.uncompared) + R"(,"differences":[)";
  bool first = true;
  for (std::size_t i = 0; i < p.visits.size(); ++i) {
    if (!p.visits[i].compared || p.visits[i].differences.empty()) continue;
    const auto& e = of.request_of(of.visits[i]);
    const auto d = description(of, of.visits[i]);
    out += std::string(first ? "" : ",") + R"({"t":)" + std::to_string(e.at) + R"(,"u":)" +
           std::to_string(e.unit) + R"(,"n":)" + std::to_string(e.number) + R"(,"method":)" +
           json::quoted(d.method) + R"(,"name":)" + json::quoted(d.name) + R"(,"differences":)" +
           json_of(p.visits[i].differences) + '}';
    first = false;
  }
  out += R"(],"fetches":)" + json_of(p.fetches) + R"(,"oddFetches":[)";
  first = true;
  for (const auto& f : p.odd) {
    out += std::string(first ? "" : ",") + R"({"t":)" + std::to_string(f.at) + R"(,"subject":)" +
           json::quoted(f.subject) + R"(,"url":)" + json::quoted(f.url) + R"(,"how":)" +
           json::quoted(words_for(f.how)) + '}';
    first = false;
  }
  return out + R"(],"audit":)" + json_of(p.audits) + "}\n";
}

std::vector<shift> shifts(const tape& of, const played& p) {
  std::map<std::pair<std::string, std::string>, shift> all;
  trail events(p.audit);
  for (std::size_t i = 0; i < p.visits.size(); ++i) {
    const auto& v = of.visits[i];
    const auto after = outcome_of(p.visits[i].now);
    const auto d = description(of, v);
    // What was refused before it was a call of MCP, was so by no rule and no upstream.
    const auto line =
        p.visits[i].now.status == 200 ? events.next(d, audited(after)) : std::string_view{};
    if (!p.visits[i].compared) continue;
    const auto before = outcome_of(v.was);
    auto& s = all[{before, after}];
    s.recorded = before;
    s.replayed = after;
    ++s.count;
    if (before == after || s.examples.size() >= examples_each) continue;
    s.examples.push_back({of.request_of(v).at, d.method, d.name, d.principal,
                          unquoted(json::member(line, "ruleId")),
                          unquoted(json::member(line, "upstream"))});
  }
  std::vector<shift> out;
  out.reserve(all.size());
  for (auto& [key, s] : all) out.push_back(std::move(s));
  std::ranges::stable_sort(out, [](const shift& a, const shift& b) { return a.count > b.count; });
  return out;
}

std::string shifts_as_text(const tape& of, const played& p) {
  const auto all = shifts(of, p);
  std::size_t changed = 0, wide = 8;
  for (const auto& s : all) {
    if (s.recorded != s.replayed) changed += s.count;
    wide = std::max(wide, s.recorded.size());
  }
  auto out = std::to_string(of.visits.size()) + " requests, " + std::to_string(changed) +
             " would have ended otherwise\n\n";
  const auto row = [&](const std::string& a, const std::string& b, const std::string& n) {
    out += std::string(8 - std::min<std::size_t>(8, n.size()), ' ') + n + "  " + a +
           std::string(wide - std::min(wide, a.size()), ' ') + "  ->  " + b + '\n';
  };
  row("recorded", "replayed", "requests");
  for (const auto& s : all) {
    row(s.recorded, s.recorded == s.replayed ? "the same" : s.replayed, std::to_string(s.count));
    for (const auto& e : s.examples) {
      out += "          at " + seconds_of(e.at) + " s: " + shown(e.method);
      if (!e.name.empty()) out += ' ' + shown(e.name);
      if (!e.principal.empty()) out += ", principal " + shown(e.principal);
      if (!e.rule.empty()) out += ", rule " + shown(e.rule);
      if (!e.upstream.empty()) out += ", upstream " + shown(e.upstream);
      out += '\n';
    }
  }
  std::map<std::string, std::size_t> unknown;
  for (const auto& f : p.odd)
    if (f.how == likeness::nowhere || f.how == likeness::unheard)
      ++unknown[std::string(words_for(f.how)) + ": " + shown(f.subject) + " to " + shown(f.url)];
  if (!unknown.empty()) out += "\nWhat the recording can not tell:\n";
  for (const auto& [what, n] : unknown) out += "  " + std::to_string(n) + " times " + what + '\n';
  return out;
}

std::string shifts_as_json(const tape& of, const played& p) {
  std::string rows;
  for (const auto& s : shifts(of, p)) {
    rows += std::string(rows.empty() ? "" : ",") + R"({"recorded":)" + json::quoted(s.recorded) +
            R"(,"replayed":)" + json::quoted(s.replayed) + R"(,"count":)" +
            std::to_string(s.count) + R"(,"examples":[)";
    bool first = true;
    for (const auto& e : s.examples) {
      rows += std::string(first ? "" : ",") + R"({"t":)" + std::to_string(e.at) + R"(,"method":)" +
              json::quoted(e.method) + R"(,"name":)" + json::quoted(e.name) + R"(,"principal":)" +
              json::quoted(e.principal) + R"(,"rule":)" + json::quoted(e.rule) + R"(,"upstream":)" +
              json::quoted(e.upstream) + '}';
      first = false;
    }
    rows += "]}";
  }
  std::string unknown;
  for (const auto& f : p.odd) {
    if (f.how != likeness::nowhere && f.how != likeness::unheard) continue;
    unknown += std::string(unknown.empty() ? "" : ",") + R"({"t":)" + std::to_string(f.at) +
               R"(,"subject":)" + json::quoted(f.subject) + R"(,"url":)" + json::quoted(f.url) +
               R"(,"how":)" + json::quoted(words_for(f.how)) + '}';
  }
  return R"({"requests":)" + std::to_string(of.visits.size()) + R"(,"outcomes":[)" + rows +
         R"(],"unknown":[)" + unknown + "]}\n";
}

}  // namespace gate::replay
