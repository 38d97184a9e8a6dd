#pragma once
/// Work that waits for a place of a pool (a connection, a delivery under way), in a line for each
/// of its owners: they take turns, however much one of them has. And how much of a pool one owner
/// may have. Pure.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

namespace gate {

/// May an owner that has `own` of `running` places take one more? A quarter is anybody's right
/// while there is room. Beyond it a quarter of the pool must stay free, so that whoever comes next
/// finds room at once.
constexpr bool within_share(std::size_t own, std::size_t running, std::size_t most) {
  if (running >= most) return false;
  return own < most / 4 || most - running > most / 4;
}

template <class Work>
class fair_line {
 public:
  using owner = std::uint64_t;

  bool empty() const { return turns_.empty(); }
  std::size_t size() const { return size_; }
  std::size_t of(owner who) const {
    const auto it = lines_.find(who);
    return it == lines_.end() ? 0 : it->second->work.size();
  }

  void push(owner who, Work w) {
    auto [it, is_new] = lines_.try_emplace(who);
    if (is_new) it->second = turns_.insert(turns_.end(), line{who, {}});
    it->second->work.push_back(std::move(w));
    ++size_;
  }

  /// The first work of the owner whose turn it is, of those that `may` have one (it is asked with
  /// the work).
  template <class May>
  std::optional<Work> pop(const May& may) {
    for (auto it = turns_.begin(); it != turns_.end(); ++it) {
      if (!may(it->work.front())) continue;
      std::optional<Work> out(std::move(it->work.front()));
      it->work.pop_front();
      --size_;
      if (it->work.empty())
        end(it);
      else
        turns_.splice(turns_.end(), turns_, it);
      return out;
    }
    return {};
  }
  std::optional<Work> pop() {
    return pop([](const Work&) { return true; });
  }

  /// Takes out what is meant, of one owner; how many.
  template <class Meant>
  std::size_t erase_if(owner who, const Meant& meant) {
    const auto it = lines_.find(who);
    if (it == lines_.end()) return 0;
    const auto n = std::erase_if(it->second->work, meant);
    size_ -= n;
    if (it->second->work.empty()) end(it->second);
    return n;
  }
  std::size_t forget(owner who) {
    return erase_if(who, [](const Work&) { return true; });
  }

 private:
  struct line {
    owner who;
    std::deque<Work> work;
  };
  using place = typename std::list<line>::iterator;

  void end(place it) {
    lines_.erase(it->who);
    turns_.erase(it);
  }

  std::list<line> turns_;  ///< none is empty; whose turn is next stands first
  std::unordered_map<owner, place> lines_;
  std::size_t size_ = 0;
};

}  // namespace gate
