#pragma once
/// What a server said just before a unit took another configuration over: it is in the recording
/// when it reached the unit's EGRESS, the configuration when it came to ROUTER, and what UPSTREAM
/// makes of the word has some way to go to there. So ROUTER may have met the two the other way
/// round. A crossing is where that may be: a visit that was answered behind the takeover, and in a
/// replay, which does one thing after another, was answered by a word before it. Pure.
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "simulations/replay/tape.hpp"

namespace gate::replay {

/// Events of servers, each with the takeover behind which it is told.
using late_words = std::map<std::size_t, std::size_t>;

struct crossing {
  std::size_t adopted = nothing;    ///< the event
  std::vector<std::size_t> words;   ///< events: `streamed` and `fetched`
  std::vector<std::size_t> visits;  ///< that they answered
};

class crossings {
 public:
  /// Has the visit been answered in the replay?
  using answered = std::function<bool(std::size_t visit)>;
  crossings(const tape& of, answered is_answered);

  /// Events [first, end) are about to be played: one turn.
  void begin(std::size_t first, std::size_t end);
  /// All that followed from them has happened.
  void end(std::size_t first, std::size_t end);

  const std::vector<crossing>& found() const { return found_; }

 private:
  /// The takeover that is so close behind these; `nothing`: none is.
  std::size_t close_behind(std::size_t first, std::size_t end);
  /// Those that are answered only behind this event.
  std::vector<std::size_t> waiting_for(std::size_t adopted) const;

  const tape& tape_;
  answered is_answered_;
  std::vector<std::size_t> takeovers_;  ///< events, in order
  std::size_t next_ = 0;                ///< of them: the first that is not behind us
  std::set<std::size_t> open_;          ///< visits, as it was recorded
  std::vector<std::size_t> unanswered_;
  std::vector<crossing> found_;
};

/// What may have crossed each takeover though no visit shows it: what servers said of their lists
/// and abilities, or by themselves, just before. In the order of the recording.
std::vector<crossing> unseen_crossings(const tape& of);

/// Which words to tell late, so that the replays that were made so far come closer to the
/// recording. `differs`: the visit does in that replay; `before`, `after`: without and with all
/// words of `of` late. Those of a takeover go together.
late_words worth_telling_late(const std::vector<crossing>& of,
                              const std::function<bool(std::size_t visit)>& differs_before,
                              const std::function<bool(std::size_t visit)>& differs_after);

}  // namespace gate::replay
