#pragma once
/// Whether a process that tells one story after the other keeps something of them: what it has
/// allocated between two of them stays the same, but for what is made once. Pure.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gate::runs {

/// How its complaints begin.
inline constexpr std::string_view memory_complaint = "memory: ";
/// Do they depend on all stories that were told in that process, and on none alone?
inline bool is_of_all_stories(const std::vector<std::string>& complaints) {
  return !complaints.empty() && std::ranges::all_of(complaints, [](const auto& c) {
    return c.starts_with(memory_complaint);
  });
}

class memory_watch {
 public:
  /// Stories in which tables, caches and the like are made.
  static constexpr std::size_t first_stories = 20;
  /// What may be there beyond the most of these.
  static constexpr std::size_t spare_bytes = 8UL * 1024 * 1024;

  /// Behind each story: what is allocated then. A complaint if that is too much.
  std::optional<std::string> look(std::size_t allocated) {
    if (++stories_ <= first_stories) {
      most_ = std::max(most_, allocated);
      return {};
    }
    if (allocated <= most_ + spare_bytes) return {};
    return std::string(memory_complaint) + "behind " + std::to_string(stories_) + " stories " +
           std::to_string(allocated) + " bytes are allocated, and behind the first " +
           std::to_string(first_stories) + " there were " + std::to_string(most_) +
           ": something of each is kept";
  }

 private:
  std::size_t stories_ = 0, most_ = 0;
};

}  // namespace gate::runs
