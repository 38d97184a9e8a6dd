#pragma once
/// Tenants: which group of principals a verified caller belongs to. Compiled with the snapshot.
///
/// A tenant is filed under words that a token must have one of for the tenant to be meant at all
/// (a claim with its value, a group, a subject, an issuer); under those that the fewest tenants
/// share, if there is a choice. A caller is asked for his words, and only tenants filed under them
/// are looked at; so ten thousand cost what ten do.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "config/document.hpp"
#include "config/text_hash.hpp"
#include "protocol/oauth/principal.hpp"

namespace gate::config {

class tenant_index {
 public:
  tenant_index() = default;
  explicit tenant_index(const std::vector<tenant>& tenants);

  enum class state : std::uint8_t {
    none,  ///< of no tenant, or anonymous
    found,
    ambiguous,  ///< of several: refused, since limits and visibility would be a guess
  };
  struct resolution {
    state what = state::none;
    std::size_t index = 0;  ///< into the document's tenants, with `found`
    std::size_t other = 0;  ///< with `ambiguous`: another one beside `index`, and after it
  };
  /// Null `who`: anonymous. Linear in the token.
  resolution resolve(const oauth::principal* who) const;

 private:
  template <class T>
  using by_text = std::unordered_map<std::string, T, text_hash, std::equal_to<>>;
  using indexes = std::vector<std::size_t>;
  class search;

  void file(std::size_t index, const std::vector<std::string>& words);

  std::vector<subjects> tenants_;
  by_text<indexes> by_word_;
  /// Of the claims that words are made of, and whether other kinds occur at all.
  std::unordered_set<std::string, text_hash, std::equal_to<>> claim_names_;
  bool by_subject_ = false;
  bool by_group_ = false;
  bool by_issuer_ = false;
};

}  // namespace gate::config
