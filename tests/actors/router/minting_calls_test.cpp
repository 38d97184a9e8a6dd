#include "actors/router/minting_calls.hpp"

#include "protocol/mcp/stateless/envelope.hpp"
#include "tests/actors/support/router_stage.hpp"

namespace gate::routing {
namespace {

using tasks::minting;

struct calls_that_may_mint : sim::router_stage {
  sessions::session_ptr s = open();

  sim::receipt_ptr call(const std::string& more = R"(,"task":{})") {
    return post(s->id, R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__x")" +
                           more + "}}");
  }
  sim::receipt_ptr call_stateless(const std::string& capabilities) {
    return arrive(
        verb::post,
        {"Content-Type: application/json", "Accept: application/json, text/event-stream",
         "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: a__x"},
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__x","arguments":{},)"
        R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        R"("io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},)"
        R"("io.modelcontextprotocol/clientCapabilities":)" +
            capabilities + "}}}");
  }
  answered answer_with(gate::answer what, std::string_view raw_task = {}) {
    answered m;
    m.call = doors.calls.back().second.call;
    m.what = what;
    m.payload = "{}";
    m.task = raw_task;
    it.calls.on_answered(m);
    return m;
  }
  /// What TASKS was told since the last time.
  std::vector<minting> told() {
    std::vector<minting> out;
    for (const auto& m : std::exchange(doors.mintings, {})) out.push_back(m.what);
    return out;
  }
  void cancel() {
    post(s->id, R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  }
};

TEST_F(calls_that_may_mint, are_told_to_the_ledger_from_beginning_to_end) {
  call();
  ASSERT_EQ(doors.mintings.size(), 1U);
  EXPECT_EQ(doors.mintings[0].upstream, "a");
  EXPECT_EQ(told(), std::vector{minting::begun});
  answer_with(gate::answer::result, R"("t")");
  EXPECT_EQ(doors.pinned.size(), 1U);
  EXPECT_EQ(told(), std::vector{minting::answered});
  it.on_timer(timer::upkeep);
  it.on_timer(timer::upkeep);
  EXPECT_TRUE(told().empty());
}

TEST_F(calls_that_may_mint, are_not_those_that_do_not_ask_for_a_task) {
  call("");
  call(R"(,"arguments":{"task":{}},"_meta":{})");
  EXPECT_TRUE(told().empty());
}

TEST_F(calls_that_may_mint, are_those_of_stateless_clients_that_take_tasks) {
  call_stateless("{}");
  EXPECT_TRUE(told().empty());
  call_stateless(R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})");
  // (It waits for the list of tools, which says whether this one becomes a task.)
  for (auto& [upstream, wanted] : doors.take<fetch_list>()) list(upstream, wanted, {"x"});
  EXPECT_EQ(told(), std::vector{minting::begun});
}

TEST_F(calls_that_may_mint, are_all_where_tasks_are_made_of_calls_that_ask_for_none) {
  call("");
  answer_with(gate::answer::result, R"("t")");
  EXPECT_TRUE(told().empty()) << "who would have known";
  call("");
  EXPECT_EQ(told(), std::vector{minting::begun});
  post(s->id, R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b__x"}})");
  EXPECT_TRUE(told().empty());
}

TEST_F(calls_that_may_mint, go_on_while_their_client_is_asked) {
  const auto r =
      call_stateless(R"({"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})");
  for (auto& [upstream, wanted] : doors.take<fetch_list>()) list(upstream, wanted, {"x"});
  server_request asks;
  asks.call = doors.calls.back().second.call;
  asks.id = "7";
  asks.text = R"({"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"?"}})";
  it.requests.on_server_request(asks);
  pass(limits::question_gather);
  it.on_timer(timer::questions);
  ASSERT_NE(r->last().find("requestState"), std::string::npos) << r->last();
  for (int i = 0; i < 3; ++i) it.on_timer(timer::upkeep);
  EXPECT_EQ(told(), std::vector{minting::begun});
  answer_with(gate::answer::result, R"("t")");
  ASSERT_EQ(doors.pinned.size(), 1U) << "though its client has yet to come back";
  EXPECT_EQ(told(), std::vector{minting::answered});
}

TEST_F(calls_that_may_mint, are_over_with_an_error_and_with_a_refusal) {
  call();
  answer_with(gate::answer::error);
  EXPECT_EQ(told(), (std::vector{minting::begun, minting::answered}));
  call();
  answered m;
  m.call = doors.calls.back().second.call;
  m.upstream_calls = 0;
  it.calls.on_answered(m);
  EXPECT_EQ(told(), (std::vector{minting::begun, minting::answered})) << "it was never sent";
}

TEST_F(calls_that_may_mint, are_lost_without_an_answer) {
  call();
  answer_with(gate::answer::down);
  EXPECT_EQ(told(), (std::vector{minting::begun, minting::lost}));
}

TEST_F(calls_that_may_mint, are_lost_a_little_after_they_are_cancelled) {
  call();
  cancel();
  it.on_timer(timer::upkeep);
  EXPECT_EQ(told(), std::vector{minting::begun}) << "its answer may be on its way";
  it.on_timer(timer::upkeep);
  EXPECT_EQ(told(), std::vector{minting::lost});
  EXPECT_EQ(it.tasks.mintings().size(), 0U);
}

TEST_F(calls_that_may_mint, own_what_an_answer_names_that_comes_too_late) {
  call();
  cancel();
  it.on_timer(timer::upkeep);
  answer_with(gate::answer::result, R"("t")");
  ASSERT_EQ(doors.pinned.size(), 1U);
  EXPECT_EQ(doors.pinned[0].id, "t");
  EXPECT_EQ(doors.pinned[0].where, (tasks::place{"a", 0, s->key}));
  EXPECT_EQ(told(), (std::vector{minting::begun, minting::answered}));
}

TEST_F(calls_that_may_mint, are_told_again_to_a_ledger_that_was_restarted) {
  call();
  told();
  it.tasks.mintings().tell_again();
  EXPECT_EQ(told(), std::vector{minting::begun});
}

TEST_F(calls_that_may_mint, are_lost_with_their_unit) {
  call();
  told();
  it.clear();
  EXPECT_EQ(told(), std::vector{minting::lost});
}

}  // namespace
}  // namespace gate::routing
