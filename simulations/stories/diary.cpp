#include "simulations/stories/diary.hpp"

#include "simulations/world/heard_log.hpp"

namespace gate::stories {

void diary::note(std::chrono::steady_clock::duration at, const std::string& line) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(at);
  text_ += std::to_string(ms.count()) + " ms  " + line + '\n';
}

void diary::note_log() {
  const auto& lines = sim::heard_log::log();
  // (Without its real time.)
  for (; log_seen_ < lines.size(); ++log_seen_)
    text_ += "        log: " + lines[log_seen_].substr(lines[log_seen_].find(' ')) + '\n';
}

}  // namespace gate::stories
