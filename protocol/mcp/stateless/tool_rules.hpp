#pragma once
/// What is to be known of a tool to call it in the stateless generation, and to show it to clients
/// of the other one: found once, when its list is read, and kept with its item. Pure.
#include <cstddef>
#include <memory>
#include <string>

#include "protocol/mcp/list.hpp"
#include "protocol/mcp/stateless/param_headers.hpp"
#include "protocol/mcp/versions.hpp"

namespace gate::mcp::stateless {

struct tool_rules {
  param_headers headers;    ///< that repeat its arguments
  std::string wrapped;      ///< the item as session clients get it; empty: as it is
  bool wraps = false;       ///< … and values of the tool, which are no objects
  bool needs_task = false;  ///< it can be called as a task only

  /// Is there something that a caller has to do about it?
  bool says_how_to_call() const { return !headers.empty() || needs_task; }
};

/// The tools of a list that a server of this generation has sent. In the stateless generation,
/// those with an annotation that is not valid are left out: no client may use them. To servers of
/// the other one annotations mean nothing; what stateless clients make of valid ones holds all the
/// same. `tasks`: the server makes tasks of calls. Without sessions it does so if it likes, and
/// clients of the session generation may wish for them; with sessions its tools say what they want.
struct unusable_tools {
  std::size_t count = 0;
  std::string first, why;  ///< the first one's name, and what is wrong with it
};
unusable_tools take_rules(item_list& tools, era of, bool tasks = false);

/// Are these two items the same to everybody?
bool same_item(const list_item& a, const list_item& b);

}  // namespace gate::mcp::stateless
