#pragma once
/// Requests about tasks. TASKS knows who minted what where. A task that it does not know is asked
/// for at all upstreams, by `tasks/get`, which changes nothing; then the request goes to the one
/// that answered. A task of somebody else is asked for in the same way, and then is not there. So
/// is one that may be somebody else's, who is about to mint one at that upstream: before what an
/// upstream knows is told, TASKS is asked once more. Part of ROUTER.
///
/// An upstream whose latest list was late, or none, is asked as ever, and has a moment to answer
/// while others are waited for; until it has listed something again. One that hangs delays one
/// list, not every list.
///
///   what nobody waits for any more           at its upstream
///   a look, also once its owner is known,    is cancelled
///   or a list after its time
///   a list after its moment                  goes on for the rest of its time, so that it is known
///                                            when its upstream lists again; of each upstream one
#include <map>
#include <string_view>
#include <vector>

#include "actors/router/minting_calls.hpp"

namespace gate::routing {

class fan_outs final : public pipeline::task_desk {
 public:
  fan_outs(unit& u, suspended_calls& suspensions) : unit_(u), mintings_(u, suspensions) {}

  void find(pipeline::fact<pipeline::stage::rate_limit> c) override;
  void gather(pipeline::fact<pipeline::stage::guard> c) override;
  void pin(const pipeline::call& c, std::string_view raw_id) override;
  bool hand_over(pipeline::fact<pipeline::stage::guard>& c) override;

  /// TASKS has answered.
  void on_found(std::uint64_t number, const tasks_found& f);
  /// An upstream has, to a call that asks all of them.
  void on_answered(pipeline::call& c, const answered& m);
  void on_listed(pipeline::call& c, listed& m);
  /// One has listed its tasks, or failed to, whoever waits for that.
  void on_delivered(const listed& m);
  /// This upstream is gone; its number may be given to another.
  void forget(std::size_t upstream) {
    late_.erase(upstream);
    mintings_.forget(upstream);
  }
  /// The unit's calls that may become tasks.
  minting_calls& mintings() { return mintings_; }
  /// Whoever hangs does not keep a task from its owner for long, nor a list.
  void tick(time_point t);

 private:
  void found_one(pipeline::call& c, const tasks_found& f);
  void go_to_owner(pipeline::call& c, tasks::finding f);
  void look(pipeline::call& c);
  void begin(pipeline::call& c);
  void note(pipeline::call& c);
  void finish(pipeline::call& c);
  void judge(pipeline::call& c);
  void give_up(pipeline::call& c, time_point t);
  bool is_late(std::size_t upstream) const;
  bool is_patient(const pipeline::call& c, time_point t) const;
  void leave(const pipeline::call& c, std::size_t upstream, time_point t);
  void cancel(std::size_t upstream, std::uint64_t number, std::uint64_t client);
  void serve(std::uint64_t number, const tasks_found& mine);

  unit& unit_;
  minting_calls mintings_;
  /// An upstream's list that goes on though nobody waits for it; of call 0: there is none.
  struct overdue {
    bool late = false;  ///< it has listed nothing since one was late, or none
    std::uint64_t call = 0, client = 0;
    time_point until{};

    bool is_over() const { return !late && call == 0; }
  };
  std::map<std::size_t, overdue> late_;  ///< by upstream
};

}  // namespace gate::routing
