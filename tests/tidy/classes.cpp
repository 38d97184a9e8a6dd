/// The part of text.hpp that measures classes.
#include <algorithm>

#include "tests/tidy/text.hpp"

namespace gate::tidy {
namespace {

constexpr auto npos = std::string_view::npos;

/// Behind the brace that closes the one at `open`.
std::size_t behind(std::string_view code, std::size_t open) {
  int depth = 0;
  for (auto at = open; at < code.size(); ++at) {
    if (code[at] == '{') ++depth;
    if (code[at] == '}' && --depth == 0) return at + 1;
  }
  return npos;
}

std::string_view word_at(std::string_view s, std::size_t from) {
  auto end = from;
  while (end < s.size() && is_word(s[end])) ++end;
  return s.substr(from, end - from);
}

/// Drops `template <…>`; the arguments of other templates are left out as well, since they may hold
/// anything.
std::string without_templates(std::string_view s) {
  std::string out;
  int depth = 0;
  for (const char c : s) {
    if (c == '<') ++depth;
    if (depth == 0) out += c;
    if (c == '>' && depth > 0) --depth;
  }
  return out;
}

bool begins_with_word(std::string_view s, std::string_view word) {
  return s.starts_with(word) && (s.size() == word.size() || !is_word(s[word.size()]));
}

/// Drops `public:` and the like.
std::string_view without_labels(std::string_view s) {
  for (bool again = true; again;) {
    again = false;
    s = trim(s);
    for (const std::string_view label : {"public", "protected", "private"}) {
      if (!begins_with_word(s, label)) continue;
      const auto rest = trim(s.substr(label.size()));
      if (!rest.starts_with(':')) continue;
      s = rest.substr(1);
      again = true;
    }
  }
  return s;
}

class counter {
 public:
  counter(std::string_view body, measured_class& into) : body_(body), into_(into) {}

  void run() {
    for (std::size_t at = 0; at < body_.size(); ++at) {
      const char c = body_[at];
      if (c == '(') ++parens_;
      if (c == ')') --parens_;
      if (parens_ > 0) continue;
      if (c == ';') finish(at);
      if (c != '{') continue;
      const auto end = behind(body_, at);
      if (end == npos) return;
      const auto next = body_.find_first_not_of(" \n", end);
      // Of an initialiser of a constructor's member the body is yet to come.
      const bool last = next == npos || (body_[next] != ',' && body_[next] != '{');
      if (is_body(at) && last) {
        statement_ = body_.substr(start_, at - start_);
        start_ = end;
        take();
      }
      at = end - 1;
    }
  }

 private:
  /// Of a function: behind it there is no semicolon that belongs to it. (Else it is an initialiser,
  /// or a nested type.)
  bool is_body(std::size_t open) const {
    const auto head = without_templates(without_labels(body_.substr(start_, open - start_)));
    if (is_type(trim(head))) return false;
    const auto call = head.find('(');
    if (call == npos) return false;
    return head.find("operator") != npos || head.substr(0, call).find('=') == npos;
  }
  static bool is_type(std::string_view s) {
    return std::ranges::any_of(
               std::initializer_list<std::string_view>{"class", "struct", "enum", "union"},
               [&](auto word) { return begins_with_word(s, word); }) &&
           s.find('(') == npos;
  }
  void finish(std::size_t semicolon) {
    statement_ = body_.substr(start_, semicolon - start_);
    start_ = semicolon + 1;
    take();
  }
  void take() {
    auto all = without_templates(without_labels(statement_));
    auto s = trim(all);
    if (begins_with_word(s, "template")) s = trim(s.substr(8));
    for (const std::string_view word : {"using", "friend", "typedef", "static_assert"})
      if (begins_with_word(s, word)) return;
    if (s.empty() || is_type(s)) return;
    if (is_type(s.substr(0, s.find('{')))) return;  // one whose functions have parentheses
    const auto first = s.find_first_of("(={");
    const bool calls = first != npos && s[first] == '(';
    if (s.find("operator") != npos || calls) {
      if (s.ends_with("delete") || s.ends_with("default")) return;
      if (calls && is_own(trim(s.substr(0, first)))) return;
      ++into_.methods;
    } else if (!begins_with_word(s, "static")) {
      into_.members += 1 + static_cast<std::size_t>(std::ranges::count(s.substr(0, first), ','));
    }
  }
  /// A constructor or the destructor.
  bool is_own(std::string_view before) const {
    if (begins_with_word(before, "explicit")) before = trim(before.substr(8));
    return before == into_.name || before.ends_with("~" + into_.name);
  }

  std::string_view body_;
  measured_class& into_;
  std::string_view statement_;
  std::size_t start_ = 0;
  int parens_ = 0;
};

}  // namespace

std::vector<measured_class> classes_of(std::string_view text) {
  const auto code = mask(text).code;
  const std::string_view all = code;
  std::vector<measured_class> out;
  for (const auto at : find_all(all, "class")) {
    const auto before = trim(all.substr(0, at));
    if (before.ends_with("enum") || before.ends_with("friend") || before.ends_with('<') ||
        before.ends_with(','))
      continue;
    auto from = at + 5;
    while (from < all.size() && !is_word(all[from])) ++from;
    const auto name = word_at(all, from);
    const auto open = all.find_first_of("{;", from);
    if (open == npos || all[open] == ';') continue;
    const auto end = behind(all, open);
    if (end == npos) continue;
    measured_class c{std::string(name), line_at(all, at), 0, 0};
    counter(all.substr(open + 1, end - open - 2), c).run();
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace gate::tidy
