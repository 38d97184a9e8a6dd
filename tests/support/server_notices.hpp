#pragma once
/// Every notification that servers send: those that tell of a changed list from the table of lists,
/// the others by name; and one that no protocol has.
#include <algorithm>
#include <string_view>
#include <vector>

#include "protocol/mcp/list_kinds.hpp"
#include "protocol/mcp/method_names.hpp"

namespace gate::sim {

inline std::vector<std::string_view> server_notices() {
  std::vector<std::string_view> out{
      mcp::names::progress,         mcp::names::message,
      mcp::names::cancelled,        mcp::names::resource_updated,
      "notifications/tasks/status", "notifications/elicitation/complete",
      "notifications/no/such"};
  for (const auto& list : mcp::lists)
    if (!list.change_notice.empty() &&
        std::find(out.begin(), out.end(), list.change_notice) == out.end())
      out.push_back(list.change_notice);
  return out;
}

}  // namespace gate::sim
