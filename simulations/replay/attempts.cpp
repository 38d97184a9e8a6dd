#include "simulations/replay/attempts.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gate::replay {
namespace {

class search {
 public:
  search(const tape& of, const play_options& o) : tape_(of), options_(o), best_(play_once(of, o)) {}

  played found() {
    while (goes_on() && try_seen())
      ;
    const auto unseen = unseen_crossings(tape_);
    while (goes_on() && try_unseen(unseen))
      ;
    return std::move(best_);
  }

 private:
  bool goes_on() const { return left_ > 0 && best_.differing() > 0; }

  /// Is it closer to the recording?
  bool attempt(const late_words& late, played& out) {
    --left_;
    out = play_once(tape_, options_, late);
    return out.differing() < best_.differing();
  }
  void keep(played&& p, const late_words& late) {
    best_ = std::move(p);
    late_ = late;
  }

  /// Where visits show that something crossed a takeover: all at once, then what was worth it.
  bool try_seen() {
    if (best_.crossings.empty()) return false;
    auto all = late_, some = late_;
    for (const auto& c : best_.crossings)
      for (const auto word : c.words) all.emplace(word, c.adopted);
    if (all == late_) return false;
    played with_all;
    const bool closer = attempt(all, with_all);
    some.merge(worth_telling_late(
        best_.crossings, [&](std::size_t v) { return best_.differs(v); },
        [&](std::size_t v) { return with_all.differs(v); }));
    const bool others = some != all && some != late_;
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
    auto late = late_;
    for (const auto word : it->words) late.emplace(word, it->adopted);
    played p;
    if (attempt(late, p)) keep(std::move(p), late);
    return true;
  }

  const tape& tape_;
  const play_options& options_;
  played best_;
  late_words late_;  ///< what `best_` was told late
  std::set<std::size_t> tried_;
  int left_ = most_attempts;
};

}  // namespace

played play(const tape& of, const play_options& o) {
  return o.config ? play_once(of, o) : search(of, o).found();
}

}  // namespace gate::replay
