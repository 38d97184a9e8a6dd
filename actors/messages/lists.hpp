#pragma once
/// A list as an upstream said it, for whoever has to read it once more.
#include <memory>
#include <string>
#include <vector>

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

}  // namespace gate
