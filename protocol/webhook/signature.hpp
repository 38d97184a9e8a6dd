#pragma once
/// SIGNATURE: what a delivery says of who sent it, and its header lines with all that. Pure; asked
/// for each attempt, since its time is signed with the body.
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/webhook/records.hpp"

namespace gate::webhook {

/// Lowercase hex of HMAC-SHA-256(secret as it is written, body): `X-Gate-Signature`.
std::string hex_signature(std::string_view secret, std::string_view body);

/// `v1,` and the base64 of HMAC-SHA-256(key of the secret, `id.seconds.body`): one signature of
/// `webhook-signature` (Standard Webhooks 1.0.0).
std::string standard_signature(std::string_view secret, std::string_view id, std::int64_t seconds,
                               std::string_view body);

struct signatures {
  std::string gate;      ///< by the secret that is; empty without one
  std::string standard;  ///< a signature for each secret that is valid, by spaces; or empty
};
/// At `now` the secret before a rotation signs, too, if its time is not over.
signatures sign(const webhook& by, std::string_view event_id, wall_time now, std::string_view body);

/// Who delivers what, for the receiver.
struct delivered {
  std::string_view event_id, delivery_id;
  std::uint32_t attempt = 1;  ///< counted from 1
};
/// All header lines of an attempt but Host and Content-Length, each ending in CRLF. Ids are ours or
/// were read (requests.hpp): none ends a line.
std::string header_lines(const webhook& by, const delivered& what, wall_time now,
                         std::string_view body);

}  // namespace gate::webhook
