#include "simulations/replay/attempts.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gate::replay {
namespace {

/// In µs: what is one turn is no longer than this away from what comes of it.
constexpr std::uint64_t just_before = 1'000;

class search {
 public:
  search(const tape& of, const play_options& o) : tape_(of), options_(o), best_(play_once(of, o)) {}

  played found() {
    while (goes_on() && try_seen())
      ;
    const auto unseen = goes_on() ? unseen_crossings(tape_) : std::vector<crossing>{};
    while (goes_on() &&
           (try_turns(&odd_turns::longer) || try_turns(&odd_turns::apart) || try_unseen(unseen)))
      ;
    return std::move(best_);
  }

 private:
  bool goes_on() const { return left_ > 0 && best_.differing() > 0; }

  /// Is it closer to the recording?
  bool attempt(const deviations& by, played& out) {
    --left_;
    out = play_once(tape_, options_, by);
    return out.differing() < best_.differing();
  }
  void keep(played&& p, const deviations& by) {
    best_ = std::move(p);
    by_ = by;
  }

  /// Where visits show that something crossed a takeover: all at once, then what was worth it.
  bool try_seen() {
    if (best_.crossings.empty()) return false;
    auto all = by_, some = by_;
    for (const auto& c : best_.crossings)
      for (const auto word : c.words) all.late.emplace(word, c.adopted);
    if (all == by_) return false;
    played with_all;
    const bool closer = attempt(all, with_all);
    some.late.merge(worth_telling_late(
        best_.crossings, [&](std::size_t v) { return best_.differs(v); },
        [&](std::size_t v) { return with_all.differs(v); }));
    const bool others = some != all && some != by_;
    if (closer) keep(std::move(with_all), all);
    if (!others || !goes_on()) return closer;
    played with_some;
    if (!attempt(some, with_some)) return closer;
    keep(std::move(with_some), some);
    return true;
  }

  /// The last takeover before it begins to differ that was not tried yet.
  bool try_unseen(const std::vector<crossing>& all) {
    const auto began = best_.first_difference(tape_);
    const auto it = std::ranges::find_if(all.rbegin(), all.rend(), [&](const crossing& c) {
      return tape_.events[c.adopted].at <= began && !tried_.contains(c.adopted);
    });
    if (it == all.rend()) return false;
    tried_.insert(it->adopted);
    auto by = by_;
    for (const auto word : it->words) by.late.emplace(word, it->adopted);
    played p;
    if (attempt(by, p)) keep(std::move(p), by);
    return true;
  }

  /// The turns just before it begins to differ, each once: longer ones, or each event alone.
  bool try_turns(std::set<std::size_t> odd_turns::*how) {
    const auto began = best_.first_difference(tape_);
    auto by = by_;
    const auto& all = tape_.events;
    auto i = std::ranges::lower_bound(all, began - std::min(began, just_before), {},
                                      &recording::event::at) -
             all.begin();
    for (; i < std::ssize(all) && all[i].at <= began; ++i)
      if ((tried_turns_.*how).insert(i).second) (by.turns.*how).insert(i);
    if (by == by_) return false;
    played p;
    if (attempt(by, p)) keep(std::move(p), by);
    return true;
  }

  const tape& tape_;
  const play_options& options_;
  played best_;
  deviations by_;                ///< of `best_`
  std::set<std::size_t> tried_;  ///< takeovers
  odd_turns tried_turns_;
  int left_ = most_attempts;
};

}  // namespace

played play(const tape& of, const play_options& o) {
  return o.config ? play_once(of, o) : search(of, o).found();
}

}  // namespace gate::replay
