#pragma once
/// What must hold in every story, one row a checker: a complaint begins with its checker's name and
/// says what was seen, this says what was expected. Pure.
#include <span>
#include <string_view>

namespace gate::runs {

struct promise {
  std::string_view kind;     ///< of stories; empty: of all
  std::string_view checker;  ///< as complaints begin
  std::string_view holds;    ///< a sentence without its full stop
};

std::span<const promise> promises();

/// Of the checker whose complaint this is; null: none is known.
const promise* find_promise(std::string_view kind, std::string_view complaint);

}  // namespace gate::runs
