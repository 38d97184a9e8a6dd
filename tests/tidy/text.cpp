#include "tests/tidy/text.hpp"

#include <algorithm>
#include <cctype>

namespace gate::tidy {
namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The number or name that ends before `at`.
std::string_view token_before(std::string_view text, std::size_t at) {
  auto from = at;
  while (from > 0 && (is_word(text[from - 1]) || text[from - 1] == '\'')) --from;
  return text.substr(from, at - from);
}

std::size_t end_of_line_comment(std::string_view text, std::size_t at) {
  auto end = text.find('\n', at);
  while (end != std::string_view::npos && text[end - 1] == '\\') end = text.find('\n', end + 1);
  return std::min(end, text.size());
}

std::size_t end_after(std::string_view text, std::string_view mark, std::size_t at) {
  const auto found = text.find(mark, at);
  return found == std::string_view::npos ? text.size() : found + mark.size();
}

std::size_t end_of_raw(std::string_view text, std::size_t quote) {
  const auto open = text.find('(', quote);
  if (open == std::string_view::npos) return text.size();
  const auto close = ")" + std::string(text.substr(quote + 1, open - quote - 1)) + "\"";
  return end_after(text, close, open);
}

std::size_t end_of_quoted(std::string_view text, std::size_t quote) {
  for (auto at = quote + 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == text[quote] || text[at] == '\n') {
      return at + 1;
    }
  }
  return text.size();
}

std::size_t end_of_literal(std::string_view text, std::size_t quote) {
  const auto prefix = token_before(text, quote);
  if (text[quote] == '\'' && !prefix.empty() && is_digit(prefix[0])) return quote + 1;  // 20'000
  const bool raw = prefix == "R" || prefix == "u8R" || prefix == "uR" || prefix == "LR";
  return text[quote] == '"' && raw ? end_of_raw(text, quote) : end_of_quoted(text, quote);
}

void keep(std::string& to, std::string_view text, std::size_t from, std::size_t end) {
  std::copy(text.begin() + static_cast<std::ptrdiff_t>(from),
            text.begin() + static_cast<std::ptrdiff_t>(end),
            to.begin() + static_cast<std::ptrdiff_t>(from));
}

std::string blank(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c != '\n'; }, ' ');
  return out;
}

/// The end of `pattern` at `at`, or npos.
std::size_t match_at(std::string_view code, std::size_t at, std::string_view pattern) {
  for (const char c : pattern) {
    if (c == ' ') {
      while (at < code.size() && is_space(code[at])) ++at;
    } else if (at < code.size() && code[at] == c) {
      ++at;
    } else {
      return std::string_view::npos;
    }
  }
  return at;
}

std::string_view name_before(std::string_view code) {
  auto from = code.size();
  while (from > 0 && is_word(code[from - 1])) --from;
  return code.substr(from);
}

/// Whether the name after `before` is called rather than declared or a member of something.
bool is_free_call(std::string_view before) {
  const bool qualified = before.ends_with("::");
  if (qualified) before.remove_suffix(2);
  const auto spaced = before;
  while (!before.empty() && is_space(before.back())) before.remove_suffix(1);
  const auto name = name_before(before);
  if (qualified && before.size() == spaced.size() && !name.empty()) return name == "std";
  if (before.ends_with('.') || before.ends_with("->")) return false;
  return name.empty() || name == "return" || name == "else" || name == "co_return" ||
         name == "co_await" || name == "do";
}

}  // namespace

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

masked mask(std::string_view text) {
  masked m{blank(text), blank(text)};
  for (std::size_t at = 0; at < text.size();) {
    auto end = at + 1;
    if (text.substr(at, 2) == "//") {
      end = end_of_line_comment(text, at);
      keep(m.comments, text, at, end);
    } else if (text.substr(at, 2) == "/*") {
      end = end_after(text, "*/", at + 2);
      keep(m.comments, text, at, end);
    } else if (text[at] == '"' || text[at] == '\'') {
      end = end_of_literal(text, at);
      m.code[at] = text[at];
      m.code[end - 1] = text[end - 1];
    } else {
      m.code[at] = text[at];
    }
    at = end;
  }
  return m;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), lines.back().size() + 1));
  }
  return lines;
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, offset);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

std::vector<std::size_t> find_all(std::string_view code, std::string_view pattern) {
  std::vector<std::size_t> found;
  const auto start = pattern.substr(0, pattern.find(' '));
  for (auto at = code.find(start); at != std::string_view::npos; at = code.find(start, at + 1)) {
    const auto end = match_at(code, at, pattern);
    if (end == std::string_view::npos) continue;
    if (is_word(pattern.front()) && at > 0 && is_word(code[at - 1])) continue;
    if (is_word(pattern.back()) && end < code.size() && is_word(code[end])) continue;
    found.push_back(at);
  }
  return found;
}

std::vector<std::size_t> find_calls(std::string_view code, std::string_view name) {
  auto found = find_all(code, std::string(name) + " (");
  std::erase_if(found, [code](std::size_t at) { return !is_free_call(code.substr(0, at)); });
  return found;
}

std::vector<include> includes_of(std::string_view text) {
  std::vector<include> found;
  const auto code = mask(text).code;
  for (const auto at : find_all(code, "# include")) {
    const auto line_start = code.rfind('\n', at) + 1;
    if (!trim(std::string_view(code).substr(line_start, at - line_start)).empty()) continue;
    const auto open = text.find_first_of("<\"\n", at);
    if (open == std::string_view::npos || text[open] == '\n') continue;
    const bool quoted = text[open] == '"';
    const auto close = text.find(quoted ? '"' : '>', open + 1);
    if (close == std::string_view::npos) continue;
    found.push_back(
        {std::string(text.substr(open + 1, close - open - 1)), quoted, line_at(text, at)});
  }
  return found;
}

}  // namespace gate::tidy
