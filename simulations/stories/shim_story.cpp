#include "simulations/stories/shim_story.hpp"

#include <algorithm>
#include <array>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/limits/children.hpp"

namespace gate::shim_churn {

using namespace sim;
using namespace std::chrono_literals;
using kind = request::kind;

namespace {

constexpr std::array shim_cast{"shim", "session", "probe", "simulated child"};

/// Has the story's own children end, whatever they are: the shim's steps, and an undead one.
constexpr auto long_goodbye = limits::drain + limits::goodbye + 3 * limits::child_patience + 10s;

/// Deeds behind which there is no session any more.
bool ends_session(std::string_view deed) {
  return deed == "dies" || deed == "closes" || deed == "deaf";
}

/// Of a child, chosen by the seed and its number.
std::uint32_t lot(std::uint64_t seed, std::size_t child, std::uint32_t which) {
  return churn::dice(seed * 1'000'003 + child * 31 + which).below(1'000);
}

http_request request_of(verb method, const std::string& session, std::string body) {
  std::vector<std::string> lines{"Host: localhost", "Accept: application/json, text/event-stream"};
  if (!body.empty()) lines.emplace_back("Content-Type: application/json");
  if (!session.empty()) lines.push_back("Mcp-Session-Id: " + session);
  return make_request(method, "/mcp", lines, std::move(body));
}

shim_service_options options_for(const scenario& s,
                                 std::function<child_manner(std::size_t)> manner) {
  shim_service_options o;
  o.seed = s.seed;
  o.max_sessions = s.max_sessions + (s.bird == canary::wide_ceiling ? 5 : 0);
  o.manner = std::move(manner);
  return o;
}

}  // namespace

std::string mark_of(std::size_t session, std::uint32_t number) {
  return "mark-" + std::to_string(session) + '-' + std::to_string(number) + '.';
}

story::story(scenario s, bool turns)
    : scenario_(std::move(s)),
      world_(options_for(scenario_, [this](std::size_t n) { return manner_of(n); })),
      turns_(turns) {
  if (turns_) world_.record_turns();
  world_.on_child = [this] { count_children(); };
  if (wants_canary(canary::crosses_marks)) world_.faults().crosses_marks = true;
  if (wants_canary(canary::eats_a_line)) world_.faults().eats_a_line = true;
  if (wants_canary(canary::dawdles)) world_.faults().late = 3s;
}

child_manner story::manner_of(std::size_t child) const {
  child_manner out;
  if (wants_canary(canary::keeps_child)) out.ends = child_manner::end::never;
  if (scenario_.decent || healed_) return out;
  const auto start = lot(scenario_.seed, child, 0);
  if (start < 60)
    out.starts = child_manner::start::fails;
  else if (start < 100)
    out.starts = child_manner::start::never;
  out.start_takes = std::chrono::milliseconds(start % 3 == 0 ? start * 5 : 0);
  const auto greeting = lot(scenario_.seed, child, 1);
  if (greeting < 150) out.greeting_takes = std::chrono::milliseconds(greeting * 500);
  const auto reading = lot(scenario_.seed, child, 2);
  if (reading < 150) out.reading_takes = std::chrono::milliseconds(reading * 4);
  if (out.ends != child_manner::end::never)
    out.ends = static_cast<child_manner::end>(lot(scenario_.seed, child, 3) % 4);
  return out;
}

void story::keep_samples() {
  world_.watch_time([this] {
    const auto at =
        std::chrono::duration_cast<std::chrono::milliseconds>(world_.now() - evidence_.began);
    auto& all = evidence_.samples;
    if (!all.empty() && at - all.back().at < stories::between_samples) return;
    all.push_back({at, static_cast<double>(world_.cast("session").size()), 0, {}});
  });
}

void story::tell() {
  evidence_.began = world_.now();
  world_.shuffle(scenario_.seed);
  world_.hold(true);
  for (std::size_t i = 0; i < scenario_.operations.size(); ++i) {
    if (i == scenario_.operations.size() / 2) let_the_canary_in();
    const auto& o = scenario_.operations[i];
    note(to_string(o));
    run(o);
    look_around();
    note_log();
  }
  world_.hold(false);
  world_.settle();
  look_around();
  all_go();
  others_come();
  stop();
  evidence_.ended = world_.now();
  evidence_.children = world_.children();
  evidence_.log = heard_log::log();
}

void story::run(const operation& o) {
  switch (o.what) {
    case act::come:
      return come(o.b % 4 == 0);
    case act::vanish:
      return vanish(o.a);
    case act::crash:
      return crash(o.a);
    case act::stray:
      send(kind::stray, nobody,
           request_of(o.b % 2 == 0 ? verb::get : verb::post, "0123456789abcdef0123456789abcdef00",
                      o.b % 2 == 0 ? "" : R"({"jsonrpc":"2.0","id":1,"method":"ping"})"));
      return;
    case act::health:
      send(kind::health, nobody, make_request(verb::get, "/health", {"Host: localhost"}));
      return;
    case act::wait:
      return pass(std::chrono::milliseconds(o.a));
    case act::steps:
      for (auto n = o.a; n > 0; --n) world_.step();
      return;
    case act::settle:
      return world_.settle();
    default:
      break;
  }
  std::vector<session*> here;
  for (auto& s : sessions_)
    if (s.here) here.push_back(&s);
  if (!here.empty()) ask(o, *here[o.a % here.size()]);
}

/// What takes a session that is there.
void story::ask(const operation& o, session& s) {
  const auto who = index_of(s);
  if (world_.now() - s.last >= limits::child_idle - 5s) doom(who);
  s.last = world_.now();
  const std::chrono::milliseconds takes{o.a / 8 % 4 == 0 ? o.a % 8'000 : o.a % 50};
  switch (o.what) {
    case act::call:
      return call(who, deed_named(o.b), takes);
    case act::burst:
      for (auto n = 3 + o.a % 6; n > 0; --n) call(who, deed_named(o.b + n % 2), takes);
      return;
    case act::ping:
      post(kind::ping, who,
           R"({"jsonrpc":"2.0","id":)" + std::to_string(next_number_) + R"(,"method":"ping"})",
           false);
      return;
    case act::cancel:
      return cancel(s, o.b);
    case act::listen:
      send(kind::listen, who, request_of(verb::get, s.id, {}));
      return;
    default:
      s.here = false;
      doom(who);
      send(kind::leave, who, request_of(verb::del, s.id, {}));
  }
}

request& story::send(request::kind what, std::size_t visitor, http_request r) {
  request out;
  out.what = what;
  out.number = next_number_++;
  out.visitor = visitor;
  out.sent = world_.now();
  out.at = std::chrono::duration_cast<std::chrono::milliseconds>(out.sent - evidence_.began);
  out.healed = healed_;
  out.receipt = world_.arrive(std::move(r));
  evidence_.requests.push_back(std::move(out));
  open_.push_back(evidence_.requests.size() - 1);
  return evidence_.requests.back();
}

request& story::post(request::kind what, std::size_t visitor, std::string body, bool header_first) {
  auto r = request_of(verb::post, sessions_.at(visitor).id, std::move(body));
  r.body_follows = header_first;
  return send(what, visitor, std::move(r));
}

void story::come(bool header_first) {
  sessions_.emplace_back();
  evidence_.sessions.emplace_back();
  auto& s = sessions_.back();
  s.last = world_.now();
  s.opening = evidence_.requests.size();
  post(kind::initialize, sessions_.size() - 1,
       R"({"jsonrpc":"2.0","id":)" + std::to_string(next_number_) +
           R"(,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},)"
           R"("clientInfo":{"name":"c","version":"1"}}})",
       header_first);
}

void story::call(std::size_t visitor, std::string_view deed, std::chrono::milliseconds takes) {
  const auto number = next_number_;
  const auto id = std::to_string(number);
  auto& r =
      post(kind::call, visitor,
           R"({"jsonrpc":"2.0","id":)" + id +
               R"(,"method":"tools/call","params":{"name":"do","_meta":{"progressToken":)" + id +
               R"(},"arguments":{"do":")" + std::string(deed) + R"(","ms":)" +
               std::to_string(takes.count()) + R"(,"mark":")" + mark_of(visitor, number) + "\"}}}",
           number % 5 == 0);
  r.upstream = deed;
  r.takes = takes;
  sessions_[visitor].calls.push_back(evidence_.requests.size() - 1);
  if (ends_session(deed)) doom(visitor);
}

void story::cancel(session& s, std::uint32_t which) {
  if (s.calls.empty()) return;
  auto& r = evidence_.requests[s.calls[which % s.calls.size()]];
  r.cancelled = true;
  post(kind::cancel, index_of(s),
       R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
           std::to_string(r.number) + "}}",
       false);
}

void story::vanish(std::uint32_t which) {
  if (open_.empty()) return;
  auto& r = evidence_.requests[open_[which % open_.size()]];
  r.vanished = true;
  if (r.what == kind::initialize) doom(r.visitor);
  world_.vanish(r.receipt);
}

/// Whoever had a request there is answered by INGRESS.
void story::crash(std::uint32_t which) {
  const auto all = world_.cast("session");
  if (all.empty()) return;
  const auto& victim = all[which % all.size()];
  note("  session#" + std::to_string(victim->id()) + " crashes");
  // Nobody but the shim knows whose it was.
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    doom(i);
    evidence_.sessions[i].crashed = true;
  }
  world_.crash(victim);
}

void story::doom(std::size_t visitor) {
  auto& s = evidence_.sessions.at(visitor);
  s.doomed = std::min(s.doomed, world_.now());
}

// --- time ---------------------------------------------------------------------------------------

/// With a look at the answers every second.
void story::pass(std::chrono::milliseconds time) {
  world_.hold(false);
  for (auto left = time; left > 0ms; left -= 1s) {
    world_.advance(std::min<std::chrono::milliseconds>(left, 1s));
    look_around();
  }
  world_.hold(true);
}

void story::look_around() {
  count_children();
  for (std::size_t n = open_.size(); n-- > 0;) {
    const auto i = open_[n];
    const auto receipt = evidence_.requests[i].receipt;
    if (receipt->body_asked && receipt->unread) world_.bring_body(receipt);
    if (!receipt->done()) continue;
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(n));
    evidence_.requests[i].answered = world_.now();
    meet(i);
  }
}

/// A client whose session was opened says that it is ready.
void story::meet(std::size_t i) {
  const auto r = evidence_.requests[i];
  if (r.receipt->status == 404 && r.visitor != nobody) sessions_[r.visitor].here = false;
  if (r.what != kind::initialize) return;
  auto& s = sessions_[r.visitor];
  s.id = r.receipt->header("mcp-session-id");
  if (s.id.empty() || r.vanished) return;
  s.here = true;
  s.last = world_.now();
  post(kind::initialized, r.visitor, R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
       false);
}

void story::count_children() {
  std::size_t sessions = 0, probes = 0;
  for (const auto& c : world_.children())
    if (c->gone == time_point{}) ++(c->probe ? probes : sessions);
  auto& all = evidence_.occupied;
  if (all.empty() || all.back().second != sessions) all.emplace_back(world_.now(), sessions);
  evidence_.most_probes = std::max(evidence_.most_probes, probes);
}

// --- the end ------------------------------------------------------------------------------------

/// Half of them end their sessions, the others just go.
void story::all_go() {
  note("all go");
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    auto& s = sessions_[i];
    doom(i);
    if (s.here && i % 2 == 0) send(kind::leave, i, request_of(verb::del, s.id, {}));
    s.here = false;
  }
  for (const auto i : std::vector<std::size_t>(open_)) {
    auto& r = evidence_.requests[i];
    if (r.what == kind::leave || r.what == kind::health) continue;
    r.vanished = true;
    world_.vanish(r.receipt);
  }
  pass(limits::child_idle + long_goodbye);
  note_log();
  evidence_.end.actors = census();
}

void story::others_come() {
  healed_ = true;
  note("others come");
  world_.hold(false);
  const auto first = sessions_.size();
  for (std::size_t n = 0; n < scenario_.max_sessions; ++n) come(n % 2 == 0);
  pass(2s);
  for (std::size_t i = first; i < sessions_.size(); ++i)
    if (sessions_[i].here)
      for (const auto* deed : {"answer", "talks"}) call(i, deed, 20ms);
  pass(6s);
  send(kind::health, nobody, make_request(verb::get, "/health", {"Host: localhost"}));
  pass(2s);
}

void story::stop() {
  note("the shim stops");
  if (wants_canary(canary::keeps_actor))
    stowaway_ = world_.system().spawn([](caf::event_based_actor* self) -> caf::behavior {
      self->delayed_send(self, std::chrono::hours(10), caf::ok_atom::value);
      return {[](caf::ok_atom) {}};
    });
  for (std::size_t i = 0; i < sessions_.size(); ++i) doom(i);
  world_.stop();
  pass(long_goodbye);
  auto& end = evidence_.end;
  end.stopped = world_.stopped();
  end.actors_after = census();
  world_.advance(10min);
  end.timers_after = world_.timers();
  note_log();
}

std::map<std::string, std::size_t> story::census() const {
  std::map<std::string, std::size_t> out;
  for (const auto* name : shim_cast) out[name] = world_.cast(name).size();
  return out;
}

void story::let_the_canary_in() {
  if (!wants_canary(canary::drops_answer)) return;
  auto& r = send(kind::health, nobody, make_request(verb::get, "/health", {"Host: localhost"}));
  r.receipt = std::make_shared<receipt>();
  r.receipt->dropped = true;
}

// --- the trace ----------------------------------------------------------------------------------

void story::note(const std::string& line) {
  const auto at =
      std::chrono::duration_cast<std::chrono::milliseconds>(world_.now() - evidence_.began);
  trace_ += std::to_string(at.count()) + " ms  " + line + '\n';
}

void story::note_log() {
  const auto& lines = heard_log::log();
  // (Without its real time.)
  for (; log_seen_ < lines.size(); ++log_seen_)
    trace_ += "        log: " + lines[log_seen_].substr(lines[log_seen_].find(' ')) + '\n';
}

std::string story::trace() const {
  std::string out = trace_;
  const auto ms = [&](time_point t) {
    return t == time_point{} ? "never"
                             : std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(
                                                  t - evidence_.began)
                                                  .count());
  };
  for (const auto& r : evidence_.requests)
    out += std::to_string(r.number) + ": " + std::string(word_of(r.what)) + ' ' + r.upstream +
           ", session " + (r.visitor == nobody ? "-" : std::to_string(r.visitor)) + ", at " +
           ms(r.sent) + ", until " + ms(r.answered) + ": " + std::to_string(r.receipt->status) +
           ' ' + r.receipt->last() + '\n';
  for (const auto& c : world_.children())
    out += "child " + std::to_string(c->number) + (c->probe ? " (probe)" : "") + ": started " +
           ms(c->started) + ", input closed " + ms(c->input_closed) + ", SIGTERM " +
           ms(c->terminated) + ", SIGKILL " + ms(c->killed) + ", ended " + ms(c->exited) +
           ", gone " + ms(c->gone) + ", heard " + std::to_string(c->heard.size()) + " lines\n";
  return out + world_.turns();
}

}  // namespace gate::shim_churn
