#pragma once
/// Tells a scenario of `gate-stdio` in a world of its own, in virtual time, under a schedule that
/// the seed shuffles. Afterwards all go, new clients come, whose children are decent, and the shim
/// is stopped.
#include <optional>
#include <string>
#include <vector>

#include "simulations/stories/diary.hpp"
#include "simulations/stories/shim_evidence.hpp"
#include "simulations/world/shim_service.hpp"

namespace gate::shim_churn {

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
  /// A session, as its client knows it.
  struct session {
    std::string id;           ///< empty: it has none yet
    std::size_t opening = 0;  ///< the request that asked for it
    bool here = false;
    time_point last{};
    std::vector<std::size_t> calls;  ///< indexes into the evidence's requests
  };

  // shim_story_calls.cpp: what clients do
  void ask(const operation& o, session& s);
  request& send(request::kind what, std::size_t visitor, http_request r);
  request& post(request::kind what, std::size_t visitor, std::string body, bool header_first);
  void come(bool header_first);
  void call(std::size_t visitor, std::string_view deed, std::chrono::milliseconds takes);
  void cancel(session& s, std::uint32_t which);
  void vanish(std::uint32_t which);
  void crash(std::uint32_t which);
  std::vector<std::size_t> clients_of(caf::actor_id session) const;
  std::size_t index_of(const session& s) const {
    return static_cast<std::size_t>(&s - sessions_.data());
  }
  void doom(std::size_t visitor);
  static http_request http_request_of(verb method, const std::string& session, std::string body);

  // shim_story.cpp
  void run(const operation& o);
  void pass(std::chrono::milliseconds time);
  void look_around();
  void meet(std::size_t request);
  void count_children();
  void note(const std::string& line);
  void note_log() { diary_.note_log(); }
  void let_the_canary_in();
  void all_go();
  void others_come();
  void stop();
  std::map<std::string, std::size_t> census() const;
  sim::child_manner manner_of(std::size_t child) const;
  bool wants_canary(canary what) const { return scenario_.bird == what; }

  scenario scenario_;
  evidence evidence_;
  sim::shim_service world_;
  std::vector<session> sessions_;
  std::vector<std::size_t> open_;  ///< requests that wait, as far as is known
  std::uint32_t next_number_ = 1;
  stories::diary diary_;
  bool healed_ = false;
  bool turns_;
};

}  // namespace gate::shim_churn
