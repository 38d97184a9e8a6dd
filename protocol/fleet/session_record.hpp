#pragma once
/// What the instances of a fleet know of a client's session, and what they tell each other about
/// it, as bytes: pure, bounded, and read from a stranger's hand. (Vault seals them.)
///
///   a record   a byte that says which, then its fields in order; numbers are big-endian, texts
///              have their length in front (four bytes)
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/sha256.hpp"

namespace gate::fleet {

/// Whose a client's session is, and what it said of itself when it began.
struct session_record {
  sha256_digest owner{};       ///< of issuer and subject; all zero: anonymous
  std::string version;         ///< negotiated revision
  std::string capabilities{};  ///< raw object, as declared
  bool operator==(const session_record&) const = default;
};

/// A resource that it is subscribed to.
struct subscription {
  std::string uri;
  std::string upstream;  ///< its id
  bool operator==(const subscription&) const = default;
};

/// A session that an upstream has for a client.
struct bridge {
  std::string endpoint;        ///< its URL, as the configuration names it
  std::string session;         ///< the upstream's `Mcp-Session-Id`
  std::string version;         ///< the revision that was agreed on
  std::uint16_t features = 0;  ///< `mcp::server_features::bits`
  bool operator==(const bridge&) const = default;
};

/// What one instance tells another about a session that both hold, a call or task of a client
/// without one (call_record.hpp), or the stream of a call (stream_record.hpp).
struct session_word {
  enum class kind : std::uint8_t {
    joined,   ///< the sender holds it, too
    ended,    ///< its client has ended it
    bridged,  ///< an upstream has this session for it: `name` the upstream, `text` a bridge
    changed,  ///< something else of it stands in its record now
    said,     ///< its client said this (a JSON-RPC message) about what is not the sender's
    told,     ///< an upstream told its client this, who does not listen at the sender
    listens,  ///< its client listens at the sender from now on
    resumes,  ///< `text`: its client has come to the sender for the stream of a call
    // Without `session`:
    attempt,   ///< `text`: a client has come to the sender for a call that waits at the receiver
    left,      ///< `text`: and has gone
    settled,   ///< `text`: what came of it at the sender
    asks,      ///< `text`: a client has asked the sender about a task of the receiver
    streamed,  ///< `text`: a piece of a stream that the receiver has asked for
    follows,   ///< `text`: how much of such a stream its client has taken
  };
  kind what = kind::joined;
  std::uint64_t number = 0;  ///< of the sender's words to this receiver, rising
  std::string session{};     ///< its key in the store
  std::string name{};
  std::string text{};
  bool operator==(const session_word&) const = default;
};

std::string encode(const session_record& r);
std::string encode(const subscription& s);
std::string encode(const bridge& b);
std::string encode(const session_word& w);
/// Nothing if it is none, or has more than there may be of anything.
std::optional<session_record> read_session(std::string_view bytes);
std::optional<subscription> read_subscription(std::string_view bytes);
std::optional<bridge> read_bridge(std::string_view bytes);
std::optional<session_word> read_word(std::string_view bytes);
/// Is this a level that clients can name, as a raw JSON string?
bool is_log_level(std::string_view raw);

}  // namespace gate::fleet
