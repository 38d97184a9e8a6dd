#pragma once
/// Who the gateway says it is (MCP `Implementation`), raw JSON: to its clients, in `initialize`,
/// `server/discover` and results; and to upstreams, as their client.
#include <string_view>

namespace gate::mcp {

inline constexpr std::string_view server_info =
    R"({"name":"gate","title":"gate MCP gateway","version":")" GATE_VERSION R"("})";
inline constexpr std::string_view client_info =
    R"({"name":"gate","version":")" GATE_VERSION R"("})";

}  // namespace gate::mcp
