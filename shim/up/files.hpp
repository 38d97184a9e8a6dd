#pragma once
/// Files that gate-up writes. Boot only.
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"

namespace gate::up {

/// A new file; `secret`: for its owner alone. Nothing is replaced: one that is there is an error.
result<void> write_new_file(const std::string& path, std::string_view text, bool secret);
/// Puts a text in the place of a file's at once, with its mode; one that is not there is made.
result<void> replace_file(const std::string& path, std::string_view text);
/// The folder, and those that it is in.
result<void> make_folder(const std::string& path);

}  // namespace gate::up
