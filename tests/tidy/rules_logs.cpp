/// The rule about the log: every sentence of info and above is in a table of the documentation,
/// with its level, and no other is.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "tests/tidy/rules.hpp"
#include "tests/tidy/text.hpp"

namespace gate::tidy {
namespace {

using std::string_view;

constexpr string_view gap = "…";
constexpr std::array<string_view, 3> levels{"info", "warn", "error"};

struct said {
  std::string level, sentence, path;
  std::size_t line = 0;
};

/// C++ as its text, and with what is no code left out.
struct source {
  const file& of;
  std::string code = mask(of.text).code;

  std::size_t skip_space(std::size_t at) const {
    while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at])) != 0) ++at;
    return at;
  }
  /// The first of `marks` from here on that is within no further parentheses; else where these end.
  std::size_t find_outside(string_view marks, std::size_t at) const {
    int depth = 0;
    for (; at < code.size(); ++at) {
      const char c = code[at];
      const bool scope = c == ':' && (code[at - 1] == ':' || code.substr(at + 1, 1) == ":");
      if (depth == 0 && !scope && marks.find(c) != marks.npos) return at;
      if (c == '"') at = code.find('"', at + 1);
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && --depth < 0) return at;
    }
    return at;
  }
  /// The text that begins with the literal at `at`, with a mark for what is no literal; `at` is
  /// behind it then.
  std::string text_at(std::size_t& at) const {
    std::string out;
    const auto leave_out = [&] {
      if (!out.ends_with(gap)) out += gap;
    };
    for (;;) {
      at = skip_space(at);
      if (at >= code.size()) return out;
      if (code[at] == '"') {
        const auto end = code.find('"', at + 1);
        for (auto i = at + 1; i < end; ++i)
          if (of.text[i] != '\\') out += of.text[i];
        at = end + 1;
      } else if (code[at] == '+') {
        at = skip_space(at + 1);
        if (code[at] == '"') continue;
        leave_out();
        at = find_outside("+,;?:", at);
      } else if (is_word(code[at])) {  // a macro between literals
        leave_out();
        while (at < code.size() && is_word(code[at])) ++at;
      } else {
        return out;
      }
    }
  }
  /// Those that begin between these places.
  std::vector<std::pair<std::size_t, std::string>> texts(std::size_t from, std::size_t to) const {
    std::vector<std::pair<std::size_t, std::string>> out;
    for (auto at = code.find('"', from); at < to; at = code.find('"', at)) {
      const auto begin = at;
      out.emplace_back(begin, text_at(at));
    }
    return out;
  }
};

/// Sentences that are not written where they are logged: the file that logs them, the one that has
/// them, and how they are logged.
struct elsewhere {
  string_view logs, has, level;
};
constexpr std::array<elsewhere, 4> away{{
    {"actors/supervisor/gateway_actor.cpp", "actors/supervisor/children.hpp", "error"},
    {"actors/guards/breaker_news.cpp", "actors/guards/breaker_news.cpp", "warn"},
    {"actors/supervisor/credential_warnings.cpp", "actors/supervisor/credential_warnings.cpp",
     "warn"},
    {"actors/upstream/complaints.cpp", "actors/upstream/complaints.cpp", "warn"},
}};

bool is_sentence(string_view text) {
  return text.size() > 2 && std::isupper(static_cast<unsigned char>(text[0])) != 0 &&
         text.ends_with('.') && text.find(' ') != text.npos;
}

bool logs(string_view path) {
  return in_rooms(path) && is_cpp(path) && path != "transport/log.hpp" &&
         !path.starts_with("transport/log/log");
}

class reader {
 public:
  reader(const file& f, findings& out) : s_{f}, out_(out) {}

  std::vector<said> all() {
    for (const auto level : levels) calls_of(level);
    calls_with_levels();
    for (const auto& a : away)
      if (a.has == s_.of.path)
        for (auto& [at, text] : s_.texts(0, s_.code.size()))
          if (is_sentence(text) && !at_.contains(at)) add(std::string(a.level), text, at);
    return std::move(said_);
  }

 private:
  void add(std::string level, std::string text, std::size_t at) {
    at_.insert(at);
    said_.push_back({std::move(level), std::move(text), s_.of.path, line_at(s_.code, at)});
  }
  /// `log::warn("…", …)`
  void calls_of(string_view level) {
    for (auto at : find_all(s_.code, "log::" + std::string(level) + " (")) {
      at = s_.code.find('(', at) + 1;
      const auto found = s_.texts(at, s_.find_outside(",", at));
      for (const auto& [where, text] : found) add(std::string(level), text, where);
      if (found.empty() && std::ranges::find(away, s_.of.path, &elsewhere::logs) == away.end())
        out_.push_back({s_.of.path, line_at(s_.code, at), s_.of.path,
                        "logs a sentence that is written elsewhere: write it here, or tell "
                        "tests/tidy/rules_logs.cpp where it is"});
    }
  }
  /// `…log(log::level::warn, "…", …)`; and one of two levels with one of two sentences.
  void calls_with_levels() {
    std::size_t last = 0;
    for (const auto at : find_all(s_.code, "log::level::")) {
      const auto comma = s_.find_outside(",;", at);
      if (comma >= s_.code.size() || s_.code[comma] != ',' || comma == last) continue;
      last = comma;
      std::vector<std::string> named;
      for (const auto other : find_all(s_.code, "log::level::"))
        if (other >= at && other < comma) {
          const auto from = other + string_view("log::level::").size();
          auto end = from;
          while (is_word(s_.code[end])) ++end;
          named.push_back(s_.code.substr(from, end - from));
        }
      const auto found = s_.texts(comma + 1, s_.find_outside(",", comma + 1));
      for (std::size_t i = 0; i < found.size(); ++i)
        if (const auto& level = named[std::min(i, named.size() - 1)];
            std::ranges::find(levels, level) != levels.end())
          add(level, found[i].second, found[i].first);
    }
  }

  source s_;
  findings& out_;
  std::vector<said> said_;
  std::set<std::size_t> at_;  ///< where those begin that are logged in place
};

/// The cells of a row of a table, without blanks around them.
std::vector<string_view> cells_of(string_view line) {
  std::vector<string_view> out;
  if (!line.starts_with("| ")) return out;
  for (line.remove_prefix(1); !line.empty();) {
    const auto end = line.find(" |");
    if (end == line.npos) break;
    out.push_back(trim(line.substr(0, end)));
    line.remove_prefix(end + 2);
  }
  return out;
}

std::optional<std::string> code_span(string_view cell) {
  if (cell.size() < 3 || cell.front() != '`' || cell.back() != '`') return {};
  cell = cell.substr(1, cell.size() - 2);
  if (cell.find('`') != cell.npos) return {};
  return std::string(cell);
}

bool is_level(string_view word) {
  return std::ranges::find(levels, word) != levels.end();
}

/// `| warn | `An upstream …` | what it means |`
std::vector<said> documented_in(const file& page, findings& out) {
  std::vector<said> all;
  std::size_t number = 0;
  for (const auto line : lines_of(page.text)) {
    ++number;
    const auto cells = cells_of(line);
    if (cells.size() != 3 || !is_level(cells[0])) continue;
    const auto sentence = code_span(cells[1]);
    if (sentence && !cells[2].empty())
      all.push_back({std::string(cells[0]), *sentence, page.path, number});
    else
      out.push_back({page.path, number, page.path,
                     "is a row of the log that does not name one sentence in code font and what "
                     "it means"});
  }
  return all;
}

/// How an upstream fails: what stands in `An upstream …; further failures are not logged until it
/// recovers.`, and in the page's table of that.
void check_complaints(const tree& t, findings& out) {
  constexpr string_view page_path = "docs/operations.md";
  constexpr string_view mark = "| An upstream … | Meaning |";
  const auto* page = t.find(page_path);
  if (page == nullptr) return;
  std::set<std::string> told;
  const auto begin = page->text.find(mark);
  if (begin != std::string::npos)
    for (const auto line : lines_of(string_view(page->text).substr(begin))) {
      if (!line.starts_with('|')) break;
      if (const auto cells = cells_of(line); cells.size() == 2)
        if (const auto words = code_span(cells[0])) told.insert(*words);
    }
  std::set<std::string> written;
  for (const auto& f : t.files) {
    if (!f.path.starts_with("actors/upstream/") || !is_cpp(f.path)) continue;
    const source s{f};
    for (auto at : find_all(s.code, "log.failed (")) {
      at = s.code.find('(', at) + 1;
      for (const auto& [where, text] : s.texts(at, s.find_outside(",", at))) {
        written.insert(text);
        if (!told.contains(text))
          out.push_back({f.path, line_at(s.code, where), f.path,
                         "`" + text + "` is not in the table `" + std::string(mark) + "` of " +
                             std::string(page_path)});
      }
    }
  }
  for (const auto& words : told)
    if (!written.contains(words))
      out.push_back({std::string(page_path), line_at(page->text, begin), std::string(page_path),
                     "says that an upstream `" + words + "`, which nobody logs"});
}

}  // namespace

findings check_log_sentences(const tree& t) {
  findings out;
  std::vector<said> written, documented;
  for (const auto& f : t.files) {
    if (logs(f.path)) std::ranges::move(reader(f, out).all(), std::back_inserter(written));
    if (f.path.starts_with("docs/") && f.path.ends_with(".md"))
      std::ranges::move(documented_in(f, out), std::back_inserter(documented));
  }
  const auto has = [](const std::vector<said>& all, const said& wanted) {
    return std::ranges::any_of(all, [&](const said& s) {
      return s.level == wanted.level && s.sentence == wanted.sentence;
    });
  };
  for (const auto& s : written)
    if (!has(documented, s))
      out.push_back({s.path, s.line, s.path,
                     "logs `" + s.sentence + "` (" + s.level +
                         "), which no table of docs/ explains: add a row to docs/operations.md, or "
                         "docs/stdio.md if it is the shim's"});
  for (const auto& s : documented)
    if (!has(written, s))
      out.push_back({s.path, s.line, s.path,
                     "explains `" + s.sentence + "` (" + s.level + "), which nobody logs"});
  check_complaints(t, out);
  return out;
}

}  // namespace gate::tidy
