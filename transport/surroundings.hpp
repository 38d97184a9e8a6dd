#pragma once
/// Where a program that people start by hand finds itself: its folder, the one they work in, a
/// terminal, and files that it writes for them. Boot only, but for `run_folder`.
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"

namespace gate {

/// The folder that our own program is in; absolute.
std::string program_folder();
/// The working directory.
std::string current_folder();

/// Is somebody there who could answer?
bool on_terminal();
/// A line of standard input, without its end. `shown`: what is typed appears. Nothing: it has
/// ended.
std::optional<std::string> read_terminal_line(bool shown);

/// Does somebody see what goes to standard error?
bool errors_on_terminal();

/// Could a program of ours append to it, or make it? Tries neither. Errors name the path.
result<void> could_write(const std::string& path);
/// A new file; `secret`: for its owner alone. Nothing is replaced: one that is there is an error.
/// Errors name the path.
result<void> write_new_file(const std::string& path, std::string_view text, bool secret);
/// Puts a text in the place of a file's at once, with its mode: who reads it has the one or the
/// other. One that is not there is made, for its owner alone; of a link the file that it points at
/// is replaced.
result<void> replace_file(const std::string& path, std::string_view text);
/// The folder, and those that it is in.
result<void> make_folder(const std::string& path);

/// A folder of ours alone, with one file in it; gone when this is.
class run_folder {
 public:
  /// In `parent`, which exists.
  static result<std::unique_ptr<run_folder>> make(const std::string& parent, std::string file_name);
  ~run_folder();
  run_folder(const run_folder&) = delete;
  run_folder& operator=(const run_folder&) = delete;

  /// Replaces what the file says; its path.
  result<std::string> keep(std::string_view text) const;

 private:
  run_folder(std::string path, std::string file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_, file_;
};

}  // namespace gate
