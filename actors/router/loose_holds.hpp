#pragma once
/// LOOSE HOLDS: records in the store that are to be seen to of sessions that this instance does not
/// hold. It may be named among those that do: it has looked and was not answered, or what it found
/// was nobody's here, or it has left while the store was away. As long as it listens it would be
/// counted, and whoever leaves last would not be the last; so it is taken out, and that is tried
/// until the store has heard it. Or all others that held it are gone, and nobody else will end it.
/// Part of SHARED SESSIONS.
#include <chrono>
#include <deque>
#include <functional>
#include <string>

#include "actors/router/fleet_line.hpp"

namespace gate::routing {

class loose_holds {
 public:
  using question = std::function<bool(const std::string&)>;
  /// `held`: is the session with this key held here, after all? `sought`: it may be in a moment,
  /// and until then nothing is said of it.
  loose_holds(unit& u, fleet_line& line, question held, question sought)
      : unit_(u), line_(line), held_(std::move(held)), sought_(std::move(sought)) {}
  loose_holds(const loose_holds&) = delete;
  loose_holds& operator=(const loose_holds&) = delete;

  /// It has only looked.
  void forget(std::string key);
  /// It has held it: this is to be asked, after a while, and `then` hears the answer.
  void leave(std::string key, store_request question, fleet_line::then then,
             std::chrono::seconds after);
  /// Every second, and when the store is there again.
  void tell();

 private:
  struct loose {
    std::string key;
    store_request question;
    fleet_line::then then{};
    time_point due{};
  };
  void add(loose one);
  void tell(std::deque<loose>& of);

  unit& unit_;
  fleet_line& line_;
  question held_, sought_;
  std::deque<loose> looked_at_, left_;
};

}  // namespace gate::routing
