#pragma once
/// Stage 2's knowledge: which tokens are good, and what their callers may see. One for each ROUTER,
/// asked by a function call; the wall clock is a parameter. Keys come from the KEY SET actors.
///
///   token            its issuer       its key                     answer
///   remembered       -                -                           known
///   new              not trusted      -                           refused, before anything else
///   new              trusted          there, and all is well      known, remembered
///   new              trusted          not there, may be fetched   wants_keys
///   new              trusted          not there, was asked for    refused
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "actors/identity/sources.hpp"
#include "actors/identity/token_digests.hpp"
#include "actors/identity/token_memory.hpp"
#include "config/snapshot/snapshot.hpp"
#include "protocol/oauth/token.hpp"

namespace gate::identity {

class gatekeeper {
 public:
  using snapshot_ptr = std::shared_ptr<const config::snapshot>;

  struct answer {
    enum class state : std::uint8_t {
      known,
      refused,     ///< 401
      wants_keys,  ///< of `source`: to be asked again when it has spoken
      ambiguous,   ///< the caller belongs to several tenants
    };
    state what = state::refused;
    access_ptr access;  ///< with `known`; with `ambiguous` without a view
    std::string why;    ///< with `refused` and `ambiguous`: a sentence for the client
    std::size_t source = 0;
  };

  explicit gatekeeper(authority_ptr a);

  /// Who shows this header's token? `last_word`: the keys have been asked for already; what is
  /// still unknown is refused.
  answer identify(const http::head_ptr& head, const snapshot_ptr& snapshot, oauth::wall_time now,
                  bool last_word);
  /// The caller without a token, where none is required.
  access_ptr anonymous(const snapshot_ptr& snapshot);
  /// What the caller is under this snapshot, whatever it was under another. Whoever belongs to
  /// several tenants by now sees nothing.
  access_ptr under(const access_ptr& known, const snapshot_ptr& snapshot);
  /// What this source's keys are now; null: none can be trusted. True if a key is gone that was
  /// trusted: then some callers may be trusted no longer.
  bool take_keys(std::size_t source, oauth::key_set_ptr keys);
  /// What was found of keys while many callers are looked at, who share few of them.
  using key_verdicts = std::unordered_map<const void*, bool>;
  /// Is the key that this caller's token was signed with still one of its issuer's?
  bool trusts(const identity::access& who, key_verdicts& known) const;

  const authority& rules() const { return *authority_; }
  std::size_t remembered() const { return memory_.size(); }

 private:
  answer verify(std::string_view token, const digest& d, const snapshot_ptr& snapshot,
                oauth::wall_time now, bool last_word);
  /// Sets `why` if the tenant is ambiguous; then there is no view.
  access_ptr access_of(caller_ptr who, const snapshot_ptr& snapshot, std::string& why);
  config::view_ptr view_of(const oauth::principal* who, const config::text_list* upstreams,
                           const config::snapshot& snapshot);

  authority_ptr authority_;
  std::vector<oauth::key_set_ptr> keys_;  ///< by issuer
  token_digests digests_;
  token_memory memory_;
  /// Views of the latest snapshot that was asked about, by their keys.
  std::uint64_t generation_ = 0;
  std::unordered_map<std::string, config::view_ptr> views_;
  std::uint64_t next_view_ = 1;
  access_ptr anonymous_;
};

}  // namespace gate::identity
