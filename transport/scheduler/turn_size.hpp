#pragma once
/// How many handlers a turn of the event loop has. Asio does not tell, and the only way to find out
/// is a handler behind them, which costs a look at all sockets: so most turns are guessed from a
/// few that are counted. Pure; a wrong guess costs time, nothing else.

namespace gate::scheduler {

class turn_size {
 public:
  /// Turns that are guessed between two that are counted.
  static constexpr int guessed = 31;
  /// Turns in a row that had one handler before it is believed.
  static constexpr int believed = 4;
  /// Of these, those that are counted again later: the first of them may have begun with guesses.
  static constexpr int counted = 2;

  /// A handler has run that has left something to do.
  void handler() { ++handlers_; }
  /// Is this handler, which is about to end, a turn of its own? If not, the turn's end is to be
  /// told by `ended`.
  bool is_one() {
    if (ones_ < believed) return false;
    if (guesses_ == guessed) {
      ones_ = believed - counted;
      guesses_ = 0;
      return false;
    }
    ++guesses_;
    handlers_ = 0;
    return true;
  }
  /// All handlers of a turn have run. (Of one that had none there is nothing to learn.)
  void ended() {
    if (handlers_ == 0) return;
    ones_ = handlers_ > 1 ? 0 : ones_ + (ones_ < believed);
    handlers_ = 0;
  }

 private:
  int handlers_ = 0;  ///< of this turn, so far
  int ones_ = 0;      ///< turns in a row that had one
  int guesses_ = 0;   ///< since the last turn that was counted
};

}  // namespace gate::scheduler
