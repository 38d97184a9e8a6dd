#include "config/text.hpp"

#include <algorithm>

#include "protocol/http/url.hpp"

namespace gate::config {
namespace {

constexpr bool lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool name_char(char c) {
  return lower(c) || digit(c) || c == '-';
}
constexpr char lowered(char c) {
  return upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

/// One row a kind: the schema's pattern and the sentence of the reader.
struct rule_of_text {
  std::string_view pattern;
  std::string_view demand;
};

constexpr rule_of_text rule_for(text kind) {
  switch (kind) {
    case text::plain:
      return {"", "must not be empty"};
    case text::free:
      return {"", ""};
    case text::name:
      return {"^[a-z0-9-]+$", "must consist of lower-case letters, digits and hyphens"};
    case text::variable:
      return {"^[A-Za-z_][A-Za-z0-9_]*$",
              "must be the name of an environment variable (letters, digits, underscores), not the "
              "secret itself"};
    case text::separator:
      return {"^[^a-z0-9-]+$",
              "must not be empty nor contain lower-case letters, digits or hyphens: they belong to "
              "namespaces"};
  }
  return {};
}

}  // namespace

bool fits(text kind, std::string_view value) {
  if (kind == text::free) return true;
  if (value.empty()) return false;
  switch (kind) {
    case text::name:
      return std::ranges::all_of(value, name_char);
    case text::variable:
      return !digit(value.front()) && std::ranges::all_of(value, [](char c) {
        return lower(c) || upper(c) || digit(c) || c == '_';
      });
    case text::separator:
      return std::ranges::none_of(value, name_char);
    default:
      return true;
  }
}

std::string_view demand(text kind) {
  return rule_for(kind).demand;
}
std::string_view pattern(text kind) {
  return rule_for(kind).pattern;
}

bool is_token(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) {
    return lower(c) || upper(c) || digit(c) ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

bool is_header_value(std::string_view value) {
  return std::ranges::none_of(value, [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

bool is_scope(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) {
    return c > 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
}

bool is_host(std::string_view value) {
  bool bare_ipv6 = std::ranges::count(value, ':') > 1 && !value.starts_with('[');
  auto authority = bare_ipv6 ? '[' + std::string(value) + ']' : std::string(value);
  auto parsed = http::parse_url("http://" + authority);
  // Nothing but the host may have been read from it.
  return parsed && std::ranges::equal(authority, parsed->authority(), {}, lowered);
}

}  // namespace gate::config
