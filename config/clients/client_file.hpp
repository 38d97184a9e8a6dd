#pragma once
/// Reads the files in which MCP clients list their servers: `mcp.json` of Cursor, VS Code and
/// others, `.mcp.json` and `~/.claude.json` of Claude Code, `claude_desktop_config.json`,
/// `mcp_config.json` of Windsurf, `config.toml` of Codex. Whose file it is shows by its name and by
/// what stands in it. JSON may have comments and commas before closing brackets, as these clients
/// take it. Pure.
#include <string>
#include <string_view>
#include <vector>

#include "config/clients/server_entry.hpp"
#include "protocol/base/result.hpp"

namespace gate::clients {

/// Errors are of the file as a whole: it can not be read, or lists no servers at all. What one
/// entry lacks is a problem of that entry. `workspace`: the folder whose own servers
/// `~/.claude.json` may list, absolute.
result<client_file> read_client_file(std::string_view path, std::string_view text,
                                     std::string_view workspace);

/// Servers of a folder's `.mcp.json` that whoever uses Claude Code has switched off: `text` is that
/// of `~/.claude.json`, or of the folder's `.claude/settings.json` or
/// `.claude/settings.local.json`. Nothing if it is none of these.
std::vector<std::string> switched_off(std::string_view text, std::string_view workspace);

/// Does the text look like a document of gate itself?
bool is_gate_document(std::string_view text);

}  // namespace gate::clients
