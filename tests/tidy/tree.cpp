#include "tests/tidy/tree.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace gate::tidy {
namespace {

namespace fs = std::filesystem;

/// Larger files are recordings or data; their names are enough.
constexpr std::uintmax_t max_file_bytes = 512 * 1024;

bool is_skipped(const fs::path& folder) {
  const auto name = folder.filename().string();
  if (name == "build" || name == "node_modules" || fs::exists(folder / "CMakeCache.txt"))
    return true;
  return name.starts_with('.') && name != ".ci" && name != ".github";
}

void add_folders(tree& t, std::string folder) {
  for (; !folder.empty(); folder = folder_of(folder)) t.paths.insert(folder);
}

void by_path(tree& t) {
  std::sort(t.files.begin(), t.files.end(),
            [](const file& a, const file& b) { return a.path < b.path; });
}

}  // namespace

const file* tree::find(std::string_view path) const {
  const auto found = std::lower_bound(files.begin(), files.end(), path,
                                      [](const file& f, std::string_view p) { return f.path < p; });
  return found != files.end() && found->path == path ? &*found : nullptr;
}

tree read_tree(const fs::path& root) {
  tree t;
  for (fs::recursive_directory_iterator at(root), end; at != end; ++at) {
    const auto& entry = *at;
    auto path = entry.path().lexically_relative(root).generic_string();
    if (entry.is_directory()) {
      if (is_skipped(entry.path()))
        at.disable_recursion_pending();
      else
        t.paths.insert(std::move(path));
      continue;
    }
    t.paths.insert(path);
    if (!entry.is_regular_file() || entry.file_size() > max_file_bytes) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (text.find('\0') == std::string::npos) t.files.push_back({std::move(path), std::move(text)});
  }
  by_path(t);
  return t;
}

tree make_tree(std::vector<file> files) {
  tree t{std::move(files), {}};
  for (const auto& f : t.files) {
    t.paths.insert(f.path);
    add_folders(t, folder_of(f.path));
  }
  by_path(t);
  return t;
}

bool is_header(std::string_view path) {
  return path.ends_with(".hpp");
}
bool is_cpp(std::string_view path) {
  return is_header(path) || path.ends_with(".cpp");
}

bool in_any(std::string_view path, const std::vector<std::string_view>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [path](std::string_view p) { return path.starts_with(p); });
}

bool in_rooms(std::string_view path) {
  return in_any(path, {"protocol/", "config/", "transport/", "actors/", "shim/"});
}

std::string room_of(std::string_view path) {
  const auto slash = path.find('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

std::string folder_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

std::string stem_of(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return std::string(path.substr(0, path.find('.')));
}

std::optional<std::string> own_header(const tree& t, std::string_view path) {
  const auto folder = folder_of(path);
  const auto name = "/" + stem_of(path) + ".hpp";
  for (const auto& in : {folder, folder_of(folder)})
    if (!in.empty() && t.has(in + name)) return in + name;
  return {};
}

}  // namespace gate::tidy
