#include "shim/up/terminal.hpp"

#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace gate::up {
namespace {

/// What is typed is not shown as long as this lives.
class unseen {
 public:
  unseen() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    auto quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    changed_ = ::tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet) == 0;
  }
  ~unseen() {
    if (changed_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  }
  unseen(const unseen&) = delete;
  unseen& operator=(const unseen&) = delete;

 private:
  termios before_{};
  bool changed_ = false;
};

std::string question_of(const clients::input& what) {
  auto out = what.question.empty() ? what.id : what.question;
  std::string choices;
  for (const auto& c : what.choices) choices += (choices.empty() ? "" : ", ") + c;
  if (!choices.empty()) out += " (" + choices + ")";
  if (!what.otherwise.empty()) out += " [" + what.otherwise + "]";
  return out + ": ";
}

}  // namespace

std::optional<std::string> terminal::ask(const clients::input& what) {
  if (const auto it = answers_.find(what.id); it != answers_.end()) return it->second;
  if (closed_ || ::isatty(STDIN_FILENO) == 0) return std::nullopt;
  for (;;) {
    std::cerr << question_of(what) << std::flush;
    std::string line;
    {
      std::optional<unseen> quiet;
      if (what.secret) quiet.emplace();
      if (!std::getline(std::cin, line)) return std::nullopt;
    }
    if (what.secret) std::cerr << '\n';
    if (line.empty()) line = what.otherwise;
    const bool fits =
        what.choices.empty() || std::ranges::find(what.choices, line) != what.choices.end();
    if (fits) return answers_[what.id] = std::move(line);
    std::cerr << "It is one of these.\n";
  }
}

}  // namespace gate::up
