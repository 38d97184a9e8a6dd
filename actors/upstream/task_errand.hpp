#pragma once
/// A call about a task, between a client of one generation and a server of the other: what the
/// server is asked meanwhile in the place of what the client has asked. Plain data of a piece of
/// work.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "protocol/mcp/versions.hpp"

namespace gate::upstream {

struct task_errand {
  mcp::era server = mcp::era::session;  ///< the generation that it is asked in
  /// What is asked now; empty: the call itself, as a task or about one.
  std::string_view method;  ///< of static storage
  std::string params;       ///< raw object
  std::string id;           ///< of the task, raw; empty: the call is to become one
  std::uint32_t legs = 0;   ///< requests beyond the first
  bool translated = false;  ///< its answer is in the words of the client's generation
  bool cancels = false;     ///< the server was asked to
  bool pausing = false;     ///< nothing is asked at the moment
  /// Keys (raw) of the task's questions that its client has answered.
  std::set<std::string, std::less<>> answered;
  /// The task as the server has told it, while its question is waited for.
  std::string shown;
};

}  // namespace gate::upstream
