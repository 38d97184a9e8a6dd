#pragma once
/// The source tree as data: every text file with its path from the root, and the names of all
/// others. The rules see nothing else, so their own tests hand them trees of a few lines.
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gate::tidy {

struct file {
  std::string path;
  std::string text;
};

struct tree {
  std::vector<file> files;      ///< by path
  std::set<std::string> paths;  ///< all files and folders, those that were not read included

  const file* find(std::string_view path) const;
  bool has(std::string_view path) const { return paths.contains(std::string(path)); }
};

/// Without build folders, installed packages and hidden folders other than .ci and .github.
tree read_tree(const std::filesystem::path& root);

/// A tree of files in memory, for the rules' own tests.
tree make_tree(std::vector<file> files);

bool is_cpp(std::string_view path);
bool is_header(std::string_view path);
/// `protocol`, `config`, `transport`, `actors` or `shim`: what is shipped.
bool in_rooms(std::string_view path);
bool in_any(std::string_view path, const std::vector<std::string_view>& prefixes);
std::string room_of(std::string_view path);
/// `a/b/c.hpp`: `a/b`, and `c`.
std::string folder_of(std::string_view path);
std::string stem_of(std::string_view path);
/// The header that a source implements: beside it, or one folder up (log/log.cpp of log.hpp).
std::optional<std::string> own_header(const tree& t, std::string_view path);

}  // namespace gate::tidy
