#include "config/tenants/tenants.hpp"

#include <algorithm>
#include <utility>

#include "config/policy/subjects.hpp"

namespace gate::config {
namespace {

// The letter in front keeps the kinds apart; the length, names and values of claims.
std::string issuer_word(std::string_view issuer) {
  return 'i' + std::string(issuer);
}
std::string subject_word(std::string_view subject) {
  return 's' + std::string(subject);
}
std::string group_word(std::string_view group) {
  return 'g' + std::string(group);
}
std::string claim_word(std::string_view name, std::string_view value) {
  return 'c' + std::to_string(name.size()) + ':' + std::string(name) + std::string(value);
}

using word_list = std::vector<std::string>;

/// Several lists; whoever is meant has a word of each.
std::vector<word_list> ways_to(const subjects& s) {
  std::vector<word_list> out;
  if (!s.subs.empty() || !s.groups.empty()) {
    auto& words = out.emplace_back();
    for (const auto& sub : s.subs) words.push_back(subject_word(sub));
    for (const auto& group : s.groups) words.push_back(group_word(group));
  }
  for (const auto& [name, value] : s.claims) out.push_back({claim_word(name, word_of(value))});
  if (!s.issuers.empty()) {
    auto& words = out.emplace_back();
    for (const auto& issuer : s.issuers) words.push_back(issuer_word(issuer));
  }
  return out;
}

/// The name in a claim's word.
std::string claim_of(std::string_view word) {
  const auto colon = word.find(':');
  const auto size = std::stoul(std::string(word.substr(1, colon - 1)));
  return std::string(word.substr(colon + 1, size));
}

}  // namespace

tenant_index::tenant_index(const std::vector<tenant>& tenants) {
  // Tenants often share a gate (all of one issuer, of one organisation) and differ in another: how
  // many ask for a word tells which.
  std::unordered_map<std::string, std::size_t> asked;
  tenants_.reserve(tenants.size());
  by_word_.max_load_factor(0.5);  // most words of a token lead nowhere: chains only cost
  for (const auto& t : tenants) {
    tenants_.push_back(t.subjects);
    for (const auto& words : ways_to(t.subjects)) {
      for (const auto& word : words) ++asked[word];
    }
  }
  const auto crowd = [&asked](const word_list& words) {
    std::size_t most = 0;
    for (const auto& word : words) most = std::max(most, asked.at(word));
    return most;
  };
  for (std::size_t i = 0; i < tenants_.size(); ++i) {
    const auto ways = ways_to(tenants_[i]);
    const auto best = std::ranges::min_element(ways, {}, crowd);
    if (best != ways.end()) file(i, *best);  // else it means nobody
  }
}

void tenant_index::file(std::size_t index, const word_list& words) {
  for (const auto& word : words) {
    auto& under = by_word_[word];
    if (under.empty() || under.back() != index) under.push_back(index);
    by_subject_ |= word.front() == 's';
    by_group_ |= word.front() == 'g';
    by_issuer_ |= word.front() == 'i';
    if (word.front() == 'c') claim_names_.insert(claim_of(word));
  }
}

/// One caller's way through the index, until two tenants are found or no word is left.
class tenant_index::search {
 public:
  search(const tenant_index& in, const oauth::principal& who) : in_(in), facts_(who) {}

  /// Is the search over?
  bool look_under(std::string_view word) {
    const auto at = in_.by_word_.find(word);
    if (at == in_.by_word_.end()) return false;
    for (const auto index : at->second) {
      if (!seen_.insert(index).second || !facts_.meant_by(in_.tenants_[index])) continue;
      if (result_.what == state::found) {
        result_ = {state::ambiguous, std::min(result_.index, index),
                   std::max(result_.index, index)};
        return true;
      }
      result_ = {state::found, index, 0};
    }
    return false;
  }

  bool look_under_claims() {
    for (const auto& [name, raw] : facts_.claims()) {
      if (!in_.claim_names_.contains(name)) continue;
      for (const auto& value : words_of(raw)) {
        if (look_under(claim_word(name, value))) return true;
      }
    }
    return false;
  }

  resolution result() const { return result_; }

 private:
  const tenant_index& in_;
  caller facts_;
  /// A tenant may be filed under several of a caller's words.
  std::unordered_set<std::size_t> seen_;
  resolution result_;
};

tenant_index::resolution tenant_index::resolve(const oauth::principal* who) const {
  if (who == nullptr || by_word_.empty()) return {};
  search s(*this, *who);
  const auto in_groups = [&] {
    return std::ranges::any_of(
        who->groups, [&s](const std::string& group) { return s.look_under(group_word(group)); });
  };
  if (by_issuer_ && s.look_under(issuer_word(who->issuer))) return s.result();
  if (by_subject_ && s.look_under(subject_word(who->subject))) return s.result();
  if (by_group_ && in_groups()) return s.result();
  if (!claim_names_.empty()) s.look_under_claims();
  return s.result();
}

}  // namespace gate::config
