// A story of a fleet: instances that are killed and started, links and a store that fail, and what
// is broken on purpose.
#include <algorithm>

#include "actors/fleet/shared_circuit.hpp"
#include "actors/fleet/stage_question.hpp"
#include "simulations/peers/forge.hpp"
#include "simulations/stories/fleet_story.hpp"
#include "simulations/stories/thief.hpp"
#include "simulations/world/guarded_world.hpp"

namespace gate::fleet_churn {

using namespace sim;
using namespace std::chrono_literals;

// --- instances -----------------------------------------------------------------------------------

/// One that can not reach its store at the start ends by itself, so there is none.
void story::start(std::size_t place) {
  if (at_[place] || !store_->here()) return;
  const auto number = stage_.lives.size();
  auto link = std::make_shared<store_link>(scenario_.seed * 1'000 + number);
  link->longest = scenario_.longest;
  link->apart = scenario_.apart[place];
  world_options o;
  o.config = document(scenario_);
  o.seed = scenario_.seed * 100 + number;
  o.hosts = {"idp"};
  o.secrets = {{"KEY", oauth::key_file("p256_other")},
               {"SECRET", "what the gateway shows its provider"},
               {"FLEET", "thirty-two characters, and then some"}};
  o.store = store_;
  o.link = link;
  if (number == 0) o.prepare = [this](fake_network& net) { prepare(net); };
  const auto day = std::chrono::system_clock::time_point(std::chrono::seconds(world_start())) +
                   scenario_.begins + scenario_.ahead[place];
  o.wall = [this, day] {
    return day + std::chrono::duration_cast<std::chrono::system_clock::duration>(stage_.now() -
                                                                                 evidence_.began);
  };
  stage_.lives.push_back(nullptr);
  links_.push_back(link);
  at_[place] = number;
  life born;
  born.place = place;
  born.began = stage_.now();
  evidence_.lives.push_back(std::move(born));
  stage_.lives.back() = std::make_unique<instance>(stage_, net_, std::move(o), number + 1);
}

void story::kill(std::size_t place) {
  // Somebody stays.
  if (!at_[place] || living().size() < 2) return;
  const auto number = *std::exchange(at_[place], std::nullopt);
  look_around();
  for (auto& r : evidence_.requests)
    if (r.life == number && !r.receipt->done()) r.vanished = true;
  stage_.lives[number]->die();
  auto& gone = evidence_.lives[number];
  gone.killed = true;
  gone.ended = stage_.now();
  gone.audit = stage_.lives[number]->audit();
  for (auto& a : evidence_.alones)
    if (a.life == number && a.to == time_point::max()) a.to = stage_.now();
}

std::vector<std::size_t> story::living() const {
  std::vector<std::size_t> out;
  for (const auto& number : at_)
    if (number) out.push_back(*number);
  return out;
}

// --- the store, and the way there ----------------------------------------------------------------

void story::begin_alone(std::size_t place) {
  if (!at_[place]) return;
  const auto number = *at_[place];
  for (const auto& a : evidence_.alones)
    if (a.life == number && a.to == time_point::max()) return;
  evidence_.alones.push_back({number, stage_.now(), time_point::max()});
}

/// Those whose instances have the store again, and have had a moment to tell it what it missed.
void story::end_alones() {
  for (auto& a : evidence_.alones) {
    if (a.to != time_point::max()) continue;
    const auto& link = *links_[a.life];
    if (store_->here() && link.now == store_link::trouble::none && link.here)
      a.to = stage_.now() + 2s;
  }
}

void story::trouble(std::size_t place, store_link::trouble what) {
  if (!at_[place]) return;
  begin_alone(place);
  links_[*at_[place]]->be(what);
}

void story::mend(std::size_t place) {
  if (at_[place]) links_[*at_[place]]->be(store_link::trouble::none);
}

void story::store_goes() {
  for (std::size_t place = 0; place < places; ++place) begin_alone(place);
  store_->go();
}

void story::store_comes(bool empty) {
  if (store_->here()) return;
  if (empty) {
    store_->forget_all();
    evidence_.losses.push_back(stage_.now());
  }
  store_->back();
}

// --- what is broken on purpose -------------------------------------------------------------------

namespace {

/// A script of which a part of the answer is another.
void bend(fake_store& store, std::string_view text,
          std::function<void(std::string&, const fake_store::words&)> how) {
  store.teach(text, [was = store.taught(text), how = std::move(how)](
                        fake_store& s, const fake_store::words& keys, const fake_store::words& w) {
    auto out = was(s, keys, w);
    how(out, w);
    return out;
  });
}

/// The first number of a list says which of the windows, or of the budgets behind them, refuses.
auto allow(bool windows) {
  return [windows](std::string& answer, const fake_store::words& w) {
    const auto begin = answer.find(':') + 1, end = answer.find("\r\n", begin);
    const auto by = std::stoll(answer.substr(begin, end - begin));
    if (by > 0 && (by <= std::stoll(w.at(0))) == windows) answer.replace(begin, end - begin, "0");
  };
}

void give_a_lease(std::string& answer, const fake_store::words&) {
  if (answer.starts_with("*6") && answer.ends_with("\r\n:0\r\n"))
    answer.replace(answer.size() - 4, 4, ":77\r\n");
}

}  // namespace

void story::let_the_canary_in() {
  if (scenario_.bird == canary::refuses_nobody) bend(*store_, fleet::stage_script(), allow(true));
  if (scenario_.bird == canary::charges_nobody) bend(*store_, fleet::stage_script(), allow(false));
  if (scenario_.bird == canary::leases_to_all) bend(*store_, fleet::circuit_script(), give_a_lease);
}

/// After each operation.
void story::feed_the_canary() {
  if (scenario_.bird == canary::forgets_used)
    for (const auto& key : store_->keys("gate:{once:")) store_->erase(key);
  if (scenario_.bird == canary::forgets_sessions)
    for (const auto& key : store_->keys("gate:{session:")) store_->erase(key);
}

/// As if INGRESS had delivered it two times.
void story::call_twice(visitor& v, std::size_t life) {
  const auto name = "good__t" + std::to_string(next_number_);
  call(v, "good", life);
  at(v, life).call("1000000", name);
  pass(1s);
}

/// In the middle there is something for it to go wrong with.
void story::provoke_the_canary() {
  if (scenario_.bird == canary::none) return;
  come(0, living()[0]);
  come(1, living()[0]);
  pass(2s);
  const auto where = living();
  auto *v = meet(0), *w = meet(1);
  if (!v || !w) return;
  const auto everywhere = [&](const char* upstream, std::size_t times) {
    for (std::size_t n = 0; n < times; ++n) call(*v, upstream, where[n % where.size()]);
    pass(1s);
  };
  switch (scenario_.bird) {
    case canary::refuses_nobody:
      return everywhere("lim", 20);
    case canary::charges_nobody:
      return everywhere("pen", 20);
    case canary::leases_to_all:
      run({act::sicken});
      everywhere("sick", 6);
      pass(half_open_after);
      return everywhere("sick", 6);
    case canary::forgets_used:
      for (const auto life : where) {
        present("jti-0", life);
        pass(1s);
      }
      return;
    case canary::adopts_foreign:
      return steal(*w, 0, where.back());
    case canary::shares_credential:
      call_own(*v, where[0]);
      pass(1s);
      call_own(*w, where[0]);
      return pass(1s);
    case canary::open_tenants:
      come(2, where[0]);
      pass(2s);
      if (auto* stranger = meet(2)) call_own(*stranger, where[0]);
      return pass(1s);
    case canary::repeats_streams:
    case canary::loses_streams:
      for (int n = 0; n < 4; ++n) {
        resume(*v, where.front(), where.back());
        pass(1s);
      }
      return pass(long_call);
    case canary::tells_of_tasks:
      make_task(*v, where[0]);
      pass(3s);
      return ask_task(*w, minted_.back(), where.back());
    case canary::drops_answer: {
      auto r = std::make_shared<receipt>();
      auto what = make_request(verb::post, "/mcp", {"Host: localhost"}, "{}");
      stage_.tell(caf::actor_cast<arrivals_handle>(stage_.system().spawn<churn::thief>()),
                  arrival{std::make_shared<fake_exchange>(r, std::move(what))});
      sent(request::kind::call, r, 0, where[0]).upstream = "good";
      return;
    }
    case canary::loses_audit:
      stage_.lives[where[0]]->lose_audit_line();
      return everywhere("good", 6);
    case canary::calls_twice:
      return call_twice(*v, where[0]);
    default:
      return everywhere("good", 6);
  }
}

}  // namespace gate::fleet_churn
