#pragma once
/// How things stood at a moment of a story, for who looks at it afterwards. Taken only if somebody
/// asked for it: it costs, and changes nothing.
#include <chrono>
#include <map>
#include <string>

namespace gate::stories {

struct sample {
  std::chrono::milliseconds at{0};  ///< since the story began
  double client_sessions = 0, bridged_sessions = 0;
  std::map<std::string, double> breakers;  ///< by upstream: 0 closed, 1 half-open, 2 open
};

/// They are this far apart at least.
inline constexpr std::chrono::milliseconds between_samples{500};

/// Adds what an exposition of one gateway says. Of a breaker that several have, the worst.
void add_to(sample& s, const std::string& exposition);

}  // namespace gate::stories
