#pragma once
/// What there is to say of a program's command line, apart from where values are kept. Made of its
/// table of options (options.hpp); texts are made of it: `--help`, manual pages (manual.hpp),
/// completions of shells (completions.hpp). Pure.
#include <string>
#include <string_view>
#include <vector>

#include "config/options/values.hpp"

namespace gate::config {

struct described_option {
  std::string_view name;         ///< with its dashes
  std::string_view placeholder;  ///< of its value; empty: it takes none
  std::string help;
  std::string initial;  ///< the default in words; empty: no words
  word_list words;      ///< all that may be given; empty: that is no list
};

struct described_program {
  std::string_view name;  ///< with a space and the command's, if it is a program of several
  std::string_view about;
  std::string_view usage;  ///< further lines are indented
  std::string_view exit_codes;
  std::vector<described_option> options;  ///< those that are shown
  bool operands = false;                  ///< takes what is no option: files
  bool command = false;                   ///< takes a command behind a literal `--`
};

/// A program of several commands, each with options of its own.
struct described_commands {
  std::string_view name;
  std::string_view about;
  std::string_view usage;
  std::string_view exit_codes;
  std::vector<described_program> commands;
};

/// The text of `--help`.
std::string help_text(const described_program& p);
std::string help_text(const described_commands& p);

}  // namespace gate::config
