#pragma once
/// Calls as a table for people, and as JSON Lines for programs. Pure.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulations/recording/story.hpp"

namespace gate::recording {

/// Collects calls, and writes them in columns that are as wide as what stands in them. Columns in
/// which nothing stands are left out.
class table {
 public:
  /// `columns`: the terminal's width; 0: there is none, and nothing is cut off.
  explicit table(std::size_t columns) : columns_(columns) {}

  void add(const call& c);
  bool full() const { return rows_.size() >= page; }
  bool empty() const { return rows_.empty(); }
  /// What was added since, in the order of arrival; the heading before the first, and again when
  /// columns have changed.
  std::string take();

  /// So many calls are written at once: that many are in memory, and have columns in common.
  static constexpr std::size_t page = 100'000;
  static constexpr std::size_t cells = 10;

 private:
  struct row {
    std::uint64_t at = 0;
    std::array<std::string, cells> text;
  };
  std::string line(const std::array<std::string, cells>& text) const;
  void fit();

  std::size_t columns_;
  std::vector<row> rows_;
  std::array<std::size_t, cells> widths_{};
  std::string heading_;
};

/// The last line: how many calls, how they ended.
std::string summary_line(const story_counts& counts, const preamble& first, ending end);

/// `{"t":…,"method":…}` and a line feed.
std::string json_line(const call& c, const preamble& first);
/// `{"summary":{…}}` and a line feed.
std::string json_summary(const story_counts& counts, const preamble& first, ending end);

}  // namespace gate::recording
