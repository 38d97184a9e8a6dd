#include "shim/up/gather.hpp"

#include <gtest/gtest.h>

#include <map>

namespace gate::up {
namespace {

using words = std::vector<std::string>;

struct place {
  std::map<std::string, std::string> files;
  words asked;

  situation at() {
    situation out;
    out.known.variable = [](std::string_view name) -> std::optional<std::string> {
      return name == "A" ? std::optional<std::string>("one") : std::nullopt;
    };
    out.known.workspace = "/w";
    out.known.home = "/users/a";
    out.read = [this](const std::string& file) -> result<std::string> {
      const auto it = files.find(file);
      if (it == files.end()) return problem{"can not read " + file};
      return {boost::system::in_place_value, it->second};
    };
    out.ask = [this](const std::string& file,
                     const clients::input& what) -> std::optional<std::string> {
      asked.push_back(file + " " + what.id);
      return "answer";
    };
    return out;
  }
};

words ids_of_servers(const gathered& g) {
  words out;
  for (const auto& s : g.servers) out.push_back(s.id);
  return out;
}

TEST(gathering, takes_the_servers_of_all_files_that_are_given) {
  place p;
  p.files = {
      {"a.json", R"({"mcpServers":{"One":{"command":"x"},"two":{"command":"${A}"}}})"},
      {"b.json", R"({"mcpServers":{"two":{"command":"z"},"three":{"url":"https://t/mcp"}}})"}};
  const auto g = gather({"a.json", "b.json"}, p.at());
  ASSERT_TRUE(g);
  EXPECT_EQ(ids_of_servers(*g), (words{"one", "two", "three"}));
  EXPECT_EQ(g->servers[1].entry.command, words{"one"});
  EXPECT_EQ(g->files, (words{"a.json", "b.json"}));
  EXPECT_EQ(g->problems,
            words{"b.json: /mcpServers/two: there is a server of that name already, of "
                  "a.json: /mcpServers/two"});
}

TEST(gathering, leaves_out_what_can_not_be_started_and_says_why) {
  place p;
  p.files = {{"a.json", R"({"mcpServers":{"unset":{"command":"${B}"},
               "name":{"command":"x","env":{"A,B":"1"}},"file":{"command":"x","envFile":"no.env"},
               "good":{"command":"x"}}})"}};
  const auto g = gather({"a.json"}, p.at());
  ASSERT_TRUE(g);
  EXPECT_EQ(ids_of_servers(*g), words{"good"});
  EXPECT_EQ(
      g->problems,
      (words{"a.json: /mcpServers/unset: the variable B is not set: export B=… before you start "
             "gate-up",
             "a.json: /mcpServers/name: an environment variable can not be called \"A,B\"",
             "a.json: /mcpServers/file: envFile: can not read /w/no.env"}));
}

TEST(gathering, reads_environment_files_whose_values_the_entry_may_replace) {
  place p;
  p.files = {{"/w/.vscode/mcp.json",
              R"({"servers":{"x":{"command":"y","envFile":"${workspaceFolder}/.env",
                                "env":{"K":"own"}}}})"},
             {"/w/.env", "K=file\nL=file"}};
  const auto g = gather({"/w/.vscode/mcp.json"}, p.at());
  ASSERT_TRUE(g && g->servers.size() == 1);
  EXPECT_EQ(g->servers[0].entry.environment,
            (clients::named_values{{"K", "file"}, {"L", "file"}, {"K", "own"}}));
}

TEST(gathering, a_file_of_a_folder_is_about_that_folder) {
  place p;
  p.files = {
      {"p/.vscode/mcp.json",
       R"({"servers":{"x":{"command":"${workspaceFolder}/run","envFile":".env"},
                             "y":{"command":"y","cwd":"sub"}}})"},
      {"/w/p/.env", "K=1"},
      {"/users/a/.cursor/mcp.json", R"({"mcpServers":{"z":{"command":"${workspaceFolder}/z"}}})"}};
  auto g = gather({"p/.vscode/mcp.json"}, p.at());
  ASSERT_TRUE(g && g->servers.size() == 2);
  EXPECT_EQ(g->servers[0].entry.command, words{"/w/p/run"});
  EXPECT_EQ(g->servers[0].entry.environment, (clients::named_values{{"K", "1"}}));
  EXPECT_EQ(g->servers[0].entry.directory, "/w/p");
  EXPECT_EQ(g->servers[1].entry.directory, "/w/p/sub");
  p.files["../v/.vscode/mcp.json"] = R"({"servers":{"x":{"command":"${workspaceFolder}/run"}}})";
  g = gather({"../v/.vscode/mcp.json"}, p.at());
  ASSERT_TRUE(g && g->servers.size() == 1);
  EXPECT_EQ(g->servers[0].entry.command, words{"/v/run"});
  // What is the user's is about where one works.
  g = gather({"/users/a/.cursor/mcp.json"}, p.at());
  ASSERT_TRUE(g && g->servers.size() == 1);
  EXPECT_EQ(g->servers[0].entry.command, words{"/w/z"});
  EXPECT_EQ(g->servers[0].entry.directory, "");
}

TEST(gathering, leaves_out_what_claude_code_has_switched_off_in_the_folder) {
  place p;
  p.files = {{".mcp.json", R"({"mcpServers":{"a":{"command":"x"},"b":{"command":"x"},
                                             "c":{"command":"x"},"d":{"command":"x"}}})"},
             {"/users/a/.claude.json",
              R"({"projects":{"/w":{"disabledMcpjsonServers":["a"]},
                              "/other":{"disabledMcpjsonServers":["d"]}}})"},
             {"/w/.claude/settings.json", R"({"disabledMcpjsonServers":["b",7]})"},
             {"/w/.claude/settings.local.json", R"(no JSON)"}};
  const auto g = gather({".mcp.json"}, p.at());
  ASSERT_TRUE(g);
  EXPECT_EQ(ids_of_servers(*g), (words{"c", "d"}));
  EXPECT_EQ(g->beside, (words{"/users/a/.claude.json", "/w/.claude/settings.json",
                              "/w/.claude/settings.local.json"}));
}

TEST(gathering, asks_for_what_is_used) {
  place p;
  p.files = {{"mcp.json", R"({"inputs":[{"id":"k"},{"id":"no"}],
                             "servers":{"x":{"command":"y",
                                             "args":["${input:k}","${input:k}"]}}})"}};
  const auto g = gather({"mcp.json"}, p.at());
  ASSERT_TRUE(g && g->servers.size() == 1);
  EXPECT_EQ(g->servers[0].entry.command, (words{"y", "answer", "answer"}));
  EXPECT_EQ(p.asked, (words{"mcp.json k", "mcp.json k"}));  // who asks remembers
}

TEST(gathering, finds_the_usual_files_the_nearest_first) {
  place p;
  p.files = {{"/users/a/.claude.json", R"({"mcpServers":{"user":{"command":"x"}}})"},
             {"/w/.mcp.json", R"({"mcpServers":{"project":{"command":"x"}}})"}};
  auto g = gather({}, p.at());
  ASSERT_TRUE(g);
  EXPECT_EQ(g->files, words{"/w/.mcp.json"});
  p.files.erase("/w/.mcp.json");
  p.files["/w/mcp.json"] = R"({"something":"else"})";
  g = gather({}, p.at());
  ASSERT_TRUE(g);
  EXPECT_EQ(ids_of_servers(*g), words{"user"});
}

TEST(gathering, without_any_file_says_where_it_looked) {
  place p;
  const auto g = gather({}, p.at());
  ASSERT_FALSE(g);
  for (const auto& path : usual_files(p.at()))
    EXPECT_NE(g.error().what.find(path), std::string::npos) << path;
}

TEST(gathering, goes_on_from_a_document_of_gate) {
  place p;
  p.files = {{"gate.json", R"({"upstreams":[]})"},
             {"a.json", R"({"mcpServers":{"x":{"command":"y"}}})"}};
  const auto g = gather({"gate.json", "a.json"}, p.at());
  ASSERT_TRUE(g);
  EXPECT_EQ(g->base, R"({"upstreams":[]})");
  EXPECT_EQ(g->servers.size(), 1U);
  EXPECT_EQ(gather({"gate.json", "gate.json"}, p.at()).error().what,
            "gate.json: there can be one document of gate only");
}

TEST(gathering, does_not_serve_the_gateway_itself) {
  place p;
  p.files = {{"mcp.json", R"({"mcpServers":{"gate":{"url":"http://localhost:8080/mcp"},
                             "other":{"url":"http://localhost:8081/mcp"}}})"}};
  auto at = p.at();
  at.own_port = 8080;
  const auto g = gather({"mcp.json"}, at);
  ASSERT_TRUE(g);
  EXPECT_EQ(ids_of_servers(*g), words{"other"});
  EXPECT_EQ(g->problems, words{});
}

TEST(gathering, leaves_out_what_the_gateway_would_refuse) {
  place p;
  p.files = {{"mcp.json", R"({"mcpServers":{"bad":{"url":"not a url"},"good":{"command":"x"},
                "user":{"url":"https://u:p@host/mcp"},
                "head":{"url":"https://host/mcp","headers":{"Bad Header":"x"}}}})"}};
  const auto g = gather({"mcp.json"}, p.at());
  ASSERT_TRUE(g);
  EXPECT_EQ(ids_of_servers(*g), words{"good"});
  ASSERT_EQ(g->problems.size(), 3U);
  EXPECT_NE(g->problems[0].find("mcp.json: /mcpServers/bad: /upstreams/0/url: "), std::string::npos)
      << g->problems[0];
}

TEST(gathering, passes_by_files_that_have_only_ourselves) {
  place p;
  p.files = {{"/w/.mcp.json", R"({"mcpServers":{"gate":{"url":"http://127.0.0.1:8080/mcp"}}})"},
             {"/users/a/.claude.json", R"({"mcpServers":{"one":{"command":"x"}}})"}};
  auto at = p.at();
  at.own_port = 8080;
  const auto g = gather({}, at);
  ASSERT_TRUE(g);
  EXPECT_EQ(g->files, words{"/users/a/.claude.json"});
}

TEST(gathering, keeps_clear_of_ids_and_passes_secrets_of_a_document) {
  place p;
  p.files = {{"gate.json", R"({"upstreams":[{"id":"one","url":"https://a/mcp","namespace":"a",
                              "auth":{"strategy":"static","secretRef":"A"}}]})"},
             {"a.json", R"({"mcpServers":{"one":{"command":"y"}}})"}};
  const auto g = gather({"gate.json", "a.json"}, p.at());
  ASSERT_TRUE(g);
  EXPECT_EQ(ids_of_servers(*g), words{"one-2"});
  EXPECT_EQ(g->base_secrets, (clients::named_values{{"A", "one"}}));
  p.files["gate.json"] = "{ // mine\n \"upstreams\":[]}";
  EXPECT_NE(gather({"gate.json"}, p.at()).error().what.find("no JSON as gate reads it"),
            std::string::npos);
}

TEST(gathering, names_environment_files_to_be_watched) {
  place p;
  p.files = {{"mcp.json", R"({"mcpServers":{"x":{"command":"y","envFile":".env"}}})"},
             {"/w/.env", "K=1"}};
  const auto g = gather({"mcp.json"}, p.at());
  ASSERT_TRUE(g);
  EXPECT_EQ(g->beside, words{"/w/.env"});
}

TEST(gathering, files_that_can_not_be_read_are_errors_if_they_were_given) {
  place p;
  p.files = {{"bad.json", "{"}};
  EXPECT_EQ(gather({"none.json"}, p.at()).error().what, "can not read none.json");
  EXPECT_NE(gather({"bad.json"}, p.at()).error().what.find("bad.json: no JSON"), std::string::npos);
}

}  // namespace
}  // namespace gate::up
