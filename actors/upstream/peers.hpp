#pragma once
/// PEERS: what the sessions of one upstream on one unit know together. It changes with every call,
/// so messages would cost one a call; it is an object of the unit's thread instead, made by
/// UPSTREAM, which hands it to each session. (What changes seldom, the guards, is told by
/// messages.) Plain; no actor reads it from another thread.
#include <memory>

#include "actors/messages/guards.hpp"
#include "actors/upstream/own_news.hpp"
#include "actors/upstream/tool_memory.hpp"
#include "actors/upstream/tool_renewals.hpp"
#include "actors/upstream/usage_order.hpp"
#include "actors/upstream/watch_table.hpp"

namespace gate::upstream {

class tenancy;

struct task_room {
  std::size_t hearings = 0;  ///< each holds a connection
  std::size_t bytes = 0;     ///< of questions and results
};

struct peers {
  /// The latest word of BREAKER; a session whose work fails knows that it is not clean any more.
  breaker_told circuit;
  /// The bridged sessions: which one goes, if the upstream has no room for another.
  usage_order<tenancy> by_use;
  /// With `protocol: auto`: it was found to have sessions, and has not failed to open one since.
  bool has_sessions = false;
  /// When a root session last heard of a changed list.
  news_times root_news;
  /// What clients want to hear of, if the server is of the stateless generation. Who changes it
  /// says `watches_changed` to UPSTREAM.
  watch_table watches;
  /// So that the log tells of an outage once, and once of its end.
  bool failing = false;
  bool nameless = false;  ///< it lists items without a name, and the log knows
  bool unusable = false;  ///< it lists tools with wrong annotations, and the log knows
  /// Of one without sessions; UPSTREAM's successor has the same.
  std::shared_ptr<tool_memory> tools = std::make_shared<tool_memory>();
  /// Who fetches them again. Who has done so says `tools_settled` to UPSTREAM, if others wait.
  tool_renewals renewals{};
  /// What sessions keep of tasks for clients of the other generation.
  task_room tasks{};
};
using peers_ptr = std::shared_ptr<peers>;

}  // namespace gate::upstream
