#include "shim/up/terminal.hpp"

#include <algorithm>

namespace gate::up {
namespace {

std::string question_of(const clients::input& what) {
  auto out = what.question.empty() ? what.id : what.question;
  std::string choices;
  for (const auto& c : what.choices) choices += (choices.empty() ? "" : ", ") + c;
  if (!choices.empty()) out += " (" + choices + ")";
  if (!what.otherwise.empty()) out += " [" + what.otherwise + "]";
  return out + ": ";
}

}  // namespace

std::optional<std::string> terminal::ask(const std::string& file, const clients::input& what) {
  const std::pair key(file, what.id);
  if (const auto it = answers_.find(key); it != answers_.end()) return it->second;
  if (closed_ || !who_.there()) return std::nullopt;
  for (;;) {
    who_.tell(question_of(what));
    auto line = who_.answer(!what.secret);
    if (!line) return std::nullopt;
    if (line->empty()) *line = what.otherwise;
    if (what.choices.empty() || std::ranges::find(what.choices, *line) != what.choices.end())
      return answers_[key] = std::move(*line);
    who_.tell("It is one of these.\n");
  }
}

bool terminal::agree(const std::string& question) {
  if (!who_.there()) return false;
  who_.tell(question + " [y/N] ");
  const auto line = who_.answer(true);
  return line == "y" || line == "yes";
}

}  // namespace gate::up
