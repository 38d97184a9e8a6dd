#pragma once
/// A recording in a file, read in pieces: of the file no more than a piece and a line is in memory.
/// The commands of gate-sim read by this; what a line says is protocol/recording/reader.hpp's.
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "protocol/base/result.hpp"
#include "protocol/recording/event.hpp"

namespace gate::recording {

/// Who wants to know what stands there.
struct listener {
  std::function<void(const preamble&)> first = [](const preamble&) {};
  std::function<void(event&&)> event = [](recording::event&&) {};
  /// Where the next event is read, a new one, for who keeps them all: `event` is not called then.
  /// Empty: events are handed over.
  std::function<recording::event&()> place{};
  /// All that was written has been read, and more may come (`follow`); again each time that it is
  /// looked for, every 200 ms.
  std::function<void()> caught_up = [] {};
};

struct loading {
  /// Waits for what is still being written, until the last line.
  bool follow = false;
  /// Set by somebody else, it ends the reading; null: nobody does.
  const std::atomic<bool>* stop = nullptr;
};

struct loaded {
  preamble first;
  recording::ending ending = ending::none;
  std::uint64_t lines = 0;
  /// The last place that was made is no event's: what was read there was the end, or cut off.
  bool spare_place = false;
  /// What is worth a line on standard error: the recording is usable, but not whole.
  std::vector<std::string> notes;
};

/// Reads the whole recording. Problems name the file and, if it is about one, the line.
result<loaded> load(const std::string& path, const listener& to, const loading& how = {});

}  // namespace gate::recording
