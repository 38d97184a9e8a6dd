#pragma once
/// What a scenario file may say of the stories that are drawn: a table per kind of story, from
/// which files are read, the schema and the documentation are made. Pure.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace gate::stories {

enum class unit : std::uint8_t {
  weight,   ///< how often, beside the others of its section; not all of them can be 0
  percent,  ///< of stories
  count,
  milliseconds,  ///< virtual time
};

struct setting {
  std::string_view section, name;  ///< where it stands in the file
  unit in = unit::count;
  std::uint32_t otherwise = 0;  ///< if the file does not say
  std::uint32_t least = 0, most = 0;
  std::string_view about;
};

/// A value for each row of a table of settings.
class tuning {
 public:
  explicit tuning(std::span<const setting> of) {
    for (const auto& s : of) values_.push_back(s.otherwise);
  }
  std::uint32_t operator[](std::size_t row) const { return values_.at(row); }
  void set(std::size_t row, std::uint32_t value) { values_.at(row) = value; }
  /// Those of `count` rows from `from` on.
  std::span<const std::uint32_t> rows(std::size_t from, std::size_t count) const {
    return std::span(values_).subspan(from, count);
  }

 private:
  std::vector<std::uint32_t> values_;
};

inline constexpr std::uint32_t most_weight = 1'000;

/// Which row a number below the sum of all weights means: each as often as its weight says.
inline std::size_t weighed(std::span<const std::uint32_t> weights, std::uint32_t at) {
  std::size_t row = 0;
  while (at >= weights[row]) at -= weights[row++];
  return row;
}
inline std::uint32_t sum_of(std::span<const std::uint32_t> weights) {
  std::uint32_t total = 0;
  for (const auto w : weights) total += w;
  return total;
}

}  // namespace gate::stories
