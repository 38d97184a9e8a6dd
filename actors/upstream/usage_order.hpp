#pragma once
/// The sessions of one upstream in the order of their latest use: which one is to be given up, when
/// the upstream has no room for another. Pure; shared by the sessions that are in it.
#include <cstddef>
#include <list>

namespace gate::upstream {

template <class T>
class usage_order {
 public:
  using place = typename std::list<T*>::iterator;

  place enter(T& x) { return all_.insert(all_.end(), &x); }
  void used(place p) { all_.splice(all_.end(), all_, p); }
  void leave(place p) { all_.erase(p); }

  /// The longest unused one that `can_go`; those that can not, so many at most, count as used.
  template <class Predicate>
  T* longest_unused(Predicate can_go, std::size_t looks) {
    for (auto n = all_.size(); n > 0 && looks > 0; --n, --looks) {
      auto* first = all_.front();
      if (can_go(*first)) return first;
      used(all_.begin());
    }
    return nullptr;
  }

 private:
  std::list<T*> all_;
};

}  // namespace gate::upstream
