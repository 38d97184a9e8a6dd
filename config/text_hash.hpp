#pragma once
/// Lets maps keyed by std::string be asked with a std::string_view, without a copy.
#include <cstddef>
#include <functional>
#include <string_view>

namespace gate::config {

struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};

}  // namespace gate::config
