// What gate-up reads of logs and answers (shim/up/json_text), and what it prints.
#include <gtest/gtest.h>

#include "protocol/limits/client_files.hpp"
#include "shim/up/last_lines.hpp"
#include "shim/up/log_line.hpp"
#include "shim/up/looker.hpp"
#include "shim/up/options.hpp"
#include "shim/up/report.hpp"
#include "shim/up/restarts.hpp"
#include "shim/up/serving.hpp"

namespace gate::up {
namespace {

using words = std::vector<std::string>;

TEST(log_lines, are_objects_with_a_level_and_a_sentence) {
  const auto l = read_log_line(R"({"time":"t","level":"warn","msg":"It \"is\".","why":"so"})");
  ASSERT_TRUE(l);
  EXPECT_EQ(l->level + l->sentence + l->why, "warnIt \"is\".so");
  for (const auto* text :
       {"", "gate: no", "{", R"({"level":"warn"})", R"({"msg":"x"})", R"({"level":1,"msg":"x"})"})
    EXPECT_FALSE(read_log_line(text)) << text;
}

TEST(log_lines, say_where_a_program_listens) {
  EXPECT_EQ(listening_url("gate-stdio 1 is listening on http://127.0.0.1:1/mcp for up to 3."),
            "http://127.0.0.1:1/mcp");
  EXPECT_EQ(listening_url("gate is listening on http://[::1]:8080/mcp"), "http://[::1]:8080/mcp");
  EXPECT_EQ(listening_url("It listens."), "");
}

TEST(log_lines, are_shown_as_words) {
  EXPECT_EQ(words_of("plain"), "plain");
  EXPECT_EQ(words_of(R"({"level":"info","msg":"A.","line":"b"})"), "b");
  EXPECT_EQ(words_of(R"({"level":"info","msg":"A.","why":"b"})"), "A. b");
  EXPECT_EQ(words_of(R"({"level":"info","msg":"A."})"), "A.");
  EXPECT_EQ(words_of(R"({"level":"warn","msg":"A.","upstream":"files"})"), "files: A.");
}

TEST(commands, that_may_fetch_a_server_are_known_wherever_they_are) {
  for (const auto* it : {"npx", "/usr/local/bin/npx", "uvx", "docker"})
    EXPECT_TRUE(may_fetch(it)) << it;
  for (const auto* it : {"node", "", "/", "npx/", "python3", "my-npx"})
    EXPECT_FALSE(may_fetch(it)) << it;
}

TEST(answers, of_the_gateways_health) {
  const auto h = read_health(
      R"({"upstreams":[{"id":"a","connected":true},{"id":"b","connected":false,"error":"no"},7]})");
  EXPECT_TRUE(h.at("a").connected);
  EXPECT_FALSE(h.at("b").connected);
  EXPECT_EQ(h.at("b").error, "no");
  EXPECT_TRUE(read_health("{").empty());
  EXPECT_TRUE(read_health(R"({"upstreams":{}})").empty());
}

TEST(answers, of_tools) {
  const auto t = read_tools(R"({"result":{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"c"}})");
  ASSERT_TRUE(t);
  EXPECT_EQ(t->names, (words{"a", "b"}));
  EXPECT_EQ(t->cursor, "\"c\"");
  EXPECT_EQ(read_tools("<html>").error().what, "the answer is no JSON");
  EXPECT_EQ(read_tools("{}").error().what, "the answer has no result");
  EXPECT_EQ(read_tools(R"({"error":{"message":"sign in"}})").error().what, "sign in");
  EXPECT_TRUE(read_tools(R"({"error":{"message":"x","data":{"gate":{"reason":"upstream_down"}}}})")
                  ->nobody);
  EXPECT_EQ(
      read_tools(R"({"result":{"_meta":{"gate/partialFailure":{"failedUpstreams":["a","b"]}}}})")
          ->missing,
      (std::vector<std::string>{"a", "b"}));
}

TEST(questions, go_to_where_a_server_listens) {
  const auto h = ask_health(7, "http://127.0.0.1:4000/mcp");
  ASSERT_TRUE(h);
  EXPECT_EQ((*h)->to->url.target, "/health");
  EXPECT_EQ((*h)->id, 7U);
  const auto t = ask_tools(8, "http://127.0.0.1:4000/mcp", "\"c\"");
  ASSERT_TRUE(t);
  EXPECT_EQ((*t)->to->url.target, "/mcp");
  EXPECT_NE((*t)->before.find(R"("cursor":"c")"), std::string::npos);
  EXPECT_FALSE(ask_health(9, "ftp://x"));
}

TEST(tables, have_a_line_a_server) {
  EXPECT_EQ(table_of({{"files", true, {"read", "write", "list"}, {}},
                      {"one", true, {"only"}, {}},
                      {"none", true, {}, {}},
                      {"bad", false, {}, "it ended", {"first", "second"}}}),
            "    files   3 tools    read, write, list\n"
            "    one     1 tool     only\n"
            "    none    0 tools\n"
            "    bad     FAILED     it ended\n"
            "            | first\n"
            "            | second\n");
}

TEST(tables, say_what_a_program_comes_with) {
  const std::string no_npx = R"(can not execute the command "npx": No such file or directory)";
  EXPECT_EQ(with_origin(no_npx), no_npx + " (npx comes with Node.js; is it in PATH?)");
  for (const std::string why :
       {R"(can not execute the command "mine": No such file or directory)",
        R"(can not execute the command "npx": Permission denied)", "connect failed"})
    EXPECT_EQ(with_origin(why), why);
}

TEST(tables, leave_out_names_that_have_no_room) {
  const words many(40, "a_tool");
  const auto t = table_of({{"files", true, many, {}}}, 60);
  EXPECT_LE(t.size(), 61U);
  EXPECT_NE(t.find(" more\n"), std::string::npos) << t;
  EXPECT_FALSE(table_of({{std::string(200, 'x'), true, many, {}}}, 60).empty());
}

TEST(last_lines, are_the_last_ones) {
  last_lines l;
  for (std::size_t i = 0; i < limits::program_last_lines + 2; ++i) l.add(std::to_string(i));
  EXPECT_EQ(l.all().size(), limits::program_last_lines);
  EXPECT_EQ(l.all().front(), "2");
}

TEST(restarts, take_longer_each_time_until_one_has_run_for_long) {
  using std::chrono::milliseconds;
  restarts r;
  auto now = restarts::time_point(std::chrono::hours(1));
  r.started(now);
  EXPECT_EQ(r.ended(now), limits::program_restart_least);
  EXPECT_EQ(r.ended(now), 2 * limits::program_restart_least);
  for (int i = 0; i < 20; ++i) r.ended(now);
  EXPECT_EQ(r.ended(now), limits::program_restart_most);
  r.started(now);
  EXPECT_EQ(r.ended(now + limits::program_restart_most), limits::program_restart_least);
}

TEST(command_lines, of_a_server_and_its_environment) {
  clients::planned_server s;
  s.entry.command = {"npx", "-y", "x"};
  s.entry.environment = {{"KEY", "v w"}};
  s.entry.directory = "/d";
  const auto p = stdio_of(s, {"/bin", "/usr/bin", "/users/a"}, 4000);
  EXPECT_EQ(p.command,
            (words{"/bin/gate-stdio", "--log-format", "json", "--port", "4000", "--env-passthrough",
                   "PATH,HOME,KEY", "--dir", "/d", "--", "npx", "-y", "x"}));
  EXPECT_EQ(p.environment, (words{"PATH=/usr/bin", "HOME=/users/a", "KEY=v w"}));
}

TEST(command_lines, of_the_gateway) {
  const auto p =
      gate_of("/t/gate.json", {{"GATE_UP_A", "x"}}, {"/bin", "/usr/bin", "/h"}, "::1", 0);
  EXPECT_EQ(p.command, (words{"/bin/gate", "--config", "/t/gate.json", "--log-format", "json",
                              "--host", "::1", "--port", "0"}));
  EXPECT_EQ(p.environment, words{"GATE_UP_A=x"});
}

TEST(options_of_gate_up, are_files_and_where_to_listen) {
  const std::vector<const char*> args{"--port", "0", "a.json", "--verbose", "b.json"};
  const auto read = parse_options(args);
  ASSERT_TRUE(std::holds_alternative<options>(read));
  const auto& o = std::get<options>(read);
  EXPECT_EQ(o.files, (words{"a.json", "b.json"}));
  EXPECT_EQ(o.port, 0);
  EXPECT_TRUE(o.verbose);
  const std::vector<const char*> wrong{"--prot", "1"};
  EXPECT_NE(std::get<config::usage_error>(parse_options(wrong)).what.find("--port"),
            std::string::npos);
}

}  // namespace
}  // namespace gate::up
