#pragma once
/// What viewers ask of the gateway itself (docs/introspection.md): who may see what, whom to ask
/// for it, and the streams of what happens. Part of ROUTER.
///
///   /api/federation  RATE LIMITER and BUDGET: how much is used; then HEALTH, which makes the text
///   /api/activity    ACTIVITY: a page; or, for a stream, more and more of its bytes
///   /api/explain     RATE LIMITER, BUDGET and UPSTREAM (its circuit), all at once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "actors/router/unit.hpp"
#include "protocol/oauth/token.hpp"
#include "transport/clock.hpp"

namespace gate::routing {

class inquiries final : public pipeline::inquiry_desk {
 public:
  inquiries(unit& u, identity::gatekeeper& keeper, wall_clock wall)
      : unit_(u), keeper_(keeper), wall_(std::move(wall)) {}

  void answer(pipeline::fact<pipeline::stage::rate_limit> c) override;
  void explain(pipeline::fact<pipeline::stage::authorize> c) override;
  bool explain(pipeline::refused& r) override;

  /// Somebody who was asked for this call has answered, or is not there.
  void on(std::uint64_t call, inquiry_answer a);
  /// From ACTIVITY: a call's stream may begin, or not; or what one is told.
  void on_told(const activity_told& m);
  /// It crashed.
  void lost_activity();
  void client_gone(std::uint64_t exchange);
  /// Every second: keep-alives, and streams whose viewer may not see them any longer.
  void tick(time_point t, oauth::wall_time wall);
  /// All streams end.
  void wind_down();
  void clear();
  std::size_t streams() const { return streams_.size(); }

 private:
  /// What is gathered for one call.
  struct gathering {
    usage requests, calls;
    std::optional<breaker_state> circuit;
    unsigned awaited = 0;  ///< so many have yet to answer
  };
  struct stream {
    exchange_ptr to;
    identity::access_ptr whose;
    time_point written;
  };
  using place = std::map<std::uint64_t, stream>::iterator;

  void gather(std::uint64_t number, gathering what, std::optional<std::size_t> circuit);
  void gathered(std::uint64_t number);
  void conclude(pipeline::call& c, const gathering& what, std::optional<refusal> no = {});
  void view_activity(pipeline::fact<pipeline::stage::rate_limit> c);
  void serve(std::uint64_t number, std::string_view body);
  place end(place at, std::string_view why);
  void unfollow(std::uint64_t number);

  unit& unit_;
  identity::gatekeeper& keeper_;
  wall_clock wall_;
  std::unordered_map<std::uint64_t, gathering> gathering_;
  std::map<std::uint64_t, stream> streams_;  ///< by the number that their call had
  bool winding_down_ = false;
};

}  // namespace gate::routing
