#pragma once
/// Lists that are shared with the fleet: one as an upstream said it, for whoever has to read it
/// once more; and what UPSTREAM is told of them by its sessions.
#include <caf/allowed_unsafe_message_type.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocol/mcp/list_kinds.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate {

struct raw_list {
  std::vector<std::string> pages;  ///< their results, raw
  /// Of the server that said so: the generation that it is spoken to in, and whether it makes tasks
  /// of calls of its tools.
  mcp::era era = mcp::era::session;
  bool makes_tasks = false;
};
using raw_list_ptr = std::shared_ptr<const raw_list>;

/// What the upstream said; null: nothing that could be kept.
struct list_read {
  std::uint64_t share = 0;
  raw_list_ptr raw;
};
/// It has changed, or may have (`certain` false).
struct list_heard {
  mcp::list_kind kind = mcp::list_kind::tools;
  bool certain = true;
  bool everybodys = false;  ///< heard by a root session: it is news for all clients
};

}  // namespace gate

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::list_read)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::list_heard)
