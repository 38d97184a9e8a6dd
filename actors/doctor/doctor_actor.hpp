#pragma once
/// DOCTOR: the actor around EXAMINATIONs: it sends their questions to EGRESS and INSPECTOR, many
/// peers at once, with a deadline for each and one for all. Spawned by embed/checkup; ends when all
/// have been examined.
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "actors/doctor/examination.hpp"
#include "actors/doctor/report.hpp"
#include "transport/pinned.hpp"

namespace gate::doctor {

struct doctor_parts {
  const examinations* peers = nullptr;  ///< outlive it; so do those that they go on with
  egress_handle egress;
  inspector_handle inspector;
  std::chrono::milliseconds each{};  ///< how long one peer may take
  discretion* secrets = nullptr;
  /// So many of so many have been examined; there may be more of them later.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// To itself: the time of one peer is over, if it is still about the same question; or that of all.
struct peer_late {
  std::size_t peer = 0;
  std::uint64_t alarm = 0;
};
struct all_late {};

using doctor_base = caf::typed_actor<caf::reacts_to<fetched>, caf::reacts_to<streamed>,
                                     caf::reacts_to<inspected>, caf::reacts_to<store_inspected>,
                                     caf::reacts_to<peer_late>, caf::reacts_to<all_late>>;

class doctor_actor final : public pinned<doctor_base::base> {
 public:
  doctor_actor(caf::actor_config& cfg, caf::execution_unit* unit, doctor_parts parts);
  behavior_type make_behavior() override;
  void on_exit() override;
  const char* name() const override { return "doctor"; }

 private:
  /// One peer, and what is under way for it.
  struct visit {
    examination* peer = nullptr;
    std::uint64_t question = 0;  ///< 0: nothing
    std::uint64_t alarm = 0;     ///< the one that counts
    bool fetches = false;
    std::string answered_by;
    std::string event;  ///< that answers
    std::size_t events = 0, bytes = 0;
    std::string session_id;
    std::chrono::steady_clock::time_point since;
    bool over = false;
    bool leaving = false;  ///< its time is over
  };

  void take_in(const examinations& peers);
  void begin_next();
  void follow(std::size_t peer, action next);
  void ask(std::size_t peer, doctor::request what);
  void arm(std::size_t peer, std::chrono::milliseconds after);
  void heard(const fetched& m);
  void heard(const streamed& m);
  /// The fetch is over for us, whatever still comes.
  void abandon(visit& v);
  void answer(std::size_t peer, reply r);
  void finish(std::size_t peer);
  void be_late(std::size_t peer);
  void all_over();
  /// Those that have not been begun never are.
  void leave_out_the_rest();
  /// Whom an answer is for; nothing: nobody waits for it any more.
  std::optional<std::size_t> peer_of(std::uint64_t question);

  doctor_parts parts_;
  std::deque<visit> visits_;                    ///< stay where they are when there are more
  std::map<std::uint64_t, std::size_t> asked_;  ///< questions under way, of which peer
  std::uint64_t next_question_ = 1;
  std::uint64_t next_alarm_ = 1;
  std::size_t begun_ = 0, running_ = 0, finished_ = 0;
  bool closing_ = false;  ///< the time of all is over
};

}  // namespace gate::doctor

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::doctor::peer_late)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::doctor::all_late)
