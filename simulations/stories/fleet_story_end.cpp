// A story of a fleet: how it ends. Everything is healed, every instance is asked for everything,
// all go, and the instances stop.
#include <algorithm>

#include "simulations/stories/fleet_story.hpp"
#include "simulations/world/guarded_world.hpp"

namespace gate::fleet_churn {

using namespace sim;
using namespace std::chrono_literals;
using kind = request::kind;

void story::heal() {
  note("all is healed");
  for (std::size_t place = 0; place < places; ++place) mend(place);
  store_comes(false);
  for (std::size_t place = 0; place < places; ++place) start(place);
  run({act::cure});
  // Links, breakers and lists come back within this; limits look two minutes back.
  pass(scenario_.heals_within);
  if (scenario_.requests_per_minute || scenario_.per_principal) pass(125s);
  stage_.hold(false);
  look_around();
  note_log();
  healed_ = true;
  evidence_.healed = stage_.now();
  everybody_once_more();
}

/// Under nobody's schedule.
void story::go_on(std::chrono::milliseconds time) {
  for (auto left = time; left > 0ms; left -= 1s) {
    stage_.advance(std::min<std::chrono::milliseconds>(left, 1s));
    feed_the_canary();
    look_around();
  }
}

void story::everybody_once_more() {
  const auto few = scenario_.requests_per_minute || scenario_.per_principal;
  for (std::size_t i = 0; i < visitors; ++i) {
    if (few && i > 1) break;
    if (auto* v = meet(i)) call(*v, "good", living()[i % places]);
    go_on(1s);
  }
  for (std::size_t place = 0; place < places; ++place) {
    // Few enough for any limit.
    if (few) go_on(125s);
    work_everywhere(place);
    note_log();
  }
}

/// A session that begins at one place is good at all others.
void story::work_everywhere(std::size_t place) {
  const auto where = living();
  const auto life = [&](std::size_t n) { return where[(place + n) % where.size()]; };
  visitors_.emplace_back();
  const auto who = visitors_.size() - 1;
  come(who, life(0));
  go_on(1s);
  auto* v = meet(who);
  if (!v) return;
  go_on(1s);
  for (std::size_t n = 0; n < places; ++n) {
    call(*v, "good", life(n));
    go_on(1s);
  }
  call(*v, "sick", life(1));
  make_task(*v, life(2));
  go_on(3s);
  ask_task(*v, minted_.back(), life(0));
  listen_and_hear(*v, place);
  const auto jti = "healed-" + std::to_string(place);
  for (std::size_t n = 0; n < places; ++n) {
    present(jti, life(n));
    go_on(1s);
  }
  // One of another principal, in vain.
  visitors_.emplace_back();
  const auto other = visitors_.size() - 1;
  come(other, life(1));
  go_on(2s);
  if (auto* w = meet(other); w && principal_of(other) != principal_of(who)) {
    steal(*w, who, life(2));
    ask_task(*w, minted_.back(), life(0));
    go_on(1s);
  }
  v = meet(who);
  if (!v) return;
  leave(*v, life(2));
  go_on(2s);
  for (std::size_t n = 0; n < places; ++n) {
    const auto number = std::to_string(next_number_);
    auto r = at(*v, life(n)).call(number, "good__t" + number);
    sent(kind::later, std::move(r), who, life(n));
  }
  go_on(1s);
}

/// It subscribes at one, listens at another, and hears what is said.
void story::listen_and_hear(visitor& v, std::size_t place) {
  const auto where = living();
  v.subscribed = false;
  subscribe(v, where[place % where.size()]);
  go_on(1s);
  const auto at = where[(place + 1) % where.size()];
  listen(v, at);
  const auto stream = evidence_.requests.back().receipt;
  go_on(1s);
  run({act::announce});
  go_on(1s);
  const auto heard = stream->events();
  evidence_.hearings.push_back(
      {index_of(v), "an update where it listens", std::ranges::any_of(heard, [](const auto& e) {
         return e.find("resources/updated") != e.npos;
       })});
  evidence_.requests.back().vanished = true;
  stage_.lives[at]->vanish(stream);
}

void story::go() {
  note("all go");
  for (auto& r : evidence_.requests)
    if (r.receipt->streaming && !r.receipt->done()) {
      r.vanished = true;
      stage_.lives[r.life]->vanish(r.receipt);
    }
  for (std::size_t i = 0; i < visitors_.size(); ++i)
    if (auto* v = meet(i); v && i % 2) leave(*v, living()[i % places]);
  // Sessions of the others end by themselves, their records a while later.
  go_on(session_idle + 125s);
  if (scenario_.bird == canary::keeps_record) store_->set("gate:{session:x}", "x", {});
  for (const auto life : living()) {
    auto& l = evidence_.lives[life];
    l.clients = stage_.lives[life]->metric(R"(gate_sessions{kind="client"})");
    l.bridged = stage_.lives[life]->metric(R"(gate_sessions{kind="bridged"})");
  }
  store_request ping;
  ping.words = {"PING"};
  store_->run(ping, stage_.now());  // so that what has ended is gone
  for (const auto* prefix : {"gate:{session:", "gate:{rl}:", "gate:{budget}:rl:", "gate:{cache:"})
    for (const auto& key : store_->keys(prefix)) evidence_.left_keys.push_back(key);
}

void story::stop_all() {
  const auto all = living();
  for (const auto life : all) stage_.lives[life]->stop();
  stage_.advance(15s);
  look_around();
  note_log();
  for (const auto life : all) {
    auto& l = evidence_.lives[life];
    l.stopped = stage_.lives[life]->stopped();
    l.ended = stage_.now();
    l.audit = stage_.lives[life]->audit();
  }
}

}  // namespace gate::fleet_churn
