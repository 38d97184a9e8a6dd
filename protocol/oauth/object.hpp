#pragma once
/// A JSON object none of whose members occurs twice, looked up by name: token headers, claims,
/// keys and the answers of token endpoints are read through it. Two readers that disagree about
/// which of two members counts are how forged tokens pass, so here neither does.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/result.hpp"

namespace gate::oauth {

class object {
 public:
  /// Refused: what is no JSON object, a member that occurs twice (also when one is spelled with
  /// escapes). The error goes on with a sentence: "is not an object". Keeps views into `text`.
  static result<object> read(std::string_view text);

  /// The raw value; empty if there is no such member.
  std::string_view get(std::string_view name) const noexcept;
  bool has(std::string_view name) const noexcept { return !get(name).empty(); }

 private:
  std::vector<std::pair<std::string_view, std::string_view>> members_;
};

/// The content of a raw JSON string. Nothing for other values, and for a string that only escapes
/// can spell since it is no text (lone surrogates): two of these would read alike.
std::optional<std::string> text_of(std::string_view raw);
/// Sets `to` to the member's content if there is such a member; false if it is no such string.
bool read_text(const object& from, std::string_view name, std::string& to);
/// The elements of a raw JSON array of at most `most` strings; nothing for anything else.
std::optional<std::vector<std::string>> texts_of(std::string_view raw, std::size_t most);
/// The value of a raw JSON number; nothing for other values and what a double can not hold (1e400).
std::optional<double> number_of(std::string_view raw);

}  // namespace gate::oauth
