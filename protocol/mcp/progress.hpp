#pragma once
/// Progress tokens (MCP 2025-11-25 /basic/utilities/progress): found in what a client or a server
/// says, and replaced without touching another byte. Whoever sends a request chooses its token, so
/// two clients may choose the same: what they send to a server that they share carries ours.
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"

namespace gate::mcp {

/// The raw value of `progressToken` in an object (raw): `_meta` of a request, params of a
/// notification. Empty if there is none, or if it is neither a string nor a number. Refused: a
/// second one; a key that a decoder which ignores case takes for one; more than
/// `limits::progress_token_bytes`.
result<std::string_view> read_progress_token(std::string_view raw_object);

/// A request in four pieces, as it is sent.
struct request_pieces {
  std::string before;
  std::string_view first, second;
  std::string after;
};

/// `head` + `first` + `second` + `tail` with `ours` in the place of `part`, which is a part of
/// `first` or of `second`: the token, or what the token is in. Of these only what is on one side of
/// it is copied, the shorter one if possible; or what is in front, if that is short.
request_pieces replace_part(std::string head, std::string_view first, std::string_view second,
                            std::string_view tail, std::string_view part, std::string_view ours);

}  // namespace gate::mcp
