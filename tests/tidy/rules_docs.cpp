/// The rules about prose: links lead somewhere, named files exist, and no path is somebody's own.
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tests/tidy/rules.hpp"
#include "tests/tidy/text.hpp"

namespace gate::tidy {
namespace {

struct link {
  std::string target;
  std::size_t line;
};

/// Markdown without fenced code and inline code: brackets there are no links.
std::vector<std::string> prose_lines(std::string_view text) {
  std::vector<std::string> out;
  std::string fence;
  for (const auto line : lines_of(text)) {
    const auto start = trim(line);
    const bool mark = start.starts_with("```") || start.starts_with("~~~");
    if (fence.empty() && mark) {
      fence = start.substr(0, 3);
      out.emplace_back();
    } else if (!fence.empty()) {
      if (start.starts_with(fence)) fence.clear();
      out.emplace_back();
    } else {
      out.emplace_back(line);
    }
  }
  return out;
}

std::string without_inline_code(std::string line) {
  bool inside = false;
  for (auto& c : line) {
    if (c == '`')
      inside = !inside;
    else if (inside)
      c = ' ';
  }
  return line;
}

void targets_after(std::string_view line, std::string_view mark, std::string_view ends,
                   std::size_t number, std::vector<link>& out) {
  for (auto at = line.find(mark); at != std::string_view::npos; at = line.find(mark, at + 1)) {
    auto from = at + mark.size();
    if (from < line.size() && line[from] == '<') ++from;
    const auto end = std::min(line.find_first_of(ends, from), line.size());
    out.push_back({std::string(line.substr(from, end - from)), number});
  }
}

std::vector<link> links_of(std::string_view text) {
  std::vector<link> out;
  std::size_t number = 0;
  for (const auto& raw : prose_lines(text)) {
    ++number;
    const auto line = without_inline_code(raw);
    targets_after(line, "](", " )>", number, out);
    targets_after(line, "href=\"", "\"", number, out);
    targets_after(line, "src=\"", "\"", number, out);
    if (trim(line).starts_with('[')) targets_after(line, "]: ", " >", number, out);
  }
  return out;
}

bool is_outside(std::string_view target) {
  return target.find("://") != std::string_view::npos || target.starts_with("mailto:");
}

/// GitHub's name of a heading: lower case, letters, digits, `-` and `_`; spaces become `-`.
std::string anchor_of(std::string_view heading) {
  std::string out;
  for (const char c : trim(heading)) {
    const auto u = static_cast<unsigned char>(c);
    if (c == ' ')
      out += '-';
    else if (is_word(c) || c == '-' || u >= 0x80)
      out += static_cast<char>(std::tolower(u));
  }
  return out;
}

std::set<std::string> anchors_of(std::string_view text) {
  std::set<std::string> out;
  std::map<std::string, int> seen;
  for (const auto& line : prose_lines(text)) {
    const auto level = line.find_first_not_of('#');
    if (level != std::string::npos && level > 0 && line[level] == ' ') {
      const auto name = anchor_of(std::string_view(line).substr(level));
      const auto times = seen[name]++;
      out.insert(times == 0 ? name : name + "-" + std::to_string(times));
    }
    for (const std::string_view mark : {"id=\"", "name=\""}) {
      std::vector<link> named;
      targets_after(line, mark, "\"", 0, named);
      for (const auto& n : named) out.insert(n.target);
    }
  }
  return out;
}

std::string resolve(std::string_view from, std::string_view target) {
  auto path = (std::filesystem::path(folder_of(from)) / target).lexically_normal().generic_string();
  while (path.ends_with('/')) path.pop_back();
  return path;
}

std::optional<std::string> broken(const tree& t, const file& f, std::string_view target) {
  const auto hash = target.find('#');
  const auto path = target.substr(0, hash);
  if (path.starts_with('/'))
    return "begins at the root of a machine; write it relative to this file";
  const auto to = path.empty() ? f.path : resolve(f.path, path);
  if (to != "." && !t.has(to))
    return "leads to " + to + ", which does not exist; correct or drop it";
  if (hash == std::string_view::npos || !to.ends_with(".md")) return {};
  const auto* page = t.find(to);
  const std::string anchor(target.substr(hash + 1));
  if (page == nullptr || anchors_of(page->text).contains(anchor)) return {};
  return "names a heading that " + to +
         " does not have; the headings' anchors are their words in "
         "lower case, joined by hyphens";
}

/// The words within inline code, with the lines they stand in.
std::vector<link> code_words_of(std::string_view text) {
  std::vector<link> out;
  std::size_t number = 0;
  for (const auto& line : prose_lines(text)) {
    ++number;
    std::string word;
    bool inside = false;
    for (const char c : line + ' ') {
      if (inside && c != '`' && c != ' ') {
        word += c;
        continue;
      }
      if (!word.empty()) out.push_back({std::exchange(word, {}), number});
      if (c == '`') inside = !inside;
    }
  }
  return out;
}

/// `*` stands for any part of one name.
bool matches(std::string_view pattern, std::string_view path) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == path;
  if (!path.starts_with(pattern.substr(0, star))) return false;
  pattern.remove_prefix(star + 1);
  path.remove_prefix(star);
  for (;; path.remove_prefix(1)) {
    if (matches(pattern, path)) return true;
    if (path.empty() || path.front() == '/') return false;
  }
}

/// Of a word with a slash: does it name a file or folder of this repository? It does if it begins
/// with a folder of the root, or ends as sources and pages do and begins with a name.
bool is_named_file(const tree& t, std::string_view word) {
  static const std::vector<std::string_view> endings{".cpp", ".hpp",  ".md",    ".mjs", ".py",
                                                     ".lua", ".json", ".cmake", ".txt"};
  if (word.find('/') == std::string_view::npos || is_outside(word)) return false;
  if (t.has(word.substr(0, word.find('/')))) return true;
  return is_word(word.front()) &&
         std::any_of(endings.begin(), endings.end(), [&](auto e) { return word.ends_with(e); });
}

/// A source that is named without its folder; on pages that tell of what was, it may be gone.
bool is_named_source(const file& f, std::string_view word) {
  if (f.path.starts_with("docs/decisions/") || f.path == "CHANGELOG.md") return false;
  return word.find('/') == std::string_view::npos && is_word(word.front()) &&
         (word.ends_with(".cpp") || word.ends_with(".hpp"));
}

/// From the root; or, where it begins with no folder of the root, from any folder.
bool names_something(const tree& t, std::string_view word) {
  const bool from_root = t.has(word.substr(0, word.find('/')));
  return std::any_of(t.paths.begin(), t.paths.end(), [&](std::string_view path) {
    if (matches(word, path)) return true;
    for (auto at = path.find('/'); !from_root && at != path.npos; at = path.find('/', at + 1))
      if (matches(word, path.substr(at + 1))) return true;
    return false;
  });
}

/// A path begins here, rather than in the middle of a longer one or of a URL.
bool begins_path(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char before = text[at - 1];
  return !is_word(before) && before != '.' && before != '-' && before != '/' && before != '}' &&
         before != ')' && before != '~';
}

void find_paths(const file& f, std::string_view path, std::string_view why, findings& out) {
  for (auto at = f.text.find(path); at != std::string::npos; at = f.text.find(path, at + 1))
    if (path[0] == '.' || begins_path(f.text, at))
      out.push_back({f.path, line_at(f.text, at), f.path,
                     "mentions " + std::string(path) + ": " + std::string(why)});
}

}  // namespace

findings check_links(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    if (!f.path.ends_with(".md")) continue;
    for (const auto& l : links_of(f.text)) {
      if (is_outside(l.target) || l.target.empty()) continue;
      if (const auto why = broken(t, f, l.target))
        out.push_back({f.path, l.line, f.path, "the link " + l.target + " " + *why});
    }
  }
  return out;
}

findings check_named_files(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    if (!f.path.ends_with(".md")) continue;
    for (const auto& w : code_words_of(f.text)) {
      std::string_view word = w.target;
      if (!is_named_file(t, word) && !is_named_source(f, word)) continue;
      while (word.ends_with('/')) word.remove_suffix(1);
      if (!names_something(t, word))
        out.push_back({f.path, w.line, f.path,
                       "names " + w.target + ", which does not exist; correct or drop it"});
    }
  }
  return out;
}

findings check_machine_paths(const tree& t) {
  constexpr std::string_view why =
      "it exists on one machine only; write paths from the root of the repository";
  // In pieces, or this file would be its own first finding.
  static const std::vector<std::string> anywhere{
      "/wo"
      "rk/",
      "/ro"
      "ot/",
      "/ho"
      "me/",
      "../sha"
      "red"};
  findings out;
  for (const auto& f : t.files) {
    for (const auto& path : anywhere) find_paths(f, path, why, out);
    if (f.path.ends_with(".md")) find_paths(f, "/tmp/", why, out);
  }
  return out;
}

}  // namespace gate::tidy
