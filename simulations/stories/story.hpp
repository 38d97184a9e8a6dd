#pragma once
/// Tells a scenario in a world of its own: a whole gateway between visitors and the fleet, in
/// virtual time, under a schedule that the seed shuffles. Afterwards, unless the scenario ends
/// abruptly, everything is healed, everybody asks everybody once more, and the world is left. Made
/// by tests, one per run.
#include <array>
#include <optional>

#include "simulations/stories/diary.hpp"
#include "simulations/stories/documents.hpp"
#include "simulations/stories/evidence.hpp"
#include "simulations/stories/fleet.hpp"
#include "simulations/world/world.hpp"

namespace gate::churn {

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
    explicit visitor(sim::client c) : as(std::move(c)) {}
    sim::client as;
    sim::receipt_ptr opening;  ///< initialize, under way
    bool here = false;
    time_point last{};
    bool may_be_over = false;        ///< it was idle for so long that its session may have ended
    std::vector<std::size_t> calls;  ///< indexes into the evidence's requests, of this session
  };

  // story.cpp
  void run(const operation& o);
  void run_on_fleet(const operation& o);
  void ask(const operation& o);
  void note(const std::string& line);
  void note_log() { diary_.note_log(); }
  void pass(std::chrono::milliseconds time);
  void look_for_answers();
  void look_at_metrics();

  // story_visitors.cpp: what clients do
  visitor* meet(std::uint32_t who);
  void come(std::uint32_t who);
  void leave(visitor& v);
  void call(visitor& v, const std::string& upstream);
  void call_hidden(visitor& v);
  void call_without_session(const operation& o);
  void rush(std::uint32_t drawn);
  void listen(visitor& v, bool reads);
  void list(visitor& v, std::uint32_t which);
  void subscribe(visitor& v, std::uint32_t whom);
  void cancel(visitor& v, std::uint32_t which);
  void vanish(std::uint32_t which);
  request& sent(request::kind what, sim::receipt_ptr r, std::size_t who);
  std::size_t index_of(const visitor& v) const {
    return static_cast<std::size_t>(&v - visitors_.data());
  }
  std::vector<std::string> callable() const;

  // story_mischief.cpp: crashes, reloads, and what is broken on purpose
  void crash(std::uint32_t kind, std::uint32_t which);
  bool protects(const std::string& kind, const caf::actor& who) const;
  void reload(const operation& o);
  void bad_reload(const operation& o);
  void reload_to(const std::string& text, bool good, bool by_signal);
  void remember_first_cast();
  void let_the_canary_in();
  void cut_the_drain();

  // story_end.cpp
  void heal();
  void everybody_once_more();
  void go();
  void stop();
  std::map<std::string, std::size_t> census() const;
  std::vector<std::string> left_sessions() const;

  scenario scenario_;
  fleet fleet_;
  std::optional<sim::world> world_;
  wish wish_;
  std::vector<visitor> visitors_;
  evidence evidence_;
  std::vector<std::size_t> open_;  ///< requests that wait, as far as is known
  std::vector<sim::world::pending<reloaded>> reload_answers_;
  std::vector<caf::actor_id> first_upstreams_;  ///< of those that must not crash
  std::uint32_t next_number_ = 1;
  stories::diary diary_;
  std::chrono::system_clock::time_point began_wall_{};
  bool healed_ = false;
  bool turns_;
};

}  // namespace gate::churn
