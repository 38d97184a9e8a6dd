#pragma once
/// FIELDS: how bodies of the API are read, strictly: a field that is not known, is there twice or
/// is of another type is refused, by a JSON pointer to it. Pure; requests.hpp and posted.hpp say
/// which fields there are.
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/webhook/errors.hpp"

namespace gate::webhook {

/// At a place of the body: a JSON pointer, empty for all of it.
api_error wrong_at(std::string pointer, std::string sentence, std::string hint = {});
/// The pointer of a member of what `at` points to.
std::string member_pointer(std::string_view at, std::string_view name);

/// Is the whole body JSON in UTF-8, and not nested deeper than `limits::json_depth`?
checked<void> check_json(std::string_view body);

/// Sets each of `found` to the raw value of the member with that name, or empty. `raw` is one valid
/// value.
checked<void> read_members(std::string_view raw, std::string_view at,
                           std::span<const std::string_view> names,
                           std::span<std::string_view> found);
template <std::size_t N>
checked<std::array<std::string_view, N>> read_object(std::string_view raw, std::string_view at,
                                                     const std::array<std::string_view, N>& names) {
  std::array<std::string_view, N> found{};
  if (const auto read = read_members(raw, at, names, found); !read) return read.error();
  return found;
}

/// A string of at most `most` bytes, without U+0000, which not every store can keep.
checked<std::string> read_string(std::string_view raw, std::string_view at, std::size_t most);
checked<bool> read_flag(std::string_view raw, std::string_view at);

}  // namespace gate::webhook
