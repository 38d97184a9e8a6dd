#include "config/options/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace gate::config {
namespace {

constexpr char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Levenshtein distance, ignoring case.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      auto replaced = diagonal + (lowered(a[i]) == lowered(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  std::size_t best = std::string_view::npos;
  std::string_view found;
  for (auto candidate : known) {
    auto longer = std::max(word.size(), candidate.size());
    auto d = distance(word, candidate);
    // A word of which more than a third would have to change was more likely meant otherwise; short
    // words may differ in two letters, but not in all.
    if (d < best && d <= std::max<std::size_t>(2, longer / 3) && d < longer) {
      best = d;
      found = candidate;
    }
  }
  return found;
}

}  // namespace gate::config
