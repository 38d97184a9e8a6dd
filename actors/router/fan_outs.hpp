#pragma once
/// Requests about tasks. TASKS knows who minted what where. A task that it does not know is asked
/// for at all upstreams, by `tasks/get`, which changes nothing; then the request goes to the one
/// that answered. A task of somebody else is asked for in the same way, and then is not there. Part
/// of ROUTER.
#include <string_view>
#include <vector>

#include "actors/router/unit.hpp"

namespace gate::routing {

class fan_outs final : public pipeline::task_desk {
 public:
  explicit fan_outs(unit& u) : unit_(u) {}

  void find(pipeline::fact<pipeline::stage::rate_limit> c) override;
  void gather(pipeline::fact<pipeline::stage::guard> c) override;
  void pin(const pipeline::call& c, std::string_view raw_id) override;

  /// TASKS has answered.
  void on_found(std::uint64_t number, const tasks_found& f);
  /// An upstream has, to a call that asks all of them.
  void on_answered(pipeline::call& c, const answered& m);
  void on_listed(pipeline::call& c, listed& m);
  /// Whoever hangs does not keep a task from its owner for long, nor a list.
  void tick(time_point t);

 private:
  void found_one(std::uint64_t number, tasks::finding f);
  void begin(pipeline::call& c);
  void note(pipeline::call& c);
  void finish(std::uint64_t number);
  void serve(std::uint64_t number, const tasks_found& mine);

  unit& unit_;
};

}  // namespace gate::routing
