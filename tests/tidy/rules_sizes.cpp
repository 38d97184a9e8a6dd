/// The rules about sizes: files, functions, classes, lines; and the prose that opens a header.
#include "tests/tidy/rules.hpp"
#include "tests/tidy/text.hpp"

namespace gate::tidy {
namespace {

constexpr std::size_t max_file_lines = 500;
constexpr std::size_t max_function_lines = 70;
constexpr std::size_t max_columns = 100;
constexpr std::size_t max_methods = 30;
constexpr std::size_t max_members = 20;

bool has_limited_lines(std::string_view path) {
  return is_cpp(path) || path.ends_with("CMakeLists.txt");
}

bool is_long(std::string_view line) {
  return columns(line) > max_columns && line.find("://") == std::string_view::npos;
}

/// A subject of exempt.txt is one word: `TEST(a,b)`.
std::string without_spaces(std::string name) {
  std::erase(name, ' ');
  return name;
}

}  // namespace

findings check_file_lengths(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    if (!is_cpp(f.path)) continue;
    const auto lines = lines_of(f.text).size();
    if (lines > max_file_lines)
      out.push_back({f.path, lines, f.path,
                     "has " + std::to_string(lines) +
                         " lines, 500 are allowed: a file should be "
                         "about one thing that fits in a head; split it by responsibility"});
  }
  return out;
}

findings check_function_lengths(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    if (!is_cpp(f.path)) continue;
    const auto found = functions_of(f.text);
    if (!found.balanced)
      out.push_back({f.path, 0, f.path,
                     "the braces do not match, so functions can not be measured here; keep each "
                     "branch of an #if balanced"});
    for (const auto& fn : found.functions) {
      const auto lines = fn.last_line - fn.first_line + 1;
      if (found.balanced && lines > max_function_lines)
        out.push_back({f.path, fn.first_line, f.path + ":" + without_spaces(fn.name),
                       fn.name + " has " + std::to_string(lines) +
                           " lines, 70 are allowed: name "
                           "its steps and make them functions"});
    }
  }
  return out;
}

findings check_class_sizes(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    if (!in_rooms(f.path) || !is_cpp(f.path)) continue;
    for (const auto& c : classes_of(f.text)) {
      const auto add = [&](std::size_t has, std::size_t most, std::string_view what) {
        if (has > most)
          out.push_back({f.path, c.line, f.path + ":" + c.name,
                         c.name + " has " + std::to_string(has) + " " + std::string(what) + ", " +
                             std::to_string(most) +
                             " are allowed: find what changes together, and make it a class"});
      };
      add(c.methods, max_methods, "methods");
      add(c.members, max_members, "members");
    }
  }
  return out;
}

findings check_line_lengths(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    if (!has_limited_lines(f.path)) continue;
    std::size_t number = 0;
    bool table = false;
    for (const auto line : lines_of(f.text)) {
      ++number;
      if (trim(line) == "// clang-format off") table = true;
      if (trim(line) == "// clang-format on") table = false;
      if (!table && is_long(line))
        out.push_back({f.path, number, f.path,
                       "has " + std::to_string(columns(line)) +
                           " columns, 100 are allowed: two "
                           "files fit side by side on a screen; break the line"});
    }
  }
  return out;
}

findings check_header_prose(const tree& t) {
  findings out;
  for (const auto& f : t.files) {
    if (!is_header(f.path)) continue;
    const auto lines = lines_of(f.text);
    const auto starts = [&lines](std::size_t i, std::string_view with) {
      return i < lines.size() && lines[i].starts_with(with);
    };
    if (!starts(0, "#pragma once"))
      out.push_back({f.path, 1, f.path, "does not begin with `#pragma once`; put it on line 1"});
    else if (!starts(1, "/// "))
      out.push_back({f.path, 2, f.path,
                     "does not say what it is for: below `#pragma once` write a `///` paragraph: "
                     "what it owns, who makes it, who asks it"});
  }
  return out;
}

}  // namespace gate::tidy
