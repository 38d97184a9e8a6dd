#pragma once
/// The rules of this house that a compiler does not check. Each is a function of a tree; a finding
/// says what is wrong, why it matters and what to do. tests/tidy/exempt.txt lists what may stay,
/// with reasons.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/tree.hpp"

namespace gate::tidy {

struct finding {
  std::string path;
  std::size_t line = 0;  ///< 0: the file as a whole
  std::string subject;   ///< what exempt.txt calls it: the path, or `path:function`, `path:word`
  std::string what;
};
using findings = std::vector<finding>;

/// `path:line: what`.
std::string to_string(const finding& f);

/// Each room includes only the rooms and libraries it is built on; names are written from the root.
findings check_layers(const tree& t);
/// x.cpp includes x.hpp first, so that every build proves that the header compiles alone.
findings check_own_header_first(const tree& t);
/// What a room must not call or write: clocks, randomness, environment, threads, `[=]`, …
findings check_words(const tree& t);
/// Notes to oneself that nobody else can act on.
findings check_notes(const tree& t);
/// A file is at most 500 lines,
findings check_file_lengths(const tree& t);
/// a function 70 lines,
findings check_function_lengths(const tree& t);
/// a line 100 columns.
findings check_line_lengths(const tree& t);
/// A class has at most 30 methods and 20 members.
findings check_class_sizes(const tree& t);
/// The folders of actors/ include each other in one direction.
findings check_folders(const tree& t);
/// Every header opens with `#pragma once` and a paragraph that says what it is for.
findings check_header_prose(const tree& t);
/// Sources are named in lower_snake_case.
findings check_file_names(const tree& t);
/// An actor is called `x_actor`, and so is its file: `x` is what it decides, `x_handle` whom others
/// send to.
findings check_actor_names(const tree& t);
/// Every header of a room, and every source without one, is mentioned by a test.
findings check_tested(const tree& t);
/// actors/pipeline has one stageN_name file for each row of its order.hpp.
findings check_stages(const tree& t);
/// Package lists have one name a line, sorted.
findings check_packages(const tree& t);
/// Relative links in Markdown lead to files and headings that exist.
findings check_links(const tree& t);
/// Files and folders that Markdown names in inline code, by a path with a slash, exist; `*` stands
/// for any part of one name.
findings check_named_files(const tree& t);
/// Sentences of the log, from info on, are those of the tables in docs/, with their levels.
findings check_log_sentences(const tree& t);
/// No path of somebody's machine.
findings check_machine_paths(const tree& t);

struct exemption {
  std::size_t line = 0;
  std::string rule;
  std::string subject;
  std::string reason;
};

inline constexpr std::string_view exempt_path = "tests/tidy/exempt.txt";

/// One a line: `rule subject reason`; `#` begins a comment.
std::vector<exemption> read_exemptions(std::string_view text);

/// What they name exists: the file of each subject, and whatever files a reason names, by their
/// paths from the root. Whoever is exempt from `tested` names a test, or has nothing to test.
findings check_exemptions(const tree& t, const std::vector<exemption>& exemptions);

/// What is left of `found` without what is exempt; exemptions that nothing needs are findings too.
findings without_exempt(findings found, std::string_view rule,
                        const std::vector<exemption>& exemptions);

}  // namespace gate::tidy
