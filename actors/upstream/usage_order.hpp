#pragma once
/// The sessions of one upstream in the order of their latest use: which one is to be given up, when
/// the upstream has no room for another. Pure; shared by the sessions that are in it.
///
///   of those that can be spared        the longest unused one
///   else of those that can be hardly   the longest unused one
///   else                               none
#include <cstddef>
#include <cstdint>
#include <list>

namespace gate::upstream {

/// Can it go for the sake of another?
enum class spare : std::uint8_t { no, hardly, yes };

/// Of a session of a client that listens, or is away from its stream for a moment, or neither;
/// `bound`: something hangs on this very session, such as a call, a subscription or a task.
constexpr spare spared(bool listening, bool away, bool bound) {
  if (bound || (listening && !away)) return spare::no;
  return listening ? spare::hardly : spare::yes;
}

template <class T>
class usage_order {
 public:
  using place = typename std::list<T*>::iterator;

  place enter(T& x) { return all_.insert(all_.end(), &x); }
  void used(place p) { all_.splice(all_.end(), all_, p); }
  void leave(place p) { all_.erase(p); }

  /// The one to be given up, by what `how` says of each. So many are looked at at most; those of
  /// them that can not go, or hardly and later than another, count as used.
  template <class Judge>
  T* first_to_go(Judge how, std::size_t looks) {
    T* hardly = nullptr;
    auto next = all_.begin();
    for (auto n = all_.size(); n > 0 && looks > 0; --n, --looks) {
      const auto at = next++;
      const auto can = how(**at);
      if (can == spare::yes) return *at;
      // They are not in the way when it is looked again.
      if (can == spare::no || hardly)
        used(at);
      else
        hardly = *at;
    }
    return hardly;
  }

 private:
  std::list<T*> all_;
};

}  // namespace gate::upstream
