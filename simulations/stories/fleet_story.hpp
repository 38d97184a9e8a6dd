#pragma once
/// Tells a story of a fleet: whole gateways on one stage, each with its own link to the store they
/// share, its own clock and its own end; visitors who go to any of them; chaos, then healing, when
/// everything must work at every instance; then all go, and nothing may be left. Made by tests, one
/// per run.
#include <memory>
#include <optional>

#include "simulations/stories/diary.hpp"
#include "simulations/stories/fleet_evidence.hpp"
#include "simulations/world/far_store.hpp"
#include "simulations/world/heard_log.hpp"
#include "simulations/world/instance.hpp"

namespace gate::fleet_churn {

/// The stage of a fleet. An instance that was killed stays, as what is known of it.
class fleet_stage final : public sim::actor_stage, public sim::heard_log {
 public:
  ~fleet_stage() override { clear_stage(); }

  std::vector<std::unique_ptr<sim::instance>> lives;

 protected:
  bool when_quiet() override {
    bool more = false;
    for (const auto& it : lives) more = (it && it->tell_drained()) || more;
    return more;
  }
};

class story {
 public:
  /// With `turns`, whose turn it was is part of the trace.
  story(scenario s, bool turns);

  /// Before it is told: how things stand is noted again and again.
  void keep_samples();
  /// Once.
  void tell();

  const evidence& found() const { return evidence_; }
  /// What happened, line by line; the same for the same scenario.
  std::string trace() const;

 private:
  struct visitor {
    std::optional<sim::client> as{};
    sim::receipt_ptr opening{};  ///< initialize, under way
    bool here = false;
    bool subscribed = false;
    time_point since{};              ///< its session was asked for
    std::size_t began_at = 0;        ///< by this life
    bool may_be_over = false;        ///< it was idle for so long that its session may have ended
    std::vector<std::size_t> asked;  ///< indexes into the evidence's requests, of this session
  };
  struct minted {
    std::string id;
    std::size_t visitor;
    std::size_t request;  ///< index into the evidence's
  };

  // fleet_story.cpp
  void prepare(sim::fake_network& net);
  void run(const operation& o);
  void note(const std::string& line);
  void note_log() { diary_.note_log(); }
  void pass(std::chrono::milliseconds time);
  void look_around();
  std::int64_t wall_seconds() const;

  // fleet_story_visitors.cpp: what clients do
  visitor* meet(std::size_t who);
  void come(std::size_t who, std::size_t life);
  void ask(const operation& o);
  void leave(visitor& v, std::size_t life);
  time_point last_use(const visitor& v) const;
  void call(visitor& v, const std::string& upstream, std::size_t life);
  void rush(std::uint32_t drawn);
  void call_own(visitor& v, std::size_t life);
  void make_task(visitor& v, std::size_t life);
  void ask_task(visitor& v, const minted& about, std::size_t life);
  void subscribe(visitor& v, std::size_t life);
  void listen(visitor& v, std::size_t life);
  void resume(visitor& v, std::size_t life, std::size_t later);
  void steal(visitor& v, std::size_t from, std::size_t life);
  void present(const std::string& jti, std::size_t life);
  request& sent(request::kind what, sim::receipt_ptr r, std::size_t who, std::size_t life);
  sim::client& at(visitor& v, std::size_t life) { return v.as->turn_to(*stage_.lives.at(life)); }
  std::size_t index_of(const visitor& v) const {
    return static_cast<std::size_t>(&v - visitors_.data());
  }

  // fleet_story_mischief.cpp: instances, links, the store, and what is broken on purpose
  void start(std::size_t place);
  void kill(std::size_t place);
  void trouble(std::size_t place, sim::store_link::trouble what);
  void mend(std::size_t place);
  void store_goes();
  void store_comes(bool empty);
  void begin_alone(std::size_t place);
  void end_alones();
  std::vector<std::size_t> living() const;
  void let_the_canary_in();
  void provoke_the_canary();
  void call_twice(visitor& v, std::size_t life);
  void feed_the_canary();

  // fleet_story_end.cpp
  void heal();
  void go_on(std::chrono::milliseconds time);
  void work_everywhere(std::size_t place);
  void everybody_once_more();
  void listen_and_hear(visitor& v, std::size_t place);
  void go();
  void stop_all();

  scenario scenario_;
  evidence evidence_;
  std::shared_ptr<sim::fake_network> net_ = std::make_shared<sim::fake_network>();
  std::shared_ptr<sim::fake_store> store_ = std::make_shared<sim::fake_store>();
  fleet_stage stage_;
  std::array<std::optional<std::size_t>, places> at_{};  ///< who lives where
  std::vector<std::shared_ptr<sim::store_link>> links_;  ///< by life
  std::vector<visitor> visitors_;
  std::vector<minted> minted_;
  std::vector<std::size_t> open_;  ///< requests that wait, as far as is known
  std::uint32_t next_number_ = 1;
  stories::diary diary_;
  bool healed_ = false;
};

}  // namespace gate::fleet_churn
