#pragma once
/// NEEDLES: finds any of many known values in a text, in one pass that mostly does not even look at
/// each byte (Wu and Manber: the last bytes of a window say how far the next one may be). A value
/// is found as it is, and as JSON, URLs and Basic credentials spell it. Part of the redactor. Pure.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "protocol/limits/recordings.hpp"

namespace gate::recording {

struct needle_found {
  std::size_t at = std::string_view::npos;  ///< npos: nothing was found
  std::size_t size = 0;
  std::string_view secret;  ///< what it stands for; empty: what is found stands for itself
};

class needles {
 public:
  needles();
  /// `lasting`: it is never forgotten. Those that are too short are not looked for.
  void add(std::string_view secret, bool lasting);
  /// The first from `from` on; of several there the longest.
  needle_found find(std::string_view text, std::size_t from) const;
  bool empty() const noexcept { return patterns_.empty(); }
  /// One of them is spelled otherwise in JSON.
  bool escaped() const noexcept { return escaped_; }

 private:
  static constexpr std::size_t window = limits::known_secret_bytes;
  static constexpr std::size_t block = 3;
  static constexpr std::size_t slots = 1 << 14;

  struct pattern {
    std::string text;
    std::string secret;
    bool base64 = false;
    std::uint32_t next = 0;  ///< another one of the same slot; 0: none
  };

  static std::size_t slot_of(const char* p) noexcept;
  void add_spellings(const std::string& secret);
  void add_pattern(std::string text, std::string_view secret, bool base64);
  void forget_older_half();

  std::vector<std::string> lasting_, learned_;  ///< in the order in which they came
  std::unordered_set<std::string> known_;
  std::vector<pattern> patterns_;  ///< the first is none
  std::array<std::uint8_t, slots> shift_;
  std::array<std::uint32_t, slots> first_;
  bool escaped_ = false;
};

}  // namespace gate::recording
