#include "protocol/mcp/uri_template.hpp"

#include <vector>

namespace gate::mcp {
namespace {

/// A literal character, or a run of characters of one expression.
struct piece {
  char literal = 0;
  char op = 0;  ///< of an expression; a blank for none
  bool expression = false;
};

/// Nothing if a brace is never closed.
bool read_pieces(std::string_view text, std::vector<piece>& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{') {
      out.push_back({text[i], 0, false});
      continue;
    }
    const auto end = text.find('}', i);
    if (end == text.npos) return false;
    const char first = end > i + 1 ? text[i + 1] : ' ';
    const bool has_op = std::string_view("+#./;?&").find(first) != std::string_view::npos;
    out.push_back({0, has_op ? first : ' ', true});
    i = end;
  }
  return true;
}

/// May the expansion with operator `op` contain `c` at this place?
bool fits(char op, char c, bool first) {
  switch (op) {
    case '+':
    case '#':
      return true;
    case '/':
    case '.':
    case ';':
      return first ? c == op : c != '?' && c != '#';
    case '?':
    case '&':
      return first ? c == op : c != '#';
    default:
      return c != '/' && c != '?' && c != '#';
  }
}

}  // namespace

bool matches_template(std::string_view uri_template, std::string_view uri) {
  // Most templates are told apart by the text before their first expression, or after their last.
  const auto open = uri_template.find('{');
  if (open == uri_template.npos) return uri_template == uri;
  if (!uri.starts_with(uri_template.substr(0, open))) return false;
  const auto close = uri_template.rfind('}');
  if (close != uri_template.npos && !uri.ends_with(uri_template.substr(close + 1))) return false;
  std::vector<piece> pieces;
  if (!read_pieces(uri_template, pieces)) return uri_template == uri;
  // All places in the template where a reader of the URI so far could stand; an expression has two:
  // before its first character, and within.
  const auto n = pieces.size();
  std::vector<char> before(n + 1), within(n), next_before(n + 1), next_within(n);
  auto skip_empty = [&](std::vector<char>& at, const std::vector<char>& inside) {
    for (std::size_t i = 0; i < n; ++i)
      if (pieces[i].expression && (at[i] || inside[i])) at[i + 1] = 1;
  };
  before[0] = 1;
  skip_empty(before, within);
  for (char c : uri) {
    next_before.assign(n + 1, 0);
    next_within.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const auto& p = pieces[i];
      if (!p.expression) {
        if (before[i] && p.literal == c) next_before[i + 1] = 1;
      } else if ((before[i] && fits(p.op, c, true)) || (within[i] && fits(p.op, c, false))) {
        next_within[i] = 1;
      }
    }
    skip_empty(next_before, next_within);
    before.swap(next_before);
    within.swap(next_within);
  }
  return before[n] != 0;
}

}  // namespace gate::mcp
