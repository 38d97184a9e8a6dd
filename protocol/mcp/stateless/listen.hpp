#pragma once
/// `subscriptions/listen` (MCP 2026-07-28 /basic/patterns/subscriptions): what a client wants to
/// hear on one stream, and what it is told of that. Pure; stages 4 and 7 of the pipeline, and
/// ROUTER's streams.
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.hpp"
#include "protocol/mcp/server_features.hpp"

namespace gate::mcp::stateless {

struct listen_filter {
  server_features lists;          ///< that the lists of these have changed
  std::vector<std::string> uris;  ///< that these resources were updated
};

/// Reads `params.notifications` (raw). Refused, with a sentence: it is no object, a member of the
/// wrong type, more URIs than `limits::session_subscriptions`, a URI longer than
/// `limits::uri_bytes`. What it does not know it leaves out, and so does the acknowledgement.
result<listen_filter> read_filter(std::string_view raw_notifications);

/// Without what servers that can do `features` have nothing to say about.
void restrict_to(listen_filter& filter, server_features features);

/// May this notification go out on such a stream?
bool wants(const listen_filter& filter, std::string_view method);

/// The first message of the stream, as it goes out: what is honoured.
std::string acknowledgement(const listen_filter& honoured, std::string_view raw_id);
/// The last one: it has ended in order.
std::string conclusion(std::string_view raw_id);

}  // namespace gate::mcp::stateless
