#pragma once
/// C++ as text, as far as the rules need it: what is code, what is comment, what is a literal,
/// where the includes are and how long each function is. No compiler: a scanner and a count of
/// braces.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gate::tidy {

/// Both are as long as the text they were made of, with blanks for what was left out, so that an
/// offset means the same in all three. Line ends are kept.
struct masked {
  std::string code;      ///< without comments and without the insides of literals
  std::string comments;  ///< comments only
};
masked mask(std::string_view text);

std::vector<std::string_view> lines_of(std::string_view text);
/// 1-based.
std::size_t line_at(std::string_view text, std::size_t offset);
/// Code points: columns, as long as nobody uses wide characters.
std::size_t columns(std::string_view line);
std::string_view trim(std::string_view s);
bool is_word(char c);

/// Offsets of `pattern` in `code`. A space in the pattern stands for any or no white space; a
/// pattern that begins or ends with a letter matches whole words only.
std::vector<std::size_t> find_all(std::string_view code, std::string_view pattern);
/// The same, but only calls of free functions: no members, no declarations, no foreign namespaces.
std::vector<std::size_t> find_calls(std::string_view code, std::string_view name);

struct include {
  std::string path;
  bool quoted = false;
  std::size_t line = 0;
};
std::vector<include> includes_of(std::string_view text);

struct function {
  std::string name;
  std::size_t first_line = 0;  ///< where its declaration begins
  std::size_t last_line = 0;
};
struct measured {
  std::vector<function> functions;
  bool balanced = true;  ///< false: the braces do not match, so the list is worth nothing
};
measured functions_of(std::string_view text);

struct measured_class {
  std::string name;
  std::size_t line = 0;
  std::size_t methods = 0;  ///< of its own: no constructors, destructor, defaulted or deleted ones
  std::size_t members = 0;  ///< of each object: no static ones
};
/// What is declared as `class`; a `struct` is data.
std::vector<measured_class> classes_of(std::string_view text);

}  // namespace gate::tidy
