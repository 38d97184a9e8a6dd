#pragma once
/// What the federation can do, as clients are told in `initialize`. Upstreams introduce themselves
/// with every handshake. Those that nobody has met yet are asked to when the first client comes,
/// and it waits for them a moment; whoever is late is not waited for again. Part of ROUTER.
#include <string>
#include <vector>

#include "actors/router/abilities_memo.hpp"
#include "actors/router/unit.hpp"

namespace gate::routing {

class client_sessions;
class list_shelf;
class missing_lists;

class introductions final : public pipeline::introduction_desk {
 public:
  introductions(unit& u, client_sessions& sessions, list_shelf& lists, missing_lists& missing)
      : unit_(u), sessions_(sessions), lists_(lists), missing_(missing) {}

  std::optional<pipeline::federation_abilities> abilities(pipeline::call& c) override;
  void wait(pipeline::fact<pipeline::stage::guard> c) override;

  void on_introduced(introduced& m);
  /// The upstream died with whatever it was about to say.
  void lost(std::size_t upstream);
  void on_timer();
  /// Answers those who wait, if there is nobody left to wait for.
  void open_waiting();
  /// Another configuration, of so many numbers. Of these nothing is known (any more).
  void resize(std::size_t slots);
  void forget(std::size_t upstream) { met_[upstream] = {}; }
  mcp::server_features features(std::size_t upstream) const { return met_[upstream].features; }

 private:
  void meet(const config::compiled_upstream& u, pipeline::call& c);

  unit& unit_;
  client_sessions& sessions_;
  list_shelf& lists_;
  missing_lists& missing_;
  /// What upstreams said of themselves when they were last met.
  struct acquaintance {
    bool met = false;
    bool asked = false;  ///< and the answer is on its way
    bool late = false;   ///< it missed a deadline: nobody waits for it before it has spoken
    mcp::server_features features;
    std::string instructions;
    time_point quiet_until{};
  };
  std::vector<acquaintance> met_;
  abilities_memo told_;
};

}  // namespace gate::routing
