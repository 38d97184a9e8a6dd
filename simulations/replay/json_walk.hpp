#pragma once
/// Walks over whole JSON texts, member by member, without a document. Pure.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gate::replay {

using json_member = std::pair<std::string_view, std::string_view>;  ///< raw key, raw value

/// Of an object, or of an array (their keys are empty); nothing if it is neither.
std::vector<json_member> members_of(std::string_view raw);

/// A leaf of one of two texts, or a part that the other does not have (then one of them is empty).
struct json_pair {
  const std::string& path;  ///< `/result/tools/3/name`
  std::string_view member;  ///< the last key
  std::string_view one, other;
};
/// The object whose keys the gateway mints, and the one in which its clients give them back; with
/// `minted_key` as their member, keys are told to callbacks like leaves, as raw strings.
inline constexpr std::string_view minted_keys_of = "inputRequests",
                                  given_keys_of = "inputResponses";
inline constexpr std::string_view minted_key = "a key";

/// Calls `f` for each pair of different leaves of two texts; equal parts are not entered.
void contrast_json(std::string_view one, std::string_view other,
                   const std::function<void(const json_pair&)>& f);

/// `text` with some of its leaves replaced: `f(path, member, raw)` gives another raw value, or
/// nothing. What is no JSON stays as it is.
using leaf_writer = std::function<std::optional<std::string>(
    const std::string& path, std::string_view member, std::string_view raw)>;
std::string rewrite_json(std::string_view text, const leaf_writer& f);

/// Neither an object nor an array.
bool is_leaf(std::string_view raw);

/// May an object in `text` have a member of this name? Most have not, which is seen without a walk.
/// (A key of letters that is spelled otherwise has a `\u`.)
bool may_have(std::string_view text, std::string_view name);

/// A text of which some parts, which are views into it and do not overlap, are replaced.
class patched {
 public:
  explicit patched(std::string_view text) : text_(text) { parts_.reserve(4); }
  void put(std::string_view part, std::string_view by);
  std::string text();

 private:
  std::string_view text_;
  std::vector<std::pair<std::string_view, std::string>> parts_;
};

}  // namespace gate::replay
