#pragma once
/// What happened in a story, line by line: its own notes, and what the programs have logged. The
/// same seed writes the same. Kept by each kind of story.
#include <chrono>
#include <cstddef>
#include <string>

namespace gate::stories {

class diary {
 public:
  /// `at`: since the story began.
  void note(std::chrono::steady_clock::duration at, const std::string& line);
  /// What was logged since this was called last.
  void note_log();
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t log_seen_ = 0;
};

}  // namespace gate::stories
