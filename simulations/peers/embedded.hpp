#pragma once
/// Files of simulations/ as the build has put them into the program (scripts/cmake/texts.cmake
/// makes a source of a folder), so that it works where there is no checkout. Texts of static
/// storage.
#include <span>
#include <string_view>

namespace gate {

struct embedded_text {
  std::string_view name;  ///< of the file
  std::string_view text;
};
/// By ending, then by name.
using embedded_texts = std::span<const embedded_text>;

/// simulations/peers/keys, simulations/scenarios and simulations/report.
embedded_texts embedded_keys();
embedded_texts embedded_scenarios();
embedded_texts embedded_pages();

}  // namespace gate
