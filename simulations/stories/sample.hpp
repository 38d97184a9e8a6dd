#pragma once
/// How things stood at a moment of a story, for who looks at it afterwards. Taken only if somebody
/// asked for it: it costs, and changes nothing.
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace gate::stories {

struct sample {
  std::chrono::milliseconds at{0};  ///< since the story began
  double client_sessions = 0, bridged_sessions = 0;
  std::map<std::string, double> breakers;  ///< by upstream: 0 closed, 1 half-open, 2 open
  std::size_t allocated = 0;               ///< bytes, by the whole process, simulated world and all
};

/// They are this far apart at least.
inline constexpr std::chrono::milliseconds between_samples{500};

/// Begins one, with what nobody needs to be asked for; null: the last one was taken just now.
sample* next_sample(std::vector<sample>& all, std::chrono::steady_clock::duration at);

/// Adds what an exposition of one gateway says. Of a breaker that several have, the worst.
void add_to(sample& s, const std::string& exposition);

}  // namespace gate::stories
