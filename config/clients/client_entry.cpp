#include "config/clients/client_entry.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "config/clients/json_print.hpp"
#include "config/clients/toml.hpp"

namespace gate::clients {
namespace {

namespace json = boost::json;

constexpr const char* entry_name = "gate";

json::object entry_of(client c, std::string_view url) {
  // Who starts servers as well is told what this one is.
  switch (c) {
    case client::cursor:
      return {{"url", url}};
    case client::windsurf:
      return {{"serverUrl", url}};
    case client::claude_desktop:
      return {{"command", "npx"}, {"args", json::array{"-y", "mcp-remote", url}}};
    default:
      return {{"type", "http"}, {"url", url}};
  }
}

const char* table_of(client c) {
  return c == client::vs_code ? "servers" : "mcpServers";
}

std::string toml_entry(std::string_view url) {
  return "[mcp_servers.gate]\nurl = \"" + std::string(url) + "\"\n";
}

result<std::string> with_toml(const std::string& text, std::string_view url) {
  const auto read = read_toml(text);
  if (!read) return read.error();
  if (const auto* servers = read->if_contains("mcp_servers");
      servers && servers->is_object() && servers->as_object().contains(entry_name))
    return problem{"it has an [mcp_servers.gate] already"};
  auto out = text;
  if (!out.empty()) out += out.ends_with('\n') ? "\n" : "\n\n";
  out += toml_entry(url);
  // (Servers in an inline table take no further ones.)
  if (const auto again = read_toml(out); !again)
    return problem{"its servers are written in a way that takes no further table"};
  return {boost::system::in_place_value, std::move(out)};
}

}  // namespace

client_place place_of(client c, std::string_view workspace, std::string_view home) {
  const std::string w(workspace), h(home);
  switch (c) {
    case client::claude:
      return {"Claude Code", w + "/.mcp.json"};
    case client::cursor:
      return {"Cursor", w + "/.cursor/mcp.json"};
    case client::vs_code:
      return {"VS Code", w + "/.vscode/mcp.json"};
    case client::codex:
      return {"Codex", h + "/.codex/config.toml"};
    case client::windsurf:
      return {"Windsurf", h + "/.codeium/windsurf/mcp_config.json"};
    case client::claude_desktop:
      return {"Claude Desktop", h + "/.config/Claude/claude_desktop_config.json"};
  }
  return {};
}

std::string entry_for(client c, std::string_view url) {
  if (c == client::codex) return toml_entry(url);
  const json::object whole{{table_of(c), json::object{{entry_name, entry_of(c, url)}}}};
  return printed(whole) + '\n';
}

result<std::string> with_entry(client c, const std::optional<std::string>& text,
                               std::string_view url) {
  if (c == client::codex) return with_toml(text.value_or(""), url);
  if (!text || text->find_first_not_of(" \t\r\n") == text->npos)
    return {boost::system::in_place_value, entry_for(c, url)};
  boost::system::error_code bad;
  auto read = json::parse(*text, bad);
  if (bad || !read.is_object())
    return problem{"it is no plain JSON (comments would be lost, for one)"};
  auto& servers = read.as_object()[table_of(c)];
  if (servers.is_null()) servers = json::object();
  if (!servers.is_object()) return problem{std::string("its \"") + table_of(c) + "\" is no object"};
  servers.as_object()[entry_name] = entry_of(c, url);
  return {boost::system::in_place_value, printed(read) + '\n'};
}

std::string snippets(std::string_view url) {
  std::string out =
      "Claude Code\n\n    claude mcp add --transport http gate " + std::string(url) + "\n";
  for (const auto& [name, c] : client_names) {
    if (c == client::claude) continue;
    const auto at = place_of(c, {}, "~");
    out += "\n" + std::string(at.title) + ", " + at.path.substr(at.path.starts_with('/') ? 1 : 0) +
           "\n\n";
    const auto entry = entry_for(c, url);
    for (std::size_t from = 0; from < entry.size();) {
      const auto end = entry.find('\n', from);
      out += "    " + entry.substr(from, end - from) + "\n";
      from = end + 1;
    }
  }
  return out;
}

}  // namespace gate::clients
