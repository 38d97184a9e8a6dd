#pragma once
/// RENEWALS: when a client's subscriptions at one upstream are made again, after what they were
/// made in has died. At once the first time; one that dies of it again and again is given ever more
/// time, so that a subscription which kills whatever holds it costs next to nothing. Pure; time is
/// a parameter; part of ROUTER.
///
///   it dies                               made again
///   the first time, or after living well  at the next look
///   again within `limits::renewal_good`   `limits::renewal_first` after the last time, doubling up
///                                         to `limits::renewal_most`
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "protocol/limits.hpp"

namespace gate::sessions {

class renewals {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  /// A client, and the number of an upstream.
  using pair = std::pair<std::uint64_t, std::size_t>;

  /// It does not have its subscriptions there any more.
  void lost(pair who, time_point now) {
    auto [it, fresh] = all_.try_emplace(who);
    auto& x = it->second;
    if (x.waits) return;
    x.waits = true;
    if (fresh || now - x.made >= x.pause + limits::renewal_good) {
      x.pause = {};
      x.due = now;
      return;
    }
    x.pause = std::clamp<std::chrono::milliseconds>(x.pause * 2, limits::renewal_first,
                                                    limits::renewal_most);
    x.due = x.made + x.pause;
  }

  /// Those that are to be made again now; they count as made.
  std::vector<pair> due(time_point now) {
    std::vector<pair> out;
    for (auto it = all_.begin(); it != all_.end();) {
      auto& x = it->second;
      if (x.waits && x.due <= now) {
        x.waits = false;
        x.made = now;
        out.push_back(it->first);
      } else if (!x.waits && now - x.made >= x.pause + limits::renewal_good) {
        it = all_.erase(it);  // it lives well
        continue;
      }
      ++it;
    }
    return out;
  }

  bool empty() const { return all_.empty(); }

 private:
  struct renewal {
    bool waits = false;
    time_point made{}, due{};
    std::chrono::milliseconds pause{};
  };
  /// No more than there are subscribed clients at upstreams.
  std::map<pair, renewal> all_;
};

}  // namespace gate::sessions
