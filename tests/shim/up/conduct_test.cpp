#include "shim/up/conduct.hpp"

#include <gtest/gtest.h>

#include "protocol/limits/client_files.hpp"

namespace gate::up {
namespace {

using std::chrono::seconds;
using words = std::vector<std::string>;

/// Writes down what is to be done.
struct notes : hands {
  words done;
  std::string document, text;
  clients::named_values secrets;

  void start_server(const clients::planned_server& s) override { done.push_back("start " + s.id); }
  void start_gateway(const clients::named_values& with) override {
    secrets = with;
    done.emplace_back("start GATE");
  }
  void keep_document(const std::string& t) override { document = t; }
  void reload_gateway() override { done.emplace_back("reload"); }
  void end_program(std::string_view id) override { done.push_back("end " + std::string(id)); }
  void ask_health(std::string_view id, const std::string&) override {
    done.push_back("health " + std::string(id));
  }
  void ask_tools(const std::string&, std::string_view cursor) override {
    done.push_back("tools" + (cursor.empty() ? "" : " " + std::string(cursor)));
  }
  void forget_gateway() override { done.emplace_back("forget"); }
  void say(std::string_view t) override { text += t; }
  void over(bool well) override { done.emplace_back(well ? "over" : "over, badly"); }

  words take() { return std::exchange(done, {}); }
  bool says(std::string_view part) const { return text.find(part) != text.npos; }
};

clients::planned_server command(std::string id, std::string program = "run") {
  clients::planned_server out;
  out.id = out.name = std::move(id);
  out.entry.command = {std::move(program)};
  return out;
}

clients::planned_server remote(std::string id, std::string token = {}) {
  clients::planned_server out;
  out.id = out.name = std::move(id);
  out.entry.url = "http://" + out.id + ".example/mcp";
  if (!token.empty()) out.entry.headers = {{"Authorization", "Bearer " + token}};
  return out;
}

gathered of(std::vector<clients::planned_server> servers) {
  gathered out;
  out.servers = std::move(servers);
  return out;
}

class conducted : public testing::Test {
 protected:
  static std::string line(std::string_view level, std::string_view rest) {
    return R"({"time":"t","level":")" + std::string(level) + R"(","msg":")" + std::string(rest) +
           "\"}";
  }
  void fails(std::string_view id, std::string_view why) {
    c.said(id, line("warn", "The server can not be run.\",\"why\":\"" + std::string(why)), now);
    c.health(id, 503, "{}", now);
  }
  /// One server that is well, and the table printed.
  void serving() {
    c.begin(of({command("a")}), now);
    c.listens("a", "http://127.0.0.1:4001/mcp", now);
    c.health("a", 200, "{}", now);
    c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
    c.health(gateway_id, 200, "{}", now);
    c.tools(200, R"({"result":{"tools":[{"name":"a__x"}]}})", now);
    does.take();
    does.text.clear();
  }

  notes does;
  conduct c{does, false};
  conduct::time_point now{seconds(1000)};
};

TEST_F(conducted, the_table_waits_for_whom_the_gateway_has_yet_to_list) {
  c.begin(of({command("a"), command("b")}), now);
  for (const auto* id : {"a", "b"}) c.listens(id, "http://127.0.0.1:4001/mcp", now);
  c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
  for (const auto* id : {"a", "b"}) c.health(id, 200, "{}", now);
  const auto asks = [&](std::string_view answer) {
    does.take();
    c.look(now);
    EXPECT_EQ(does.take(), words{"health GATE"});
    c.health(gateway_id, 200, "{}", now);
    EXPECT_EQ(does.take(), words{"tools"});
    c.tools(200, answer, now);
  };
  does.take();
  c.health(gateway_id, 200, "{}", now);
  c.tools(200, R"({"error":{"message":"no","data":{"gate":{"reason":"upstream_down"}}}})", now);
  now += seconds(20);
  const std::string_view one = R"({"result":{"tools":[{"name":"a__x"}],)"
                               R"("_meta":{"gate/partialFailure":{"failedUpstreams":["b"]}}}})";
  asks(one);
  EXPECT_FALSE(does.says("1 tool"));
  now += 2 * limits::server_patience;
  asks(one);
  EXPECT_TRUE(does.says("a       1 tool     x"));
  EXPECT_TRUE(does.says("b       FAILED     it runs, but has not listed its tools in time"));
  does.take();
  c.look(now);
  EXPECT_EQ(does.take(), words{});
}

TEST_F(conducted, servers_listen_before_the_gateway_starts) {
  c.begin(of({command("a"), command("b"), remote("r", "s3cr3t")}), now);
  EXPECT_EQ(does.take(), (words{"start a", "start b"}));
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  EXPECT_EQ(does.take(), words{"health a"});
  c.listens("b", "http://127.0.0.1:4002/mcp", now);
  EXPECT_EQ(does.take(), (words{"start GATE", "health b"}));
  EXPECT_NE(does.document.find("http://127.0.0.1:4002/mcp"), std::string::npos);
  EXPECT_NE(does.document.find("http://r.example/mcp"), std::string::npos);
  EXPECT_EQ(does.document.find("s3cr3t"), std::string::npos);
  EXPECT_EQ(does.secrets, (clients::named_values{{"GATE_UP_R", "s3cr3t"}}));
}

TEST_F(conducted, the_table_comes_when_each_is_well_or_has_failed) {
  c.begin(of({command("a"), command("b"), remote("r")}), now);
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  c.listens("b", "http://127.0.0.1:4002/mcp", now);
  c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
  c.health("a", 200, "{}", now);
  does.take();
  c.said("b",
         R"({"level":"info","msg":"The server wrote to its standard error.","line":"no display"})",
         now);
  fails("b", "it ended (exit code 3)");
  EXPECT_EQ(does.take(), words{"health GATE"});
  c.health(gateway_id, 200, R"({"upstreams":[{"id":"r","connected":false,"error":"HTTP 401"}]})",
           now);
  EXPECT_EQ(does.take(), words{"tools"});
  c.tools(200, R"({"result":{"tools":[{"name":"a__x"}],"nextCursor":"two"}})", now);
  EXPECT_EQ(does.take(), words{"tools \"two\""});
  c.tools(200, R"({"result":{"tools":[{"name":"a__y"},{"name":"ab__z"}]}})", now);
  EXPECT_TRUE(does.says("a       2 tools    x, y\n")) << does.text;
  EXPECT_TRUE(does.says("b       FAILED     it ended (exit code 3)\n")) << does.text;
  EXPECT_TRUE(does.says("| no display\n")) << does.text;
  EXPECT_TRUE(does.says("r       FAILED     HTTP 401\n")) << does.text;
  EXPECT_TRUE(does.says("http://127.0.0.1:8080/mcp")) << does.text;
}

TEST_F(conducted, where_none_runs_the_table_alone_says_why) {
  c.begin(of({command("a")}), now);
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
  fails("a", R"(can not execute the command \"npx\": No such file or directory)");
  c.health(gateway_id, 200, "{}", now);
  c.tools(200, R"({"error":{"message":"m","data":{"gate":{"reason":"upstream_down"}}}})", now);
  EXPECT_TRUE(
      does.says("FAILED     can not execute the command \"npx\": No such file or directory "
                "(npx comes with Node.js; is it in PATH?)\n"))
      << does.text;
  EXPECT_FALSE(does.says("does not list its tools")) << does.text;
}

TEST_F(conducted, who_takes_its_time_is_waited_for_but_not_for_ever) {
  c.begin(of({command("a")}), now);
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
  does.take();
  fails("a", "it did not answer initialize in time");
  EXPECT_EQ(does.take(), words{});
  c.look(now);
  EXPECT_EQ(does.take(), words{"health a"});
  c.look(now);
  EXPECT_EQ(does.take(), words{});  // it has not answered yet
  now += limits::server_patience;
  fails("a", "it did not answer initialize in time");
  EXPECT_EQ(does.take(), words{"health GATE"});
  // It is looked for all the same, seldom; and told of when it comes.
  c.health(gateway_id, 200, "{}", now);
  c.tools(200, R"({"result":{"tools":[]}})", now);
  does.take();
  c.look(now);
  EXPECT_EQ(does.take(), words{});
  now += limits::server_patience;
  c.look(now);
  EXPECT_EQ(does.take(), words{"health a"});
  c.health("a", 200, "{}", now);
  EXPECT_TRUE(does.says("a answers now.\n"));
}

TEST_F(conducted, who_may_have_to_be_fetched_is_waited_for_longer) {
  auto npx = command("a");
  npx.entry.command = {"npx", "-y", "server"};
  c.begin(of({npx}), now);
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
  now += seconds(10);
  c.look(now);
  EXPECT_TRUE(does.says("Waiting for a to answer; what is not there yet is fetched first.\n"))
      << does.text;
  does.take();
  now += limits::server_patience;
  c.health("a", 503, "{}", now);
  EXPECT_EQ(does.take(), words{}) << "npx may still be at it";
  now += limits::fetched_server_patience - limits::server_patience;
  c.look(now);
  c.health("a", 503, "{}", now);
  EXPECT_EQ(does.take(), (words{"health a", "health GATE"}));
}

TEST_F(conducted, what_it_said_last_is_in_the_table_however_late_it_failed) {
  c.begin(of({command("a")}), now);
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
  now += 2 * limits::server_patience;
  c.said("a", R"({"level":"info","msg":"It wrote.","line":"npm error: no network"})", now);
  fails("a", "it ended (exit code 1)");
  c.look(now);  // not at once again: that would be another beginning
  c.health(gateway_id, 200, "{}", now);
  c.tools(200, R"({"result":{"tools":[]}})", now);
  EXPECT_TRUE(does.says("| npm error: no network\n")) << does.text;
}

TEST_F(conducted, why_a_server_refuses_may_be_heard_later_than_that_it_does) {
  c.begin(of({command("a")}), now);
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
  does.take();
  c.health("a", 503, "{}", now);
  EXPECT_EQ(does.take(), words{});
  c.said("a", R"({"level":"warn","msg":"The server can not be run.","why":"it ended"})", now);
  EXPECT_EQ(does.take(), words{"health GATE"});
}

TEST_F(conducted, who_died_is_told_of_and_looked_for_where_it_listens_again) {
  serving();
  c.ended("a", "it was ended by signal 9", false, now);
  EXPECT_TRUE(does.says("a does not run: its gate-stdio: it was ended by signal 9\n"));
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  EXPECT_EQ(does.take(), words{"health a"});
  c.health("a", 200, "{}", now);
  EXPECT_TRUE(does.says("a answers now.\n"));
  EXPECT_EQ(does.take(), words{});
}

TEST_F(conducted, a_gateway_that_never_served_ends_all) {
  c.begin(of({command("a")}), now);
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  c.said(gateway_id, "can not listen on 127.0.0.1:8080: the address is in use", now);
  does.take();
  c.ended(gateway_id, "it ended with exit code 1", false, now);
  EXPECT_TRUE(does.says("The gateway did not start: it ended with exit code 1\n"));
  EXPECT_TRUE(does.says("| can not listen on 127.0.0.1:8080"));
  EXPECT_EQ(does.take(), words{"end GATE"});
  c.ended(gateway_id, "it was ended", true, now);
  EXPECT_EQ(does.take(), words{"end a"});
  c.ended("a", "it was ended by signal 15", true, now);
  EXPECT_EQ(does.take(), words{"over, badly"});
}

TEST_F(conducted, one_that_served_is_started_again) {
  serving();
  c.ended(gateway_id, "it was ended by signal 9", false, now);
  EXPECT_TRUE(
      does.says("The gateway has ended (it was ended by signal 9) and is started again.\n"));
  EXPECT_EQ(does.take(), words{});
}

TEST_F(conducted, the_gateway_ends_first) {
  serving();
  c.end();
  c.end();
  EXPECT_EQ(does.take(), words{"end GATE"});
  c.ended(gateway_id, "it ended with exit code 0", true, now);
  EXPECT_EQ(does.take(), words{"end a"});
  c.ended("a", "it ended with exit code 0", true, now);
  EXPECT_EQ(does.take(), words{"over"});
}

TEST_F(conducted, what_files_say_anew_is_taken) {
  serving();
  c.changed(of({command("a", "other"), command("b"), remote("r")}), now);
  EXPECT_TRUE(does.says("The files have changed: a has changed. b is new. r is new.\n"))
      << does.text;
  EXPECT_EQ(does.take(), (words{"end a", "start b"}));
  c.listens("b", "http://127.0.0.1:4003/mcp", now);
  EXPECT_EQ(does.take(), words{"health b"});  // a is still to come
  c.ended("a", "it ended with exit code 0", true, now);
  EXPECT_EQ(does.take(), words{"start a"});
  c.listens("a", "http://127.0.0.1:4004/mcp", now);
  EXPECT_EQ(does.take(), (words{"reload", "health a"}));
  EXPECT_NE(does.document.find(":4004/mcp"), std::string::npos);
  c.health("a", 200, "{}", now);
  c.health("b", 200, "{}", now);
  EXPECT_EQ(does.take(), words{"health GATE"});  // the table again
}

TEST_F(conducted, who_is_gone_is_ended_and_left_out_at_once) {
  c.begin(of({command("a"), command("b")}), now);
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  c.listens("b", "http://127.0.0.1:4002/mcp", now);
  does.take();
  c.changed(of({command("a")}), now);
  EXPECT_EQ(does.take(), (words{"end b", "reload"}));
  EXPECT_EQ(does.document.find(":4002/mcp"), std::string::npos);
  c.ended("b", "it was ended", true, now);
  EXPECT_EQ(does.take(), words{});
}

TEST_F(conducted, other_secrets_need_another_gateway) {
  serving();
  c.changed(of({command("a"), remote("r", "t0k3n")}), now);
  EXPECT_EQ(does.take(), words{"end GATE"});
  c.ended(gateway_id, "it ended with exit code 0", true, now);
  EXPECT_EQ(does.take(), words{"start GATE"});
  EXPECT_EQ(does.secrets, (clients::named_values{{"GATE_UP_R", "t0k3n"}}));
}

TEST_F(conducted, files_that_say_the_same_change_nothing) {
  serving();
  c.changed(of({command("a")}), now);
  EXPECT_EQ(does.text, "");
  EXPECT_EQ(does.take(), words{});
}

TEST_F(conducted, who_never_listened_holds_nobody_up) {
  c.begin(of({command("a"), command("b")}), now);
  c.listens("b", "http://127.0.0.1:4002/mcp", now);
  does.take();
  c.ended("a", "can not execute it", false, now);
  EXPECT_EQ(does.take(), words{"start GATE"});
}

TEST_F(conducted, if_nothing_can_be_served_that_is_the_end) {
  c.begin(of({command("a")}), now);
  does.take();
  c.ended("a", "can not execute it", false, now);
  EXPECT_TRUE(does.says("a       FAILED     its gate-stdio: can not execute it\n")) << does.text;
  EXPECT_TRUE(does.says("None of them can be served.\n"));
  EXPECT_EQ(does.take(), words{"end a"});
  c.ended("a", "it was ended", true, now);
  EXPECT_EQ(does.take(), words{"over, badly"});
}

TEST_F(conducted, a_gateway_without_servers_ends_until_there_is_one) {
  serving();
  c.changed(of({}), now);
  EXPECT_TRUE(does.says("No server is left to be served"));
  EXPECT_EQ(does.take(), (words{"end a", "end GATE"}));
  c.ended("a", "it was ended", true, now);
  c.ended(gateway_id, "it was ended", true, now);
  EXPECT_EQ(does.take(), words{});
  c.changed(of({remote("r")}), now);
  EXPECT_EQ(does.take(), words{"start GATE"});
}

TEST_F(conducted, a_document_that_gate_would_refuse_changes_nothing) {
  serving();
  auto what = of({command("a")});
  what.base = R"({"upstreams":[],"nonsense":1})";
  const auto before = does.document;
  c.changed(std::move(what), now);
  EXPECT_TRUE(does.says("The gateway would refuse this: /nonsense: unknown field")) << does.text;
  EXPECT_EQ(does.document, before);
  for (const auto& d : does.take()) EXPECT_NE(d, "reload");
}

TEST_F(conducted, a_gateway_that_dies_while_it_is_asked_is_asked_anew) {
  c.begin(of({command("a")}), now);
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  c.health("a", 200, "{}", now);
  c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
  EXPECT_EQ(does.take().back(), "health GATE");
  c.ended(gateway_id, "it was ended by signal 9", false, now);
  EXPECT_EQ(does.take(), words{"forget"});
  c.health(gateway_id, 200, "{}", now);  // of the one before
  c.tools(0, "", now);
  EXPECT_EQ(does.take(), words{});
  c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
  EXPECT_EQ(does.take(), words{"health GATE"});
}

TEST_F(conducted, files_that_change_while_it_is_asked_begin_anew) {
  c.begin(of({command("a")}), now);
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  c.health("a", 200, "{}", now);
  c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
  does.take();
  c.changed(of({command("a"), command("b")}), now);
  EXPECT_EQ(does.take(), (words{"start b", "forget"}));
  c.listens("b", "http://127.0.0.1:4002/mcp", now);
  EXPECT_EQ(does.take(), (words{"reload", "health b"}));
  c.health("b", 200, "{}", now);
  EXPECT_EQ(does.take(), words{"health GATE"});
}

TEST_F(conducted, who_has_left_is_in_no_table) {
  serving();
  c.changed(of({remote("r")}), now);
  does.take();
  c.health(gateway_id, 200, R"({"upstreams":[{"id":"r","connected":true}]})", now);
  c.tools(200, R"({"result":{"tools":[{"name":"r__x"}]}})", now);
  EXPECT_TRUE(does.says("r       1 tool     x\n")) << does.text;
  EXPECT_FALSE(does.says("    a ")) << does.text;
}

TEST_F(conducted, whom_the_table_waits_for_is_said_once) {
  c.begin(of({command("a"), command("b")}), now);
  c.listens("a", "http://127.0.0.1:4001/mcp", now);
  c.health("a", 200, "{}", now);
  c.look(now);
  EXPECT_EQ(does.text, "");
  now += 20 * limits::server_look;
  c.look(now);
  c.look(now);
  EXPECT_EQ(does.text, "Waiting for b to answer.\n");
}

TEST_F(conducted, a_gateway_on_all_addresses_is_called_on_this_one) {
  c.begin(of({remote("r")}), now);
  c.listens(gateway_id, "http://0.0.0.0:8080/mcp", now);
  c.health(gateway_id, 200, "{}", now);
  c.tools(200, R"({"result":{"tools":[]}})", now);
  EXPECT_TRUE(does.says("    http://127.0.0.1:8080/mcp\n")) << does.text;
}

TEST_F(conducted, secrets_of_a_document_reach_the_gateway) {
  auto what = of({remote("r")});
  what.base_secrets = {{"MY_TOKEN", "x"}};
  c.begin(std::move(what), now);
  EXPECT_EQ(does.secrets, (clients::named_values{{"MY_TOKEN", "x"}}));
}

TEST_F(conducted, upstreams_of_a_document_are_in_the_table) {
  auto what = of({remote("r")});
  what.base = R"({"upstreams":[]})";
  what.of_base.upstreams = {{"own", "mine"}, {"away", "far"}, {"unknown", "no"}};
  what.of_base.separator = ".";
  c.begin(std::move(what), now);
  c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
  c.health(gateway_id, 200,
           R"({"upstreams":[{"id":"r","connected":true},{"id":"own","connected":true},
               {"id":"away","connected":false,"error":"connect failed"}]})",
           now);
  c.tools(200, R"({"result":{"tools":[{"name":"mine.x"},{"name":"r.y"}]}})", now);
  EXPECT_TRUE(does.says("    own      1 tool     x\n")) << does.text;
  EXPECT_TRUE(does.says("    away     FAILED     connect failed\n")) << does.text;
  EXPECT_TRUE(does.says("    unknown  FAILED     it does not answer\n")) << does.text;
  EXPECT_TRUE(does.says("    r        1 tool     y\n")) << does.text;
}

TEST_F(conducted, warnings_are_passed_on_when_all_is_up) {
  serving();
  c.said("a", line("warn", "Something is odd."), now);
  c.said("a", line("info", "A session began."), now);
  EXPECT_EQ(does.text, "[a] Something is odd.\n");
}

TEST_F(conducted, what_the_gateway_says_of_a_server_names_it_unless_the_table_has_said_it) {
  serving();
  const auto about = [](std::string_view whom) {
    return R"({"level":"warn","msg":"Its circuit is open.","upstream":")" + std::string(whom) +
           "\"}";
  };
  c.said(gateway_id, about("a"), now);
  EXPECT_EQ(does.text, "[gate] a: Its circuit is open.\n");
  c.ended("a", "it ended", false, now);
  does.text.clear();
  c.said(gateway_id, about("a"), now);
  EXPECT_EQ(does.text, "") << "that it does not run is known";
}

TEST_F(conducted, who_has_an_address_of_its_own_is_heard_of_after_it_failed_too) {
  c.begin(of({remote("r")}), now);
  c.listens(gateway_id, "http://127.0.0.1:8080/mcp", now);
  c.health(gateway_id, 200, R"({"upstreams":[{"id":"r","connected":false,"error":"HTTP 401"}]})",
           now);
  c.tools(200, R"({"result":{"tools":[]}})", now);
  does.text.clear();
  c.said(gateway_id, R"({"level":"warn","msg":"Its circuit is open.","upstream":"r"})", now);
  EXPECT_EQ(does.text, "[gate] r: Its circuit is open.\n") << "nobody else looks at it";
}

TEST_F(conducted, who_asks_for_all_of_it_gets_all_of_it) {
  conduct loud(does, true);
  loud.begin(of({command("a")}), now);
  loud.said("a", line("info", "It begins."), now);
  EXPECT_TRUE(does.says("[a] It begins.\n"));
}

}  // namespace
}  // namespace gate::up
