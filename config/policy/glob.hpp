#pragma once
/// Name patterns of policy: `*` matches any run of bytes, the empty one included; everything else
/// is itself. Anchored at both ends, case-sensitive, no escape.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gate::config {

class glob {
 public:
  explicit glob(std::string_view pattern);
  /// Linear in `text`, whatever the pattern.
  bool matches(std::string_view text) const noexcept;
  /// The same for a text whose traits are known. Where a text is tried against many patterns, most
  /// are ruled out by them at the cost of one comparison of numbers.
  bool matches(std::string_view text, std::uint64_t traits) const noexcept {
    return (needs_ & ~traits) == 0 && matches(text);
  }
  /// Is there a text that this pattern and a URI template (RFC 6570), whose expressions may become
  /// anything, both describe? A template with a brace that is never closed describes only itself,
  /// as in protocol/mcp/uri_template.hpp. Linear in both, so nothing needs a bound.
  bool meets_template(std::string_view uri_template) const;

  /// Without `*`: only `text()` matches.
  bool exact() const noexcept { return exact_; }
  std::string_view text() const noexcept { return first_; }
  /// Which pairs of neighbouring bytes occur in a text, each as one of 64 bits.
  static std::uint64_t traits_of(std::string_view text) noexcept;
  /// The traits that every text that matches has.
  std::uint64_t needs() const noexcept { return needs_; }

 private:
  std::string first_, last_;         ///< before the first and after the last `*`
  std::vector<std::string> middle_;  ///< between, not empty
  bool exact_ = false;               ///< no `*`: `first_` is all
  std::uint64_t needs_ = 0;
};

}  // namespace gate::config
