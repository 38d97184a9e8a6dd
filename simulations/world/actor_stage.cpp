#include "simulations/world/actor_stage.hpp"

#include <algorithm>

#include "simulations/world/complaint.hpp"

namespace gate::sim {
namespace {

/// Far beyond any honest test: an actor that wakes itself forever ends here.
constexpr std::size_t most_steps = 20'000'000;

bool has_ended(const caf::strong_actor_ptr& who) {
  return who->get()->getf(caf::abstract_actor::is_terminated_flag);
}

/// Null: it is no actor.
caf::scheduled_actor* actor_of(caf::resumable* job) {
  const auto what = job->subtype();
  if (what != caf::resumable::scheduled_actor) return nullptr;
  return static_cast<caf::scheduled_actor*>(job);
}

}  // namespace

actor_stage::actor_stage() : system_(std::make_unique<caf::actor_system>(config_)) {
  // A survivor is complained of instead of waited for.
  system_->await_actors_before_shutdown(false);
  coordinator_ = &dynamic_cast<caf::scheduler::test_coordinator&>(system_->scheduler());
  clock().current_time += start_of_time;
}

actor_stage::~actor_stage() {
  clear_stage();
  if (system_->registry().running()) complain("an actor outlives the stage");
}

void actor_stage::note(caf::scheduled_actor& who) {
  if (members_.size() <= who.id()) members_.resize(2 * who.id() + 64);
  auto& m = members_[who.id()];
  if (!m.address) m = {who.name(), who.address()};
  if (recording_) turns_ += m.name + '#' + std::to_string(who.id()) + ' ';
}

/// Whom an actor spawns lives where it lives.
void actor_stage::run_front() {
  auto* who = actor_of(coordinator_->jobs.front());
  if (who) note(*who);
  const auto home = who ? household_of(who->id()) : 0;
  const auto before = home != 0 ? system_->latest_actor_id() : 0;
  coordinator_->run_once();
  if (home != 0) assign(home, before);
}

void actor_stage::assign(std::size_t household, caf::actor_id behind) {
  const auto latest = system_->latest_actor_id();
  if (households_.size() <= latest) households_.resize(2 * latest + 64);
  for (auto id = behind + 1; id <= latest; ++id) households_[id] = household;
}

std::size_t actor_stage::household_of(caf::actor_id who) const {
  return who < households_.size() ? households_[who] : 0;
}

void actor_stage::kill(std::size_t household) {
  const auto is_theirs = [&](caf::resumable* job) {
    const auto* who = actor_of(job);
    return who && household_of(who->id()) == household;
  };
  // Twice and more: some have yet to have their first turn.
  for (int round = 0; round < 3; ++round) {
    for (std::size_t id = 0; id < members_.size(); ++id) {
      if (household_of(id) != household) continue;
      const auto& m = members_[id];
      const auto who = caf::actor_cast<caf::strong_actor_ptr>(m.address);
      if (who && !has_ended(who)) caf::anon_send_exit(who, caf::exit_reason::kill);
    }
    auto& jobs = coordinator_->jobs;
    for (auto at = jobs.begin(); (at = std::ranges::find_if(jobs, is_theirs)) != jobs.end();) {
      std::rotate(jobs.begin(), at, at + 1);
      run_front();
    }
  }
}

bool actor_stage::step() {
  auto& jobs = coordinator_->jobs;
  if (jobs.empty()) return false;
  if (dice_) {
    const auto i = static_cast<std::ptrdiff_t>((*dice_)() % jobs.size());
    std::rotate(jobs.begin(), jobs.begin() + i, jobs.begin() + i + 1);
  }
  run_front();
  return true;
}

void actor_stage::settle() {
  std::size_t steps = 0;
  do {
    while (step()) {
      if (++steps < most_steps) continue;
      complain("the actors never come to rest");
      return;
    }
  } while (when_quiet());
}

void actor_stage::advance(caf::timespan total) {
  settle();
  const auto end = clock().current_time + total;
  std::size_t steps = 0;
  while (!clock().schedule().empty() && clock().schedule().begin()->first <= end) {
    const auto due = clock().schedule().begin()->first - clock().current_time;
    coordinator_->advance_time(std::max<caf::timespan>(due, caf::timespan{0}));
    settle();
    if (watcher_) watcher_();
    if (++steps < most_steps) continue;
    complain("a timer fires forever without time passing");
    return;
  }
  coordinator_->advance_time(end - clock().current_time);
  settle();
  if (watcher_) watcher_();
}

std::vector<caf::actor> actor_stage::cast(const std::string& name) const {
  std::vector<caf::actor> out;
  for (const auto& m : members_) {
    if (m.name != name) continue;
    auto who = caf::actor_cast<caf::strong_actor_ptr>(m.address);
    if (who && !has_ended(who)) out.push_back(caf::actor_cast<caf::actor>(who));
  }
  return out;
}

void actor_stage::make_stubborn(const caf::actor& who) {
  auto* const it = dynamic_cast<caf::scheduled_actor*>(caf::actor_cast<caf::abstract_actor*>(who));
  if (it == nullptr) throw std::logic_error("no actor that has turns");
  it->set_exit_handler([](const caf::exit_msg&) {});
}

void actor_stage::clear_stage() {
  held_ = false;
  dice_.reset();
  // Twice and more: whoever dies may have spawned somebody in the meantime.
  for (int round = 0; round < 5; ++round) {
    settle();
    for (const auto& m : members_)
      if (auto who = caf::actor_cast<caf::strong_actor_ptr>(m.address); who && !has_ended(who))
        caf::anon_send_exit(who, caf::exit_reason::kill);
    settle();
  }
}

}  // namespace gate::sim
