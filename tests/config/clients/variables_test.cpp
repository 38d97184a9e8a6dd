#include "config/clients/variables.hpp"

#include <gtest/gtest.h>

#include <map>

#include "protocol/limits/client_files.hpp"

namespace gate::clients {
namespace {

surroundings known() {
  return {[](std::string_view name) -> std::optional<std::string> {
            if (name == "A") return "one";
            if (name == "EMPTY") return "";
            if (name == "LOOP") return "${A}";
            return std::nullopt;
          },
          [](std::string_view id) -> std::optional<std::string> {
            return id == "key" ? std::optional<std::string>("k") : std::nullopt;
          },
          "/w/project", "/users/a"};
}

std::string replaced(std::string text, family of) {
  server_entry e;
  e.command = {"run", std::move(text)};
  const auto wrong = replace_variables(e, of, known());
  return wrong ? "! " + *wrong : e.command[1];
}

TEST(variables, are_what_each_client_takes_for_them) {
  const std::string all =
      "${A} ${env:A} ${input:key} ${workspaceFolder} ${userHome} ${/}${workspaceFolderBasename}";
  EXPECT_EQ(replaced(all, family::any), "one one k /w/project /users/a /project");
  EXPECT_EQ(replaced(all, family::vs_code), "${A} one k /w/project /users/a /project");
  EXPECT_EQ(replaced(all, family::cursor), "${A} one ${input:key} /w/project /users/a /project");
  EXPECT_EQ(replaced(all, family::claude_desktop), all);
  EXPECT_EQ(replaced(all, family::codex), all);
  EXPECT_EQ(replaced("${A}/${env:A}", family::claude_code), "one/${env:A}");
}

TEST(variables, may_have_another_value_for_when_they_are_not_set) {
  EXPECT_EQ(replaced("${B:-two}", family::claude_code), "two");
  EXPECT_EQ(replaced("${A:-two}", family::claude_code), "one");
  EXPECT_EQ(replaced("${EMPTY:-two}${EMPTY}", family::claude_code), "two");
  EXPECT_EQ(replaced("${B:-}", family::claude_code), "");
}

TEST(variables, that_are_not_set_are_said_by_name) {
  EXPECT_EQ(replaced("x${B}", family::claude_code),
            "! the variable B is not set: export B=… before you start gate-up");
  EXPECT_EQ(replaced("${input:other}", family::vs_code),
            "! nobody has answered what the file asks for as \"other\": start gate-up on a "
            "terminal");
}

TEST(variables, what_only_looks_like_one_stands_as_it_is) {
  for (const std::string text : {"${", "${}", "$A", "${1A}", "${A-B}", "a${A", "${A:+x}", "$${"})
    EXPECT_EQ(replaced(text, family::any), text);
  EXPECT_EQ(replaced("${${A}", family::any), "${one");
}

TEST(variables, that_an_entry_gives_its_server_may_be_for_the_server) {
  server_entry e;
  e.command = {"npx", "Authorization:${OWN}", "${A}"};
  e.environment = {{"OWN", "Bearer x"}};
  ASSERT_FALSE(replace_variables(e, family::any, known()));
  EXPECT_EQ(e.command[1] + e.command[2], "Authorization:${OWN}one");
}

TEST(variables, values_are_not_looked_at_again) {
  EXPECT_EQ(replaced("${LOOP}", family::any), "${A}");
}

TEST(variables, stand_in_all_of_an_entry) {
  server_entry e;
  e.command = {"${A}"};
  e.environment = {{"X", "${A}"}};
  e.environment_file = "${A}";
  e.directory = "${A}";
  e.url = "${A}";
  e.headers = {{"H", "${A}"}};
  ASSERT_FALSE(replace_variables(e, family::any, known()));
  EXPECT_EQ(e.command[0] + e.environment[0].second + e.environment_file + e.directory + e.url +
                e.headers[0].second,
            "oneoneoneoneoneone");
}

TEST(variables, of_codex_are_named_where_they_are_meant) {
  server_entry e;
  e.environment = {{"X", "${A}"}};
  e.inherited = {"A", "NONE"};
  e.headers = {{"H", "${A}"}};
  e.variable_headers = {{"Authorization", "Bearer ", "A"}};
  ASSERT_FALSE(replace_variables(e, family::codex, known()));
  EXPECT_EQ(e.environment, (named_values{{"X", "${A}"}, {"A", "one"}}));
  EXPECT_EQ(e.headers, (named_values{{"H", "${A}"}, {"Authorization", "Bearer one"}}));
  e.variable_headers = {{"H", {}, "NONE"}};
  const auto wrong = replace_variables(e, family::codex, known());
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("NONE is not set"), std::string::npos);
}

TEST(variables, do_not_make_a_value_longer_than_a_process_takes) {
  auto from = known();
  from.variable = [](std::string_view) { return std::string(limits::client_value_bytes, 'x'); };
  server_entry e;
  e.command = {"${A}${A}"};
  const auto wrong = replace_variables(e, family::any, from);
  ASSERT_TRUE(wrong);
  EXPECT_NE(wrong->find("longer than"), std::string::npos);
}

}  // namespace
}  // namespace gate::clients
