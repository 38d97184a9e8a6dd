#pragma once
/// What the store is asked about sessions of clients, and what it answers: keys, scripts and
/// fields. Pure.
///
///   key                          what is there
///   gate:{session:<digest>}      a hash, of the session with an id of this digest
///   gate:{fleet}:key             what the fleet's key is derived from, unless a variable says it
///   gate:{instance:<name>}       the channel of one
///
///   field of a session           what it is
///   `c`, `l`                     the client's part, its log level; sealed
///   `s:<name>`                   a subscription each; sealed
///   `u:<upstream>`               what that has open for it; sealed
///   `i:<instance>`               who holds it: when it said so last (seconds, store clock)
///   `x`                          alone: its client has ended it
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/fleet/session_record.hpp"
#include "protocol/fleet/vault.hpp"
#include "transport/interfaces.hpp"

namespace gate::fleet {

std::string session_key(const sha256& digest, std::string_view id);
std::string instance_channel(std::string_view name);
/// Sixteen bytes, as text; and back: false, if it is none.
std::string name_of_instance(const std::array<std::uint8_t, 16>& random);
bool read_instance(std::string_view name, std::array<std::uint8_t, 16>& to);
/// Of issuer and subject; empty texts: nobody's.
sha256_digest owner_digest(const sha256& digest, std::string_view issuer, std::string_view subject);

/// An empty value: the field is to go.
using named_fields = std::vector<std::pair<std::string, std::string>>;
inline constexpr std::string_view client_field = "c", level_field = "l";
std::string bridge_field(std::string_view upstream);
/// Nobody can tell of which resource.
std::string subscription_field(const vault& by, std::string_view key, std::string_view uri);
std::string holder_field(std::string_view instance);
/// What a field of a session is sealed as.
std::string about_field(std::string_view key, std::string_view field);
/// What a word is sealed as.
std::string about_word(std::string_view from, std::string_view to);

/// What came of `keep_session`.
enum class kept : std::uint8_t {
  done,
  none,   ///< there is no such session, and nothing was done
  ended,  ///< its client has ended it, and nothing was done
};

/// Sets these fields of a session and keeps it for so long; this instance holds it. One that is not
/// there is made only if it is `fresh`.
store_request keep_session(std::uint64_t id, const std::string& key, std::chrono::milliseconds ttl,
                           bool fresh, std::string_view instance, named_fields fields);
/// Nothing: this is no answer.
std::optional<kept> read_kept(const store_told& m);
/// This instance holds it no more. If nobody else does, or none that has said so within `alive`, it
/// is gone. `missing`: there was no record when it was asked last.
store_request release_session(std::uint64_t id, const std::string& key, std::string_view instance,
                              std::chrono::seconds alive, bool missing = false);
/// The same of one that has only looked: whatever else holds it or does not, it stays.
store_request forget_look(std::uint64_t id, const std::string& key, std::string_view instance);
/// Answers all fields of a session, but for those who have not said within `alive` that they hold
/// it: they do not any more. If there is one, the instance is among those that hold it from then
/// on: of two that look, one knows of the other.
store_request look_for_session(std::uint64_t id, const std::string& key, std::string_view instance,
                               std::chrono::seconds alive);
/// Its client has ended it; so long the store says so, to whoever holds it and has not heard.
store_request end_session(std::uint64_t id, const std::string& key, std::chrono::milliseconds ttl);
/// Answers the text that counts: this one, if there was none.
store_request agree_on_key(std::uint64_t id, std::string_view proposal);

/// The texts of the scripts, for stores that are none.
std::string_view keep_session_script();
std::string_view look_for_session_script();
std::string_view release_session_script();
std::string_view end_session_script();
std::string_view agree_on_key_script();

/// A session as a look found it.
using instances = std::set<std::string, std::less<>>;
using upstream_bridges = std::map<std::string, bridge, std::less<>>;
struct found_session {
  enum class state : std::uint8_t { none, ended, broken, whole } what = state::none;
  session_record record;
  std::string log_level{};
  std::map<std::string, std::string, std::less<>> subscriptions{};  ///< the upstream's id, by URI
  upstream_bridges bridges{};
  instances holders{};
};
/// A field that does not open takes the session with it only if it is the client's part.
found_session read_found(const resp::value& answer, std::string_view key, const vault& by);
/// What came of `release_session`.
struct released {
  enum class state : std::uint8_t {
    unknown,  ///< the store has not said
    held,     ///< somebody else holds it
    waits,    ///< nobody does who is there: it is to be asked again after this time
    missing,  ///< there is no record. The store may have lost it, and whoever uses the session
              ///< writes it anew: it is to be asked again after this time, and once only
    last,     ///< nobody does: it is gone, and upstreams have these open for it
  } what = state::unknown;
  std::chrono::seconds wait{0};
  upstream_bridges open{};
};
released read_released(const store_told& m, std::string_view key, const vault& by);
/// Of an answer to a look only who holds it: those who said so last, if there are too many.
instances read_holders(const resp::value& answer);

}  // namespace gate::fleet
