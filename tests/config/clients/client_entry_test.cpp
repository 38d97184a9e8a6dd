#include "config/clients/client_entry.hpp"

#include <gtest/gtest.h>

#include "config/clients/client_file.hpp"

namespace gate::clients {
namespace {

constexpr auto url = "http://127.0.0.1:8080/mcp";

std::string with(client c, std::optional<std::string> text) {
  const auto out = with_entry(c, text, url);
  return out ? *out : "! " + out.error().what;
}

TEST(client_entries, are_read_as_what_they_mean) {
  for (const auto& [name, c] : client_names) {
    const auto at = place_of(c, "/w", "/users/a");
    const auto read = read_client_file(at.path, entry_for(c, url), "/w");
    ASSERT_TRUE(read) << name;
    ASSERT_EQ(read->servers.size(), 1U) << name;
    EXPECT_EQ(read->servers[0].name, "gate");
    const auto& one = read->servers[0];
    EXPECT_EQ(one.command.empty() ? one.url : one.command.back(), url);
    EXPECT_EQ(one.command.empty(), c != client::claude_desktop) << name;
  }
}

TEST(client_entries, come_beside_what_is_there) {
  EXPECT_EQ(with(client::cursor, R"({"x":1,"mcpServers":{"a":{"command":"b"}}})"),
            "{\"x\":1,\"mcpServers\":{\"a\":{\"command\":\"b\"},\"gate\":{\"url\":\"" +
                std::string(url) + "\"}}}\n");
  EXPECT_EQ(with(client::codex, "a = 1"),
            "a = 1\n\n[mcp_servers.gate]\nurl = \"" + std::string(url) + "\"\n");
}

TEST(client_entries, make_a_file_where_there_is_none) {
  for (const auto& [name, c] : client_names) {
    EXPECT_EQ(with(c, std::nullopt), entry_for(c, url)) << name;
    EXPECT_EQ(with(c, ""), entry_for(c, url)) << name;
  }
}

TEST(client_entries, replace_the_one_before) {
  const auto once = with(client::vs_code, R"({"servers":{"a":{"command":"b"}}})");
  EXPECT_EQ(with(client::vs_code, once), once);
}

TEST(client_entries, destroy_nothing) {
  EXPECT_EQ(with(client::vs_code, "{ // mine\n}"),
            "! it is no plain JSON (comments would be lost, for one)");
  EXPECT_EQ(with(client::cursor, "[]"), "! it is no plain JSON (comments would be lost, for one)");
  EXPECT_EQ(with(client::cursor, R"({"mcpServers":[]})"), "! its \"mcpServers\" is no object");
  EXPECT_EQ(with(client::codex, "[mcp_servers.gate]\nurl = \"x\""),
            "! it has an [mcp_servers.gate] already");
  EXPECT_EQ(with(client::codex, "mcp_servers = {a = {command = \"x\"}}"),
            "! its servers are written in a way that takes no further table");
  EXPECT_EQ(with(client::codex, "[a\n").substr(0, 10), "! no TOML:");
}

TEST(client_entries, are_told_for_each_client) {
  const auto all = snippets(url);
  for (const auto* part :
       {"claude mcp add --transport http gate http", ".cursor/mcp.json", ".vscode/mcp.json",
        "~/.codex/config.toml", "[mcp_servers.gate]", "windsurf/mcp_config.json", "serverUrl",
        "claude_desktop_config.json", "mcp-remote"})
    EXPECT_NE(all.find(part), std::string::npos) << all;
}

}  // namespace
}  // namespace gate::clients
