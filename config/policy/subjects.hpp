#pragma once
/// Whom `subjects` means: issuers and claims are gates (AND), subs and groups alternatives (OR);
/// with only gates named, the gates suffice; nothing named is nobody. A claim matches by equality,
/// or by membership if the token's claim is an array. Used by policy rules and tenants.
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "config/document.hpp"
#include "protocol/oauth/principal.hpp"

namespace gate::config {

/// Anonymous callers (`who` null) are never meant.
bool means(const subjects& s, const oauth::principal* who);

/// A scalar as text, so that two are equal in JSON exactly if their words are: 1 and 1.0 are, "1"
/// and 1 are not. Numbers are compared as decimals, not rounded to what a double can hold.
std::string word_of(const claim_value& v);
/// The words of a token's claim: one of a scalar, one for each scalar of an array. Nested arrays,
/// objects and null have none.
std::vector<std::string> words_of(std::string_view raw);

/// One caller's facts, prepared for many questions: each costs what the question names, however
/// much is in the token. For one thread; `who` must outlive it.
class caller {
 public:
  explicit caller(const oauth::principal& who) : who_(who) {}
  bool meant_by(const subjects& s);
  struct claim {
    std::string_view name;
    std::string_view raw;
  };
  /// All claims, in the order of their names.
  const std::vector<claim>& claims();

 private:
  bool in_groups(const text_list& groups);
  bool has_claim(const std::string& name, const claim_value& v);

  const oauth::principal& who_;
  bool claims_read_ = false;
  std::vector<claim> claims_;
  std::deque<std::string> names_;  ///< of claims whose names have escapes
  std::unordered_map<std::string, std::unordered_set<std::string>> words_;  ///< of claims asked for
  std::unordered_set<std::string_view> groups_;  ///< made when there are many
};

}  // namespace gate::config
