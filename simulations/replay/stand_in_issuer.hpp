#pragma once
/// Tokens and keys for a replay: a recording has what tokens said, never the tokens. STAND-IN
/// ISSUER signs the same claims again, and its keys stand in for those of every issuer, under their
/// names. They are made when they are needed, and are worth nothing elsewhere.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace gate::replay {

class stand_in_issuer {
 public:
  /// `published`: ids of keys in recorded sets. A token that names another one was signed by the
  /// gateway itself, whose key is ours here and has another id.
  explicit stand_in_issuer(std::set<std::string> published = {})
      : published_(std::move(published)) {}

  /// A token whose header and claims are those of `told` (the member `token` of a recorded
  /// request); nothing if it had none. `good`: false, and it is signed with a key that nobody
  /// publishes.
  std::optional<std::string> token(std::string_view told, bool good = true);
  /// The recorded key set with keys of ours: the same `kid`, `alg`, `use` and kind of each.
  std::string key_set(std::string_view recorded);
  /// What the environment holds for the name of a key: a private key (EC, P-256) in PEM.
  const std::string& private_key();
  /// For any other name: what a header may carry, and is as long as any secret has to be.
  static constexpr std::string_view secret = "a-stand-in-for-a-secret-of-the-environment";

 private:
  std::map<std::string, std::string, std::less<>> tokens_;  ///< by what they say
  std::set<std::string> published_;
  std::string private_key_;
};

/// The ids of its keys.
void add_key_ids(std::string_view key_set, std::set<std::string>& to);
/// Is it a set of keys?
bool is_key_set(std::string_view body);

}  // namespace gate::replay
