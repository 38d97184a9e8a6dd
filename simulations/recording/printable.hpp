#pragma once
/// What strangers wrote, for a terminal: nothing in it moves the cursor, changes colours, turns the
/// direction of writing or hides. Pure.
#include <cstddef>
#include <string>
#include <string_view>

namespace gate::recording {

/// Control characters, marks of direction and what is not UTF-8 as `\u001b`, `\xff`.
std::string printable(std::string_view text);
/// How many columns a printable text takes: two for East Asian characters and pictures.
std::size_t columns_of(std::string_view text);
/// As many characters as `columns` have room for, with … in the place of those left out.
std::string cut_to(std::string_view text, std::size_t columns);

}  // namespace gate::recording
