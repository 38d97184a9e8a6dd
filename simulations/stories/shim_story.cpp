#include "simulations/stories/shim_story.hpp"

#include <algorithm>
#include <array>

#include "protocol/json/scan.hpp"
#include "protocol/limits.hpp"
#include "protocol/limits/children.hpp"
#include "transport/log.hpp"

namespace gate::shim_churn {

using namespace sim;
using namespace std::chrono_literals;
using kind = request::kind;

namespace {

constexpr std::array shim_cast{"shim", "session", "probe", "simulated child"};

/// Within this all children end, whatever they are: the shim's steps, and more for undead ones.
constexpr auto long_goodbye = limits::drain + limits::goodbye + 3 * limits::child_patience + 10s;

/// Of a child, chosen by the seed and its number.
std::uint32_t lot(std::uint64_t seed, std::size_t child, std::uint32_t which) {
  return churn::dice(seed * 1'000'003 + child * 31 + which).below(1'000);
}

shim_service_options options_for(const scenario& s,
                                 std::function<child_manner(std::size_t)> manner) {
  shim_service_options o;
  o.seed = s.seed;
  o.max_sessions = s.max_sessions + (s.bird == canary::wide_ceiling ? 5 : 0) -
                   (s.bird == canary::wrong_refusal ? 1 : 0);
  o.manner = std::move(manner);
  return o;
}

}  // namespace

story::story(scenario s, bool turns)
    : scenario_(std::move(s)),
      world_(options_for(scenario_, [this](std::size_t n) { return manner_of(n); })),
      turns_(turns) {
  if (turns_) world_.record_turns();
  world_.on_child = [this] { count_children(); };
  if (wants_canary(canary::crosses_marks)) world_.faults().crosses_marks = true;
  if (wants_canary(canary::eats_a_line)) world_.faults().eats_a_line = true;
  if (wants_canary(canary::mixes_up)) world_.faults().mixes_up = true;
  if (wants_canary(canary::kills_early)) world_.faults().kills_early = true;
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
    if (auto* s = stories::next_sample(evidence_.samples, world_.now() - evidence_.began))
      s->client_sessions = static_cast<double>(world_.cast("session").size());
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
           http_request_of(o.b % 2 == 0 ? verb::get : verb::post,
                           "0123456789abcdef0123456789abcdef00",
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
  evidence_.sessions[r.visitor].id = s.id;
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
    if (s.here && i % 2 == 0) send(kind::leave, i, http_request_of(verb::del, s.id, {}));
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
  if (wants_canary(canary::keeps_actor)) world_.faults().hides_its_end = true;
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
  const auto somebody = std::ranges::find_if(sessions_, &session::here);
  if (somebody != sessions_.end() && wants_canary(canary::tells_session))
    log::info("A session is open.", {{"session", somebody->id}});
  if (somebody != sessions_.end() && wants_canary(canary::loses_session))
    for (const auto& who : world_.cast("session")) world_.crash(who);
  if (!wants_canary(canary::drops_answer)) return;
  auto& r = send(kind::health, nobody, make_request(verb::get, "/health", {"Host: localhost"}));
  r.receipt = std::make_shared<receipt>();
  r.receipt->dropped = true;
}

// --- the trace ----------------------------------------------------------------------------------

void story::note(const std::string& line) {
  diary_.note(world_.now() - evidence_.began, line);
}

std::string story::trace() const {
  std::string out = diary_.text();
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
