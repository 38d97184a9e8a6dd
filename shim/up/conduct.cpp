#include "shim/up/conduct.hpp"

#include <algorithm>

#include "config/clients/client_entry.hpp"
#include "protocol/limits/client_files.hpp"
#include "shim/up/log_line.hpp"
#include "shim/up/report.hpp"

namespace gate::up {
namespace {

/// What gate-stdio says of a server that can not be run.
constexpr std::string_view can_not_be_run = "can not be run";
/// Of one that only takes its time, as `npx` does when it has to fetch the server first.
constexpr std::string_view too_slow = "in time";

/// Where a gateway that listens on every address is called on this machine.
std::string callable(std::string url) {
  for (const std::string_view every : {"//0.0.0.0:", "//[::]:"})
    if (const auto at = url.find(every); at != url.npos)
      url.replace(at, every.size(), "//127.0.0.1:");
  return url;
}

/// Until it is said whom the table waits for.
constexpr auto silence = 20 * limits::server_look;

bool matters(const log_line& l) {
  return l.level == "warn" || l.level == "error";
}

}  // namespace

conduct::served* conduct::find(std::string_view id) {
  const auto it = servers_.find(id);
  return it == servers_.end() ? nullptr : &it->second;
}

void conduct::begin(gathered what, time_point now) {
  began_ = now;
  say_problems(what.problems);
  auto servers = std::move(what.servers);
  basis_ = std::move(what);
  for (auto& s : servers) take(std::move(s), now);
  start_gateway_if_ready();
}

void conduct::take(clients::planned_server s, time_point now) {
  const auto id = s.id;
  served one;
  one.server = std::move(s);
  one.since = now;
  if (!one.server.started()) {
    one.url = one.server.entry.url;
    one.now = phase::well;  // as long as the gateway says nothing else
  }
  const auto& kept = servers_.insert_or_assign(id, std::move(one)).first->second;
  if (kept.server.started()) does_.start_server(kept.server);
}

void conduct::listens(std::string_view id, std::string url, time_point now) {
  if (id == gateway_id) {
    gateway_url_ = callable(std::move(url));
    served_ = true;
    gateway_words_.clear();
    return survey_if_ready();
  }
  auto* s = find(id);
  if (!s || s->leaving) return;
  s->url = std::move(url);
  s->now = phase::awaited;
  s->since = now;
  s->asked = s->refused = false;
  s->ailment.clear();
  start_gateway_if_ready();
  look(now);
}

void conduct::said(std::string_view id, const std::string& line, time_point now) {
  const auto read = read_log_line(line);
  auto* s = find(id);
  auto& words = s ? s->words : gateway_words_;
  // Of a server that failed the words are known: it says them again each time it is tried.
  const bool known = s && s->now == phase::failed && !s->asked;
  if (!known && (!read || !read->line.empty() || id == gateway_id)) words.add(words_of(line));
  if (s && read && read->sentence.find(can_not_be_run) != std::string::npos) {
    s->ailment = read->why;
    if (s->refused && s->now == phase::awaited) judge(*s, now);
  }
  // Nor what the gateway finds out about it.
  const auto* about = s || !read ? s : find(read->upstream);
  const bool known_to_fail =
      about && about->now == phase::failed && about->server.started();  // others are not looked at
  const bool quiet = ending_ || !printed_ || known_to_fail;
  const bool shown = verbose_ || (!quiet && (!read || matters(*read)));
  if (shown)
    does_.say("[" + std::string(s ? s->server.name : "gate") + "] " + words_of(line) + "\n");
}

void conduct::ended(std::string_view id, const std::string& why, bool for_good, time_point now) {
  if (id == gateway_id) return gateway_ended(why, for_good);
  auto* s = find(id);
  if (!s) return;
  if (for_good) {
    replace(std::string(id), now);
    if (!ending_) start_gateway_if_ready();
    return end_if_done();
  }
  s->since = now;
  s->asked = false;
  settle(*s, phase::failed, "its gate-stdio: " + why);
  // Who has never listened is not waited for.
  if (s->url.empty()) start_gateway_if_ready();
}

void conduct::gateway_ended(const std::string& why, bool for_good) {
  gateway_url_.clear();
  stop_survey();
  if (for_good) {
    gateway_runs_ = false;
    if (std::exchange(restarting_, false) && !ending_) return start_gateway_if_ready();
    return end_if_done();
  }
  if (ending_) return;
  does_.say(served_ ? "The gateway has ended (" + why + ") and is started again.\n"
                    : "The gateway did not start: " + why + "\n");
  for (const auto& line : gateway_words_.all()) does_.say("    | " + line + "\n");
  gateway_words_.clear();
  if (!served_) end();
}

void conduct::health(std::string_view id, int status, std::string_view body, time_point now) {
  if (id == gateway_id) {
    if (!surveying_) return;
    seen_by_gateway_ = read_health(body);
    for (auto& [name, s] : servers_) {
      if (s.server.started()) continue;
      const auto it = seen_by_gateway_.find(name);
      if (it == seen_by_gateway_.end()) continue;
      s.now = it->second.connected ? phase::well : phase::failed;
      s.why = it->second.error.empty() ? "it does not answer" : it->second.error;
    }
    return does_.ask_tools(gateway_url_, {});
  }
  auto* s = find(id);
  if (!s || !s->asked) return;
  s->asked = false;
  if (status == 200) return settle(*s, phase::well, {});
  s->refused = true;
  judge(*s, now);
}

/// It has refused. Why, its gate-stdio has said before, but by another way: that may be to come.
void conduct::judge(served& s, time_point now) {
  const bool slow = s.ailment.empty() || s.ailment.ends_with(too_slow);
  if (slow && now - s.since < patience_with(s)) return;
  s.since = now;  // until it is looked for again, its last words stay
  settle(s, phase::failed, s.ailment.empty() ? "it does not answer" : with_origin(s.ailment));
}

std::chrono::seconds conduct::patience_with(const served& s) {
  const auto& command = s.server.entry.command;
  return !command.empty() && may_fetch(command.front()) ? limits::fetched_server_patience
                                                        : limits::server_patience;
}

std::chrono::seconds conduct::patience_with_unlisted() const {
  auto out = limits::server_patience;
  for (const auto& [id, s] : servers_)
    if (s.unlisted) out = std::max(out, patience_with(s));
  return out;
}

void conduct::settle(served& s, phase to, std::string why) {
  const auto before = std::exchange(s.now, to);
  if (printed_ && before != to && !s.leaving && !ending_)
    does_.say(to == phase::well ? s.server.name + " answers now.\n"
                                : s.server.name + " does not run: " + why + "\n");
  s.why = std::move(why);
  if (to == phase::well) s.words.clear();
  survey_if_ready();
}

void conduct::look(time_point now) {
  say_waiting(now);
  for (auto& [id, s] : servers_) {
    if (!s.server.started() || s.url.empty() || s.asked || s.leaving || s.now == phase::well)
      continue;
    // One that failed is asked more and more seldom: each look starts it.
    if (s.now == phase::failed && now - s.since < limits::server_patience) continue;
    if (s.now == phase::failed) s.since = now;
    s.asked = true;
    s.words.clear();
    does_.ask_health(id, s.url);
  }
  survey_if_ready();
}

void conduct::start_gateway_if_ready() {
  const bool all = std::ranges::all_of(servers_, [](const auto& s) {
    if (s.second.leaving) return !s.second.successor;
    return !s.second.url.empty() || s.second.now == phase::failed;
  });
  if (!all || ending_ || restarting_) return;
  const auto before = secrets_;
  switch (write_document()) {
    case written::refused:
      // Whoever serves goes on with what it was told before.
      if (!gateway_runs_) end();
      return;
    case written::nothing_to_serve:
      if (gateway_runs_) {
        does_.say("No server is left to be served: the gateway ends until there is one.\n");
        restarting_ = true;
        gateway_url_.clear();
        stop_survey();
        return does_.end_program(gateway_id);
      }
      if (served_) return;
      print();
      return end();
    case written::same:
      if (gateway_runs_) return;
      break;
    case written::anew:
      break;
  }
  if (!gateway_runs_) {
    gateway_runs_ = true;
    return does_.start_gateway(secrets_);
  }
  // What it was started with it has for good.
  if (secrets_ == before) return does_.reload_gateway();
  restarting_ = true;
  gateway_url_.clear();
  stop_survey();
  does_.end_program(gateway_id);
}

conduct::written conduct::write_document() {
  std::vector<clients::reachable_server> all;
  for (const auto& [id, s] : servers_)
    if (!s.leaving && !s.url.empty()) all.push_back({&s.server, s.url});
  auto plan = clients::plan_gate(all, basis_.base);
  if (!plan.serves) return written::nothing_to_serve;
  if (!plan.problem.empty()) {
    does_.say("The gateway would refuse this: " + plan.problem + "\n");
    return written::refused;
  }
  plan.secrets.insert(plan.secrets.end(), basis_.base_secrets.begin(), basis_.base_secrets.end());
  if (plan.document == document_ && plan.secrets == secrets_) return written::same;
  document_ = std::move(plan.document);
  secrets_ = std::move(plan.secrets);
  notes_ = std::move(plan.notes);
  does_.keep_document(document_);
  return written::anew;
}

void conduct::survey_if_ready() {
  const bool all = std::ranges::all_of(servers_, [](const auto& s) {
    return s.second.leaving || s.second.now == phase::well || s.second.now == phase::failed;
  });
  if (!all || gateway_url_.empty() || surveying_ || printed_ || ending_) return;
  surveying_ = true;
  tools_.clear();
  does_.ask_health(gateway_id, gateway_url_);
}

void conduct::stop_survey() {
  if (std::exchange(surveying_, false)) does_.forget_gateway();
}

/// Whom the gateway should have listed, as they are well: it starts them anew, and they may take
/// longer than it waits for a list.
bool conduct::lacks(const tools_page& page) {
  bool any = false;
  for (auto& [id, s] : servers_) {
    const bool missing = page.nobody || std::ranges::find(page.missing, id) != page.missing.end();
    s.unlisted = missing && s.server.started() && s.now == phase::well && !s.leaving;
    any = any || s.unlisted;
  }
  return any;
}

void conduct::tools(int status, std::string_view body, time_point now) {
  if (!surveying_) return;
  const auto page = read_tools(body);
  if (page && lacks(*page) && now - began_ < patience_with_unlisted() + limits::server_patience) {
    surveying_ = false;  // it is asked again at the next look
    return;
  }
  if (!page || page->nobody) {
    const bool any = std::ranges::any_of(
        servers_, [](const auto& s) { return !s.second.leaving && s.second.now == phase::well; });
    // If none runs, the table says why.
    if (any || !page)
      does_.say("The gateway does not list its tools (HTTP " + std::to_string(status) +
                "): " + (page ? "no server has listed any" : page.error().what) + "\n");
    return print();
  }
  tools_.insert(tools_.end(), page->names.begin(), page->names.end());
  if (page->cursor.empty()) return print();
  does_.ask_tools(gateway_url_, page->cursor);
}

std::vector<std::string> conduct::tools_of(std::string_view name_space) const {
  const auto prefix = std::string(name_space) + basis_.of_base.separator;
  std::vector<std::string> out;
  for (const auto& t : tools_)
    if (name_space.empty())
      out.push_back(t);
    else if (t.starts_with(prefix))
      out.push_back(t.substr(prefix.size()));
  return out;
}

server_row conduct::row_of(std::string_view id, const served& s) const {
  server_row out{std::string(id), s.now == phase::well && !s.unlisted, tools_of(id), s.why,
                 s.words.all()};
  if (s.unlisted) out.why = "it runs, but has not listed its tools in time";
  return out;
}

/// Of one that is in the document that was given: what the gateway says of it is all that is known.
server_row conduct::row_of(const clients::base_upstream& u) const {
  const auto it = seen_by_gateway_.find(u.id);
  const bool well = it != seen_by_gateway_.end() && it->second.connected;
  server_row out{u.id, well, tools_of(u.name_space), {}};
  if (!well)
    out.why = it == seen_by_gateway_.end() || it->second.error.empty() ? "it does not answer"
                                                                       : it->second.error;
  return out;
}

void conduct::print() {
  surveying_ = false;
  printed_ = true;
  std::vector<server_row> rows;
  for (const auto& u : basis_.of_base.upstreams) rows.push_back(row_of(u));
  for (const auto& [id, s] : servers_)
    if (!s.leaving) rows.push_back(row_of(id, s));
  std::string out = "\n" + table_of(rows) + "\n";
  if (gateway_url_.empty()) return does_.say(out + "None of them can be served.\n");
  for (const auto& n : notes_) out += n + "\n";
  out += "All of them are at\n\n    " + gateway_url_ + "\n\n" + clients::snippets(gateway_url_) +
         "\nIn a browser: " + gateway_url_.substr(0, gateway_url_.rfind('/')) +
         "/console/. Ctrl-C ends everything.\n";
  does_.say(out);
}

/// Each time that they differ from before: some clients write their files all the time.
void conduct::say_problems(const std::vector<std::string>& problems) {
  if (problems == basis_.problems) return;
  for (const auto& p : problems) does_.say("left out: " + p + "\n");
}

/// Once: whom the table waits for.
void conduct::say_waiting(time_point now) {
  if (waited_ || printed_ || ending_ || now - began_ < silence) return;
  waited_ = true;
  std::string names;
  bool fetched = false;
  for (const auto& [id, s] : servers_) {
    if (s.leaving || (s.now != phase::starting && s.now != phase::awaited)) continue;
    names += (names.empty() ? "" : ", ") + s.server.name;
    fetched = fetched || patience_with(s) > limits::server_patience;
  }
  if (names.empty()) return;
  does_.say("Waiting for " + names + " to answer" +
            (fetched ? "; what is not there yet is fetched first" : "") + ".\n");
}

void conduct::changed(gathered what, time_point now) {
  if (ending_) return;
  say_problems(what.problems);
  const bool settings = what.base != basis_.base;
  auto servers = std::move(what.servers);
  basis_ = std::move(what);
  std::string words;
  std::vector<std::string> gone;
  for (auto& [id, s] : servers_) {
    const auto it = std::ranges::find(servers, id, &clients::planned_server::id);
    const bool there = it != servers.end();
    if (there && !s.leaving && it->entry == s.server.entry) continue;
    words += " " + s.server.name + (there ? " has changed." : " is gone.");
    s.successor = there ? std::optional(*it) : std::nullopt;
    if (!s.server.started())
      gone.push_back(id);
    else if (!std::exchange(s.leaving, true))
      does_.end_program(id);
  }
  for (const auto& id : gone) replace(id, now);
  for (auto& s : servers) {
    if (find(s.id)) continue;
    words += " " + s.name + " is new.";
    take(std::move(s), now);
  }
  if (words.empty() && !settings) return;
  if (words.empty()) words = " the gateway's settings.";
  does_.say("The files have changed:" + words + "\n");
  stop_survey();
  printed_ = waited_ = false;
  began_ = now;
  start_gateway_if_ready();
  survey_if_ready();
}

/// Nothing is left of it; what has its id now takes its place.
void conduct::replace(const std::string& id, time_point now) {
  auto successor = std::move(servers_.at(id).successor);
  servers_.erase(id);
  if (successor && !ending_) take(std::move(*successor), now);
}

void conduct::end() {
  if (std::exchange(ending_, true)) return;
  // The gateway first: it ends its sessions with the others.
  if (gateway_runs_) return does_.end_program(gateway_id);
  end_if_done();
}

void conduct::end_if_done() {
  if (!ending_ || gateway_runs_) return;
  std::erase_if(servers_, [](const auto& s) { return !s.second.server.started(); });
  if (servers_.empty()) return does_.over(served_);
  for (auto& [id, s] : servers_)
    if (!std::exchange(s.leaving, true)) does_.end_program(id);
}

}  // namespace gate::up
