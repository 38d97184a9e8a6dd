// Files of clients, in JSON (config/clients/client_file) and TOML (config/clients/toml).
#include "config/clients/client_file.hpp"

#include <gtest/gtest.h>

#include "protocol/limits/client_files.hpp"

namespace gate::clients {
namespace {

using words = std::vector<std::string>;

client_file read(std::string_view path, std::string_view text, std::string_view workspace = "/w") {
  auto out = read_client_file(path, text, workspace);
  EXPECT_TRUE(out) << (out ? "" : out.error().what);
  return out ? *out : client_file{};
}

std::string refusal(std::string_view path, std::string_view text) {
  const auto out = read_client_file(path, text, "/w");
  return out ? "read" : out.error().what;
}

TEST(client_files, of_claude_desktop) {
  const auto f = read("/users/a/.config/Claude/claude_desktop_config.json",
                      R"({"mcpServers":{"files":{"command":"npx","args":["-y","server","/tmp"],
                          "env":{"A":"1","N":7,"B":true,"Z":null}}},"globalShortcut":"x"})");
  EXPECT_EQ(f.of, family::claude_desktop);
  ASSERT_EQ(f.servers.size(), 1U);
  const auto& s = f.servers[0];
  EXPECT_EQ(s.name, "files");
  EXPECT_EQ(s.pointer, "/mcpServers/files");
  EXPECT_EQ(s.command, (words{"npx", "-y", "server", "/tmp"}));
  EXPECT_EQ(s.environment, (named_values{{"A", "1"}, {"N", "7"}, {"B", "true"}}));
  EXPECT_TRUE(s.url.empty());
  EXPECT_TRUE(f.problems.empty());
}

TEST(client_files, of_claude_code_with_the_folder_that_one_works_in) {
  const auto f = read("/users/a/.claude.json",
                      R"({"mcpServers":{"one":{"type":"http","url":"https://a/mcp",
                            "headers":{"Authorization":"Bearer ${T}"}}},
                          "projects":{"/w":{"mcpServers":{"two":{"type":"stdio","command":"b"}}},
                                      "/v":{"mcpServers":{"three":{"command":"c"}}}}})");
  EXPECT_EQ(f.of, family::claude_code);
  ASSERT_EQ(f.servers.size(), 2U);
  // What is for this folder alone goes first: of two with one name it is the one that counts.
  EXPECT_EQ(f.servers[0].name, "two");
  EXPECT_EQ(f.servers[0].pointer, "/projects/~1w/mcpServers/two");
  EXPECT_EQ(f.servers[1].url, "https://a/mcp");
  EXPECT_EQ(f.servers[1].headers, (named_values{{"Authorization", "Bearer ${T}"}}));
}

TEST(client_files, of_vs_code_with_comments_and_inputs) {
  const auto f = read("/w/.vscode/mcp.json", R"({
    // what is asked for
    "inputs": [{"type":"promptString","id":"key","description":"API key","password":true},
               {"type":"pickString","id":"zone","options":["a","b"],"default":"a"},],
    "servers": {"x": {"type":"stdio","command":"run","cwd":"${workspaceFolder}",
                      "envFile":".env",},},
  })");
  EXPECT_EQ(f.of, family::vs_code);
  ASSERT_EQ(f.inputs.size(), 2U);
  EXPECT_EQ(f.inputs[0].question, "API key");
  EXPECT_TRUE(f.inputs[0].secret);
  EXPECT_EQ(f.inputs[1].choices, (words{"a", "b"}));
  EXPECT_EQ(f.inputs[1].otherwise, "a");
  ASSERT_EQ(f.servers.size(), 1U);
  EXPECT_EQ(f.servers[0].environment_file, ".env");
  EXPECT_EQ(f.servers[0].directory, "${workspaceFolder}");
}

TEST(client_files, of_windsurf_and_cursor_and_any_other) {
  EXPECT_EQ(read("mcp_config.json", R"({"mcpServers":{"a":{"serverUrl":"https://a/mcp"}}})")
                .servers.at(0)
                .url,
            "https://a/mcp");
  EXPECT_EQ(read("/w/.cursor/mcp.json", R"({"mcpServers":{"a":{"url":"https://a/mcp"}}})").of,
            family::cursor);
  EXPECT_EQ(read("mcp.json", R"({"mcpServers":{"a":{"httpUrl":"https://a/mcp"}}})").of,
            family::any);
  EXPECT_EQ(read("settings.json", R"({"mcp":{"servers":{"a":{"command":"b"}}}})").servers.size(),
            1U);
}

TEST(client_files, of_codex) {
  const auto f = read("/users/a/.codex/config.toml", R"(
model = "x"
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"]
startup_timeout_ms = 20_000
env_vars = ["HOST", { name = "THERE", source = "remote" }, { name = "HERE", source = "local" }]
disabled_tools = ["erase"]
[mcp_servers.docs.env]
KEY = "v"
[mcp_servers.figma]
url = "https://figma/mcp"
bearer_token_env_var = "FIGMA"
http_headers = { "X-Region" = "eu" }
env_http_headers = { "X-Key" = "KEY" }
[mcp_servers.off]
command = "x"
enabled = false
)");
  EXPECT_EQ(f.of, family::codex);
  ASSERT_EQ(f.servers.size(), 2U);
  EXPECT_EQ(f.servers[0].command, (words{"npx", "-y", "docs"}));
  EXPECT_EQ(f.servers[0].environment, (named_values{{"KEY", "v"}}));
  EXPECT_EQ(f.servers[0].inherited, (words{"HOST", "HERE"}));
  ASSERT_EQ(f.servers[0].remarks.size(), 1U);
  EXPECT_NE(f.servers[0].remarks[0].find("disabled_tools"), std::string::npos);
  EXPECT_EQ(f.servers[1].headers, (named_values{{"X-Region", "eu"}}));
  EXPECT_EQ(
      f.servers[1].variable_headers,
      (std::vector<variable_header>{{"Authorization", "Bearer ", "FIGMA"}, {"X-Key", {}, "KEY"}}));
}

TEST(client_files, of_claude_code_say_what_is_switched_off_in_a_folder) {
  const auto f = read("/users/a/.claude.json", R"({"mcpServers":{"a":{"command":"x"},
    "b":{"command":"x"}}, "projects":{"/w/project":{"mcpServers":{"c":{"command":"x"},
    "d":{"command":"x"}}, "disabledMcpServers":["b","c",7]},
    "/other":{"disabledMcpServers":["a"]}}})",
                      "/w/project");
  ASSERT_EQ(f.servers.size(), 2U);
  EXPECT_EQ(f.servers[0].name, "d");
  EXPECT_EQ(f.servers[1].name, "a");
}

TEST(client_files, what_one_entry_lacks_is_its_own_problem) {
  const auto f = read("mcp.json", R"({"mcpServers":{
    "none":{}, "both":{"command":"a","url":"https://a"}, "number":{"command":7},
    "args":{"args":["a"]}, "list":{"command":"a","args":"b"}, "text":"a", "empty":{"command":""},
    "old":{"type":"sse","url":"https://a/sse"}, "env":{"command":"a","env":{"A":{}}},
    "off":{"disabled":true,"command":7}, "good":{"command":"a"}}})");
  ASSERT_EQ(f.servers.size(), 1U);
  EXPECT_EQ(f.servers[0].name, "good");
  words seen;
  for (const auto& p : f.problems) seen.push_back(to_line(p).substr(0, 62));
  EXPECT_EQ(seen, (words{"/mcpServers/none: the entry has neither \"command\" nor \"url\"",
                         "/mcpServers/both/url: the entry has a command as well; a serve",
                         "/mcpServers/number/command: expected a string, found a number",
                         "/mcpServers/args/args: there is no \"command\" that these could ",
                         "/mcpServers/list/args: expected a list of strings, found a str",
                         "/mcpServers/text: expected an object",
                         "/mcpServers/empty/command: expected the name of a program, fou",
                         "/mcpServers/old/type: \"sse\" is the HTTP+SSE transport, which M",
                         "/mcpServers/env/env: expected an object of strings, found an o"}));
}

TEST(client_files, that_are_none) {
  EXPECT_EQ(refusal("mcp.json", "{\n\n\"mcpServers\": }").substr(0, 12), "no JSON: syn");
  EXPECT_NE(refusal("mcp.json", "{\n\n\"mcpServers\": }").find("line 3"), std::string::npos);
  EXPECT_EQ(refusal("mcp.json", "[]"), "expected an object");
  EXPECT_NE(refusal("mcp.json", "{} {}").find("something follows its end"), std::string::npos);
  EXPECT_NE(refusal("mcp.json", "").find("no JSON"), std::string::npos);
  EXPECT_NE(refusal("mcp.json", "{}").find("lists no MCP servers"), std::string::npos);
  EXPECT_NE(refusal("config.toml", "[a\nb").find("no TOML: "), std::string::npos);
  EXPECT_NE(refusal("config.toml", "a = 1\nb").find("line 2"), std::string::npos);
  EXPECT_NE(refusal("mcp.json", std::string(5000, '[')).find("no JSON"), std::string::npos);
  EXPECT_NE(refusal("config.toml", "a = " + std::string(5000, '[')).find("no TOML"),
            std::string::npos);
}

TEST(client_files, more_servers_than_there_may_be_are_left_out) {
  std::string text = R"({"mcpServers":{)";
  for (std::size_t i = 0; i < limits::client_servers + 3; ++i)
    text += (i ? ",\"s" : "\"s") + std::to_string(i) + R"(":{"command":"a"})";
  const auto f = read("mcp.json", text + "}}");
  EXPECT_EQ(f.servers.size(), limits::client_servers);
  ASSERT_EQ(f.problems.size(), 1U);
  EXPECT_NE(f.problems[0].what.find("that is the most"), std::string::npos);
}

TEST(client_files, a_byte_order_mark_is_no_mistake) {
  EXPECT_EQ(
      read("mcp.json", "\xef\xbb\xbf{\"mcpServers\":{\"a\":{\"command\":\"b\"}}}").servers.size(),
      1U);
}

TEST(client_files, a_document_of_gate_is_known_by_its_upstreams) {
  EXPECT_TRUE(is_gate_document(R"({"upstreams":[]})"));
  EXPECT_FALSE(is_gate_document(R"({"mcpServers":{}})"));
  EXPECT_FALSE(is_gate_document("no"));
}

}  // namespace
}  // namespace gate::clients
