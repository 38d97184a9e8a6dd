#pragma once
/// Values of tools that are no objects, for clients of the session generation: there,
/// `structuredContent` is an object, and so is what `outputSchema` describes (MCP 2025-11-25
/// /server/tools); a client refuses the whole list for one tool that says otherwise. In the
/// stateless generation it may be any value. Such a value `v` becomes `{"result":v}`, and its
/// schema that of such an object. Everything else stays byte for byte. Pure.
#include <optional>
#include <string>
#include <string_view>

namespace gate::mcp::stateless {

/// A tool (raw) as session clients get it; nothing: as it is, its values are objects or it says
/// nothing of them. References of the schema to places in itself follow it to its new place.
std::optional<std::string> wrap_tool(std::string_view raw_tool);

/// Of a result of `tools/call`, raw; empty: it is not there. One walk finds all of it.
struct tool_result {
  explicit tool_result(std::string_view raw_result);
  std::string_view type, value, content;  ///< `resultType`, `structuredContent`, `content`
};

/// A result of `tools/call` (raw), of which this was found, as session clients get it; nothing: as
/// it is. `wrapped`: the tool was shown with a wrapped schema; else only what is no object is.
/// Whoever does not know structured content finds it as text, if there is no other content.
std::optional<std::string> wrap_result(std::string_view raw_result, const tool_result& found,
                                       bool wrapped);

}  // namespace gate::mcp::stateless
