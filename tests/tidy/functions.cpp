/// The part of text.hpp that measures functions.
#include <algorithm>
#include <cctype>
#include <optional>

#include "tests/tidy/text.hpp"

namespace gate::tidy {
namespace {

/// Directives may hold braces that belong to no scope of the file.
void blank_directives(std::string& code) {
  bool inside = false;
  std::size_t start = 0;
  while (start < code.size()) {
    const auto end = std::min(code.find('\n', start), code.size());
    const auto line = trim(std::string_view(code).substr(start, end - start));
    const bool directive = inside || line.starts_with('#');
    inside = directive && line.ends_with('\\');
    if (directive)
      std::fill(code.begin() + static_cast<std::ptrdiff_t>(start),
                code.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    start = end + 1;
  }
}

/// The end of the bracket that `s` opens with.
std::size_t closing(std::string_view s, char open, char close) {
  int depth = 0;
  for (std::size_t at = 0; at < s.size(); ++at) {
    if (s[at] == open) ++depth;
    if (s[at] == close && --depth == 0) return at;
  }
  return std::string_view::npos;
}

std::string_view first_word(std::string_view s) {
  std::size_t end = 0;
  while (end < s.size() && is_word(s[end])) ++end;
  return s.substr(0, end);
}

bool is_macro_name(std::string_view name) {
  return name.size() > 2 && std::none_of(name.begin(), name.end(),
                                         [](unsigned char c) { return std::islower(c) != 0; });
}

/// Drops what may stand before a declaration: `template <…>`, `[[…]]`, `MACRO(…)`.
std::string_view drop_prefixes(std::string_view head) {
  for (;;) {
    head = trim(head);
    const auto word = first_word(head);
    auto rest = trim(head.substr(word.size()));
    std::size_t end = std::string_view::npos;
    if (word == "template" && rest.starts_with('<')) {
      end = closing(rest, '<', '>');
    } else if (word.empty() && head.starts_with("[[")) {
      rest = head;
      end = closing(rest, '[', ']');
    } else if (is_macro_name(word) && rest.starts_with('(')) {
      end = closing(rest, '(', ')');
    }
    if (end == std::string_view::npos || trim(rest.substr(end + 1)).empty()) return head;
    head = rest.substr(end + 1);
  }
}

bool opens_scope(std::string_view head) {
  auto word = first_word(head);
  while (word == "inline" || word == "typedef" || word == "static" || word == "export") {
    head = trim(head.substr(word.size()));
    word = first_word(head);
  }
  if (word == "extern") return head.ends_with('"');
  return word == "namespace" || word == "class" || word == "struct" || word == "union" ||
         word == "enum";
}

/// After `f(…)`, a lone colon: the member initialisers of a constructor.
bool has_initialisers(std::string_view head) {
  int depth = 0;
  bool called = false;
  for (std::size_t at = 0; at < head.size(); ++at) {
    if (head[at] == '(') ++depth;
    if (head[at] == ')') called = --depth == 0 || called;
    if (head[at] != ':' || depth > 0 || !called) continue;
    const bool twice = at + 1 < head.size() && head[at + 1] == ':';
    if (!twice) return true;
    ++at;
  }
  return false;
}

bool opens_function(std::string_view head) {
  if (head.empty() || head.ends_with('=') || head.ends_with(',') || head.ends_with('('))
    return false;
  if (head.ends_with(']')) return head.find('=') != std::string_view::npos;  // auto f = [] {
  if (head.find(')') == std::string_view::npos) return false;
  const bool after_name = is_word(head.back()) || head.back() == '>';
  return !(after_name && !head.ends_with("try") && has_initialisers(head));
}

std::string name_of(std::string_view head) {
  auto before = trim(head.substr(0, head.find('(')));
  if (const auto at = before.rfind("operator"); at != std::string_view::npos)
    return std::string(before.substr(at)) + (before.ends_with("operator") ? "()" : "");
  if (before.ends_with(']')) before = trim(before.substr(0, before.find('=')));  // a lambda
  if (is_macro_name(before)) return std::string(head);                           // TEST(a, b)
  auto from = before.size();
  while (from > 0 && (is_word(before[from - 1]) || before[from - 1] == '~')) --from;
  const auto name = before.substr(from);
  return std::string(name.empty() ? before : name);
}

class brace_counter {
 public:
  explicit brace_counter(std::string_view code) : code_(code) {}

  measured run() {
    for (; at_ < code_.size(); ++at_) step(code_[at_]);
    result_.balanced = result_.balanced && open_.empty();
    return std::move(result_);
  }

 private:
  enum class kind { scope, function, braces };
  struct opened {
    kind what;
    int parens;
    std::size_t start;
    std::string name;
  };

  bool in_function() const {
    return std::any_of(open_.begin(), open_.end(),
                       [](const opened& o) { return o.what == kind::function; });
  }
  std::string_view head() const { return trim(code_.substr(start_, at_ - start_)); }

  void step(char c) {
    if (c == '(') ++parens_;
    if (c == ')') --parens_;
    if (c == '{') open();
    if (c == '}') close();
    if (parens_ > 0) return;
    if (c == ';') start_ = at_ + 1;
    if (c != ':') return;
    const auto h = head();
    if (h == "public" || h == "private" || h == "protected") start_ = at_ + 1;
  }

  void open() {
    const auto h = drop_prefixes(head());
    auto what = kind::braces;
    if (parens_ == 0 && !in_function()) {
      if (opens_scope(h))
        what = kind::scope;
      else if (opens_function(h))
        what = kind::function;
    }
    open_.push_back({what, parens_, start_, what == kind::function ? name_of(h) : ""});
    parens_ = 0;
    if (what != kind::braces) start_ = at_ + 1;
  }

  void close() {
    if (open_.empty()) {
      result_.balanced = false;
      return;
    }
    const auto last = std::move(open_.back());
    open_.pop_back();
    parens_ = last.parens;
    if (last.what == kind::braces && !in_function()) {
      start_ = last.start;  // an initialiser: the statement goes on
      return;
    }
    if (last.what == kind::function) {
      const auto first = code_.find_first_not_of(" \n\t", last.start);
      result_.functions.push_back({last.name, line_at(code_, first), line_at(code_, at_)});
    }
    start_ = at_ + 1;
  }

  std::string_view code_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
  int parens_ = 0;
  std::vector<opened> open_;
  measured result_;
};

}  // namespace

measured functions_of(std::string_view text) {
  auto code = mask(text).code;
  blank_directives(code);
  return brace_counter(code).run();
}

}  // namespace gate::tidy
