#pragma once
/// Bodies that are read once their header has passed stages 1 and 2. Each is asked for once, and
/// its call found again by its exchange when the body is there, or its client is gone. Part of
/// ROUTER.
#include <string>
#include <vector>

#include "actors/router/unit.hpp"

namespace gate::routing {

class body_queue {
 public:
  explicit body_queue(unit& u) : unit_(u) {}

  void wait(pipeline::fact<pipeline::stage::host> c);
  /// The call whose body is there. Nothing: nobody waits for it.
  std::optional<pipeline::fact<pipeline::stage::host>> take(std::uint64_t exchange);
  /// It will not come.
  void give_up(std::uint64_t exchange, std::string why);
  /// All calls that wait for theirs, taken out.
  std::vector<pipeline::call_ptr> end_all();

 private:
  std::uint64_t number_of(std::uint64_t exchange);

  unit& unit_;
};

}  // namespace gate::routing
