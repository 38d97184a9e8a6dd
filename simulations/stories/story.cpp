#include "simulations/stories/story.hpp"

#include <algorithm>

namespace gate::churn {

using namespace sim;
using namespace std::chrono_literals;

story::story(scenario s, bool turns)
    : scenario_(std::move(s)), fleet_(scenario_), wish_(scenario_), turns_(turns) {
  world_options o;
  o.config = document(wish_, scenario_);
  o.units = scenario_.units;
  o.seed = scenario_.seed;
  o.hosts = fleet_.more_hosts();
  for (const auto& id : scenario_.upstreams) o.secrets[key_variable(id)] = key_of(id);
  o.prepare = [this](fake_network& net) { fleet_.prepare(net); };
  world_.emplace(std::move(o));
  if (turns_) world_->record_turns();
  remember_first_cast();
  for (std::size_t i = 0; i < visitors; ++i)
    visitors_.emplace_back(client(*world_, i % scenario_.units));
}

void story::keep_samples() {
  world_->watch_time([this] {
    if (auto* s = stories::next_sample(evidence_.samples, world_->now() - evidence_.began))
      stories::add_to(*s, world_->exposition());
  });
}

void story::tell() {
  auto& w = *world_;
  evidence_.began = w.now();
  began_wall_ = w.wall();
  w.shuffle(scenario_.seed);
  w.hold(true);
  for (std::size_t i = 0; i < scenario_.operations.size(); ++i) {
    if (i == scenario_.operations.size() / 2) let_the_canary_in();
    const auto& o = scenario_.operations[i];
    note(to_string(o));
    run(o);
    look_for_answers();
    note_log();
  }
  w.hold(false);
  w.settle();
  look_for_answers();
  look_at_metrics();
  if (!scenario_.abrupt) heal();
  go();
  for (std::size_t i = 0; i < reload_answers_.size(); ++i) {
    const auto& answer = reload_answers_[i];
    auto& r = evidence_.reloads[i];
    r.answered = answer.done();
    if (!answer.value->has_value()) continue;
    r.taken = answer.get().problems.empty();
    for (const auto& p : answer.get().problems) r.problems += config::to_line(p) + "; ";
  }
  evidence_.ended = w.now();
  evidence_.audit = w.audit();
  evidence_.log = world::log();
  if (scenario_.has("new")) evidence_.wrongs = fleet_.host("new").wrongs;
  for (const auto& name : fleet_.all()) evidence_.seen[name] = fleet_.host(name).seen();
}

void story::run(const operation& o) {
  switch (o.what) {
    case act::come:
      return come(o.a);
    case act::call:
      // (Not by another draw: the rest of the story stays as it is.)
      if (o.a / visitors % 100 < scenario_.stateless) return call_without_session(o);
      return ask(o);
    case act::vanish:
      return vanish(o.a);
    case act::health:
    case act::metrics: {
      if (o.what == act::metrics) {
        world_->settle();
        return look_at_metrics();
      }
      client c(*world_, o.a % scenario_.units);
      c.path = "/health";
      sent(request::kind::health, c.get(), visitors);
      return;
    }
    case act::crash:
      return crash(o.a, o.b);
    case act::reload:
    case act::hang_up:
      return reload(o);
    case act::bad_reload:
      return bad_reload(o);
    case act::jump: {
      const std::chrono::minutes within(static_cast<int>(o.a % 50) - 25);
      return world_->set_wall(began_wall_ + within);
    }
    case act::wait:
      return pass(std::chrono::milliseconds(o.a));
    case act::steps:
      for (auto n = o.a; n > 0; --n) world_->step();
      return;
    case act::settle:
      return world_->settle();
    case act::rush:
      return rush(o.b);
    case act::sicken:
    case act::cure:
    case act::forget:
    case act::announce:
    case act::replica_down:
    case act::replica_up:
    case act::registry:
      return run_on_fleet(o);
    default:
      return ask(o);
  }
}

void story::run_on_fleet(const operation& o) {
  const auto weak = fleet_.weak();
  const auto& victim = weak[o.a % weak.size()];
  switch (o.what) {
    case act::sicken:
      return fleet_.sicken(victim, o.b);
    case act::cure:
      return fleet_.cure(victim);
    case act::forget:
      return fleet_.forget(victim);
    case act::announce: {
      const auto all = fleet_.all();
      return fleet_.announce(all[o.a % all.size()], o.b % 30, o.b / 30 % 12 == 0);
    }
    case act::registry:
      return fleet_.publish(o.a);
    default:
      break;
  }
  if (!scenario_.has("trio")) return;
  // Where calls must go through, a replica dies between them, not within a handshake.
  if (scenario_.steady) world_->settle();
  if (o.what == act::replica_down) return fleet_.take_down(o.a, o.b);
  fleet_.bring_up(o.a);
}

/// What takes a visitor who is there.
void story::ask(const operation& o) {
  auto* v = meet(o.a);
  if (!v) return;
  const auto number = std::to_string(next_number_);
  switch (o.what) {
    case act::call: {
      const auto whom = callable();
      return call(*v, whom[o.b % whom.size()]);
    }
    case act::burst: {
      const auto whom = callable();
      for (auto n = 3 + o.b % 6; n > 0; --n) call(*v, whom[o.b % whom.size()]);
      return;
    }
    case act::list:
      return list(*v, o.b);
    case act::read:
      sent(request::kind::read, v->as.request(number, "resources/read", R"({"uri":"x://good"})"),
           index_of(*v));
      return;
    case act::subscribe:
      return subscribe(*v, o.b);
    case act::level:
      sent(request::kind::level,
           v->as.request(number, "logging/setLevel",
                         o.b % 2 ? R"({"level":"info"})" : R"({"level":"error"})"),
           index_of(*v));
      return;
    case act::ping:
      sent(request::kind::ping, v->as.request(number, "ping"), index_of(*v));
      return;
    case act::cancel:
      return cancel(*v, o.b);
    case act::listen:
      return listen(*v, o.b % 3 != 0);
    default:
      return leave(*v);
  }
}

/// Time passes, with a look at the answers every second.
void story::pass(std::chrono::milliseconds time) {
  world_->hold(false);
  for (auto left = time; left > 0ms; left -= 1s) {
    world_->advance(std::min<std::chrono::milliseconds>(left, 1s));
    look_for_answers();
  }
  world_->hold(true);
}

void story::look_for_answers() {
  std::erase_if(open_, [&](std::size_t i) {
    auto& r = evidence_.requests[i];
    if (r.receipt->body_asked && r.receipt->unread) {
      r.sent = world_->now();  // all of it
      world_->bring_body(r.receipt);
      auto& v = visitors_[r.visitor];
      if (std::ranges::find(v.calls, i) != v.calls.end()) v.last = r.sent;
    }
    const bool done = r.receipt->done() || r.receipt->streaming;
    if (done) r.answered = world_->now();
    return done;
  });
}

void story::look_at_metrics() {
  client c(*world_, 0);
  c.path = "/metrics";
  auto& r = sent(request::kind::metrics, c.get(), visitors);
  const auto receipt = r.receipt;
  world_->settle();
  evidence_.expositions.push_back(receipt->body);
}

// --- the trace ----------------------------------------------------------------------------------

void story::note(const std::string& line) {
  diary_.note(world_->now() - evidence_.began, line);
}

std::string story::trace() const {
  std::string out = diary_.text();
  for (const auto& r : evidence_.requests) {
    out += std::to_string(r.receipt->number) + ": visitor " + std::to_string(r.visitor) +
           ", number " + std::to_string(r.number) + (r.upstream.empty() ? "" : ", ") + r.upstream +
           ": " + std::to_string(r.receipt->status) + ' ' +
           // (/metrics tells real time.)
           (r.what == request::kind::metrics ? "" : r.receipt->last()) + '\n';
  }
  for (const auto& line : evidence_.audit) out += line + '\n';
  if (turns_) out += world_->turns();
  return out;
}

}  // namespace gate::churn
