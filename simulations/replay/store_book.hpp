#pragma once
/// What the shared store was asked in a recording, and what it said. An operation of the replay is
/// the first recorded one that can be it: words stand in a recording as they were if they are
/// short, else as stand-ins, each of which stands for one word of the replay. Pure.
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulations/replay/tape.hpp"
#include "transport/interfaces.hpp"

namespace gate::replay {

/// What it said.
struct store_answer {
  store_outcome outcome = store_outcome::ok;
  /// In RESP; empty: it can not be told, as there are stand-ins in it, or there was none.
  std::string reply;
  std::chrono::microseconds after{0};
};

class store_book {
 public:
  explicit store_book(const tape& of);

  /// The recorded answer to this; nothing: it was never asked this (once more).
  std::optional<store_answer> take(const store_request& what);
  /// Was there a store?
  bool any() const { return any_; }
  /// Operations that nobody has asked for again.
  std::size_t left() const;

 private:
  struct one {
    std::vector<std::string> words;
    store_answer said;
  };
  bool can_be(const one& it, const std::vector<std::string>& words) const;

  std::map<std::string, std::list<one>, std::less<>> all_;  ///< by what kind of operation it is
  std::map<std::string, std::string, std::less<>> known_;   ///< words of the replay, by stand-in
  std::map<std::string, std::string, std::less<>> called_;  ///< the other way round
  bool any_ = false;
};

/// The words of a recorded operation: its script's digest, if it is one, in front.
std::vector<std::string> operation_words(std::string_view recorded);
/// A recorded reply in RESP; empty: it has stand-ins.
std::string reply_of(std::string_view recorded);

}  // namespace gate::replay
