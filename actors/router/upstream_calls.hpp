#pragma once
/// Calls that upstreams work for, and what upstreams say to their clients. Part of ROUTER.
#include <functional>

#include "actors/router/unit.hpp"

namespace gate::routing {

class client_streams;
class introductions;
class merged_lists;
class subscription_upkeep;
class suspended_calls;
class fan_outs;

/// A root session died: did what has nowhere else to go for this client go over it?
inline bool goes_over_root(const sessions::client_session& s, const session_lost& root) {
  return s.lists_as == root.as && (!root.principal || s.principal == root.principal);
}

class upstream_calls final : public pipeline::upstream_desk {
 public:
  upstream_calls(unit& u, client_streams& streams, subscription_upkeep& subscriptions,
                 introductions& met, fan_outs& tasks, merged_lists& lists,
                 suspended_calls& suspensions)
      : unit_(u),
        streams_(streams),
        subscriptions_(subscriptions),
        introductions_(met),
        fan_outs_(tasks),
        lists_(lists),
        suspensions_(suspensions) {}

  allowances_ptr price(pipeline::call& c) override {
    return unit_.prices.of(c.snapshot, *c.upstream, c.access().get());
  }
  bool crowded(std::size_t index) override {
    return unit_.calls.load(index) >= limits::upstream_calls;
  }
  std::uint64_t park(pipeline::fact<pipeline::stage::guard> c) override;
  void ask(std::size_t index, invoke question) override {
    unit_.upstreams.ask(index, std::move(question));
  }
  void note_result(pipeline::call& c) override;

  void on_answered(const answered& m);
  void on_call_notification(const call_notification& m);
  void on_client_notification(client_notification& m);
  void on_listed(listed& m);
  /// A session died, or a whole UPSTREAM, with whatever it owed.
  void on_session_lost(const session_lost& m);
  void on_upstream_lost(std::size_t upstream);

 private:
  /// False: nobody waits for it (any more).
  bool take(const answered& m);
  void fail(std::size_t upstream, const std::function<bool(const pipeline::call&)>& lost);

  unit& unit_;
  client_streams& streams_;
  subscription_upkeep& subscriptions_;
  introductions& introductions_;
  fan_outs& fan_outs_;
  merged_lists& lists_;
  suspended_calls& suspensions_;
};

}  // namespace gate::routing
