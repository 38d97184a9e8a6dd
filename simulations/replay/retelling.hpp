#pragma once
/// What a recorded answer is, said to another fetch: ids and progress tokens are those that this
/// one drew, keys are those of the stand-in issuer. Pure.
#include <string>
#include <string_view>

#include "protocol/recording/event.hpp"
#include "transport/interfaces.hpp"

namespace gate::replay {

/// What the gateway draws anew of a message to a server, raw; empty: it has none. `method` tells a
/// request from an answer.
struct drawn_parts {
  std::string_view method, id;
  std::string_view token, request;  ///< `progressToken` and `requestId` of its parameters
  std::string_view meta_token;      ///< `progressToken` of their `_meta`
};
drawn_parts drawn_in(std::string_view body);

/// The ids of two requests that say the same.
struct ids {
  std::string recorded, ours;                   ///< JSON-RPC ids, raw
  std::string recorded_progress, our_progress;  ///< progress tokens, raw
};
ids ids_of(std::string_view recorded_body, std::string_view our_body);

/// A message from a server, as it would have answered our request.
std::string retold(std::string_view message, const ids& between);

/// Words of the recording for what the doors say; nothing: not one of them.
fetch_end end_of(std::string_view word);
obstacle obstacle_of(std::string_view word);
media media_of(std::string_view word);
verb verb_of(std::string_view word);

}  // namespace gate::replay
