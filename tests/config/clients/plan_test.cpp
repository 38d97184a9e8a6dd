// What is made of servers: ids, environments, the document (config/clients/json_print).
#include "config/clients/plan.hpp"

#include <gtest/gtest.h>

#include "config/validate.hpp"
#include "protocol/limits/client_files.hpp"

namespace gate::clients {
namespace {

using words = std::vector<std::string>;

planned_server served(std::string id, std::string url, named_values headers = {}) {
  planned_server out;
  out.id = std::move(id);
  out.entry.url = std::move(url);
  out.entry.headers = std::move(headers);
  return out;
}

TEST(ids, are_made_of_names) {
  EXPECT_EQ(ids_of({"GitHub", "my server!", "--", "", "ünï", "a_b"}),
            (words{"github", "my-server", "server", "server-2", "n", "a-b"}));
  EXPECT_EQ(ids_of({"a", "A", "a ", "a-2"}), (words{"a", "a-2", "a-3", "a-2-2"}));
}

TEST(ids, are_short_and_once_each) {
  const std::string one(100, 'x');
  const auto ids = ids_of({one, one, one});
  EXPECT_EQ(ids[0], std::string(limits::client_id_bytes, 'x'));
  EXPECT_EQ(ids[1], std::string(limits::client_id_bytes - 2, 'x') + "-2");
  EXPECT_EQ(ids[2].size(), limits::client_id_bytes);
}

TEST(an_environment, is_that_of_the_entry_and_two_of_ours) {
  server_entry e;
  e.environment = {{"KEY", "v"}, {"PATH", "/own"}};
  const auto out = environment_of(e, "/bin", "/users/a");
  EXPECT_EQ(out.all, (named_values{{"PATH", "/own"}, {"HOME", "/users/a"}, {"KEY", "v"}}));
  EXPECT_EQ(out.passed, (words{"PATH", "HOME", "KEY"}));
  EXPECT_EQ(environment_of({}, "", "").all, named_values{});
}

TEST(an_environment_file, has_a_value_a_line) {
  EXPECT_EQ(
      read_environment_file("# c\nA=1\r\n export B = \"two words\" \nC='x'\nno\n=x\nD=\nE=a=b"),
      (named_values{{"A", "1"}, {"B", "two words"}, {"C", "x"}, {"D", ""}, {"E", "a=b"}}));
}

TEST(a_plan, is_a_good_document_without_secrets) {
  const auto a = served("a", "https://a.example/mcp", {{"Authorization", "Bearer s3cr3t"}});
  const auto b =
      served("b-c", "https://b.example/mcp", {{"X-Region", "eu"}, {"X-Api-Key", "k3y and more"}});
  const auto c = served("c", "https://c.example/mcp", {{"authorization", "Basic a b c"}});
  const auto plan = plan_gate({{&a, a.entry.url}, {&b, b.entry.url}, {&c, c.entry.url}}, {});
  const auto read = config::load(plan.document);
  EXPECT_TRUE(read.problems.empty()) << plan.document << to_line(read.problems[0]);
  EXPECT_EQ(plan.secrets, (named_values{{"GATE_UP_A", "s3cr3t"},
                                        {"GATE_UP_B_C", "k3y and more"},
                                        {"GATE_UP_C", "Basic a b c"}}));
  for (const auto& [name, value] : plan.secrets)
    EXPECT_EQ(plan.document.find(value), std::string::npos);
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_EQ(plan.notes[0],
            "b-c: the header X-Region is not sent: the gateway shows a server one header, and that "
            "is X-Api-Key");
}

TEST(a_plan, of_commands_calls_their_gate_stdio) {
  planned_server s;
  s.id = "files";
  s.entry.command = {"npx"};
  s.entry.headers = {{"Authorization", "x"}};
  const auto plan = plan_gate({{&s, "http://127.0.0.1:4000/mcp"}}, {});
  const auto read = config::load(plan.document);
  ASSERT_TRUE(read.problems.empty()) << to_line(read.problems[0]);
  ASSERT_EQ(read.doc.upstreams.size(), 1U);
  EXPECT_EQ(read.doc.upstreams[0].id, "files");
  EXPECT_TRUE(plan.secrets.empty());
}

TEST(a_plan, goes_on_from_a_document) {
  const auto s = served("b", "https://b.example/mcp");
  const auto plan = plan_gate({{&s, s.entry.url}},
                              R"({"upstreams":[{"id":"a","url":"https://a/mcp","namespace":"a"}],
                                  "audit":{"sinks":[{"type":"stdout"}]}})");
  const auto read = config::load(plan.document);
  ASSERT_TRUE(read.problems.empty()) << to_line(read.problems[0]);
  ASSERT_EQ(read.doc.upstreams.size(), 2U);
  EXPECT_EQ(read.doc.upstreams[1].id, "b");
  EXPECT_NE(plan.document.find("stdout"), std::string::npos);
  EXPECT_EQ(plan.document.find("console"), std::string::npos);
}

TEST(a_base, tells_what_matters_of_a_document) {
  const auto base = read_base(
      R"({"upstreams":[{"id":"a","url":"https://a/mcp","namespace":"x"},{"id":"b"},7],
          "routing":{"namespaceSeparator":"."},"auth":{"mode":"required"}})");
  ASSERT_TRUE(base);
  ASSERT_EQ(base->upstreams.size(), 2U);
  EXPECT_EQ(base->upstreams[0].name_space, "x");
  EXPECT_EQ(base->upstreams[1].id, "b");
  EXPECT_EQ(base->upstreams[1].name_space, "");
  EXPECT_EQ(base->separator, ".");
  EXPECT_TRUE(base->authenticates);
  for (const auto* open :
       {R"({"upstreams":[]})", R"({"upstreams":[],"auth":{}})",
        R"({"upstreams":[],"auth":{"mode":"disabled"}})", R"({"upstreams":[],"auth":7})"}) {
    const auto none = read_base(open);
    ASSERT_TRUE(none) << open;
    EXPECT_FALSE(none->authenticates) << open;
    EXPECT_EQ(none->separator, "__") << open;
  }
}

}  // namespace
}  // namespace gate::clients
