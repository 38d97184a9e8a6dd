#pragma once
/// What the live gateway calls what the recorded one called otherwise: sessions, cursors, tasks.
/// Learned from each pair of answers. Pure.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/against/plan.hpp"

namespace gate::against {

class stand_ins {
 public:
  void learn_session(const std::string& recorded, const std::string& live) {
    sessions_[recorded] = live;
  }
  void learn(const tokens& recorded, const tokens& live);

  /// A recorded request as the live gateway is sent it: without what belongs to one connection, or
  /// to one who is not here (credentials are stand-ins in a recording).
  std::vector<recording::header> headers_of(const exchange& x) const;
  std::string body_of(const exchange& x) const;
  /// Is the session known that it needs?
  bool knows(const exchange& x) const {
    return x.session.empty() || x.opens || sessions_.contains(x.session);
  }

 private:
  std::map<std::string, std::string, std::less<>> sessions_, names_;
};

}  // namespace gate::against
