// Tasks between clients of one generation of MCP and servers of the other, and between those that
// know the extension.
#include "tests/support/task_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct tasks_across : task_stage {};

// --- what is declared ----------------------------------------------------------------------------

TEST_F(tasks_across, are_declared_to_both) {
  const auto d = s.request("1", "server/discover");
  EXPECT_EQ(at(d->last(), "result", "capabilities", "extensions"),
            R"({"io.modelcontextprotocol/tasks":{}})")
      << d->body;
  const auto initialized = [&](std::string_view version) {
    client other(w);
    const auto r =
        other.request("0", "initialize",
                      R"({"protocolVersion":")" + std::string(version) + R"(","capabilities":{}})");
    return at(r->last(), "result", "capabilities");
  };
  EXPECT_NE(at(initialized("2025-11-25"), "tasks", "requests"), "");
  EXPECT_EQ(at(initialized("2025-06-18"), "tasks"), "");
  EXPECT_EQ(at(initialized("2025-11-25"), "extensions"), "");
}

TEST_F(tasks_across, are_shown_with_the_tools_to_those_who_ask_for_them) {
  const auto mine = at(c.list("1")->last(), "result", "tools");
  EXPECT_NE(mine.find(R"({"execution":{"taskSupport":"optional"},"name":"a__x","n":1.0})"),
            std::string::npos)
      << mine;
  const auto theirs = at(s.request("1", "tools/list")->last(), "result", "tools");
  EXPECT_NE(theirs.find(R"({"name":"a__x","n":1.0})"), std::string::npos) << theirs;
}

// --- neither has sessions ------------------------------------------------------------------------

TEST_F(tasks_across, pass_between_those_who_know_the_extension) {
  mint_at_a();
  const auto r = s.call("1", "a__x");
  EXPECT_EQ(at(r->last(), "result"),
            R"({"resultType":"task","taskId":"t","status":"working","x":1.0,"ttlMs":60000,)"
            R"("pollIntervalMs":500})");
  a.next("tasks/get", reply::result(R"({"resultType":"complete","taskId":"t","y":1.0})"));
  const auto got = ask_about("tasks/get", R"(,"v":1e0)");
  EXPECT_EQ(at(got->last(), "result"), R"({"resultType":"complete","taskId":"t","y":1.0})")
      << got->body;
  EXPECT_EQ(a.last("tasks/get")->param("v"), "1e0");
  EXPECT_EQ(declared(a.last("tasks/get")), extension);
  a.next("tasks/update", reply::result(R"({"resultType":"complete"})"));
  EXPECT_EQ(member(ask_about("tasks/update", R"(,"inputResponses":{"k":{}})"), "resultType"),
            R"("complete")");
  EXPECT_EQ(a.last("tasks/update")->param("inputResponses"), R"({"k":{}})");
  a.next("tasks/cancel", reply::result(R"({"resultType":"complete"})"));
  EXPECT_EQ(member(ask_about("tasks/cancel"), "resultType"), R"("complete")");
  EXPECT_EQ(b.count("tasks/get"), 0U) << "it is known whose it is";
}

TEST_F(tasks_across, are_for_clients_that_declare_them) {
  s.capabilities = "{}";
  for (const auto* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    const auto r = ask_about(method);
    EXPECT_EQ(r->status, 400) << method;
    EXPECT_EQ(at(r->last(), "error", "code"), "-32021");
    EXPECT_EQ(at(r->last(), "error", "data", "requiredCapabilities"), extension);
  }
  EXPECT_EQ(a.count("tasks/get"), 0U);
}

TEST_F(tasks_across, that_session_clients_alone_have_are_unknown_methods_to_others) {
  for (const auto* method : {"tasks/list", "tasks/result"})
    EXPECT_EQ(ask_about(method)->status, 404) << method;
}

TEST_F(tasks_across, are_told_of_to_clients_that_declare_them) {
  const auto r = [&] {
    return s.request("1", "subscriptions/listen", R"("notifications":{"taskIds":["t"]})");
  };
  EXPECT_EQ(at(r()->events().front(), "params", "notifications"), "{}");
  s.capabilities = "{}";
  EXPECT_EQ(at(r()->last(), "error", "code"), "-32021");
}

TEST_F(tasks_across, of_nobody_are_refused_in_one_way) {
  EXPECT_EQ(at(ask_about("tasks/get")->last(), "error", "code"), "-32602");
  EXPECT_EQ(a.count("tasks/get"), 1U);
  EXPECT_EQ(b.count("tasks/get"), 1U);
}

TEST_F(tasks_across, that_nobody_knows_here_are_found_at_either) {
  for (int i = 0; i < 2; ++i) tell(b, "working", R"(,"ttl":7)");  // it is looked for, then asked
  EXPECT_EQ(member(ask_about("tasks/get"), "ttlMs"), "7");
  tell(a, "working", R"(,"ttlMs":8)");
  EXPECT_EQ(member(about("tasks/get"), "ttl"), "8");
}

// --- a client with a session, a server without ---------------------------------------------------

TEST_F(tasks_across, of_the_extension_are_made_for_session_clients_that_wish_for_them) {
  const auto r = wish();
  EXPECT_EQ(at(r->last(), "result"),
            R"({"task":{"taskId":"t","status":"working","x":1.0,"ttl":60000,)"
            R"("pollInterval":500}})");
  const auto seen = a.last("tools/call");
  EXPECT_EQ(seen->param("task"), "");
  EXPECT_EQ(seen->param("arguments"), R"({"n":1e0})");
  EXPECT_EQ(at(declared(seen), "extensions"), R"({"io.modelcontextprotocol/tasks":{}})");
  tell(a, "working", R"(,"ttlMs":1,"resultType":"complete")");
  EXPECT_EQ(at(about("tasks/get")->last(), "result"),
            R"({"taskId":"t","status":"working","ttl":1})");
}

TEST_F(tasks_across, are_not_made_for_session_clients_that_do_not) {
  c.call("1", "a__x");
  EXPECT_EQ(at(declared(a.last("tools/call")), "extensions"), "");
  mint_at_a();
  EXPECT_EQ(at(c.call("2", "a__x")->last(), "error", "code"), "-32041");
}

TEST_F(tasks_across, that_were_answered_at_once_have_ended) {
  a.next("tools/call", reply::result(R"({"resultType":"complete","content":[1.0]})"));
  const auto r = c.request("1", "tools/call", R"({"name":"a__x","task":{}})");
  const auto task = at(r->last(), "result", "task");
  EXPECT_EQ(at(task, "status"), R"("completed")") << r->last();
  EXPECT_NE(at(task, "createdAt"), "");
  auto id = at(task, "taskId");
  id = id.substr(1, id.size() - 2);
  EXPECT_EQ(at(about("tasks/get", id)->last(), "result"), task);
  const auto result = at(about("tasks/result", id)->last(), "result");
  EXPECT_EQ(at(result, "content"), "[1.0]");
  EXPECT_EQ(at(result, "_meta", "io.modelcontextprotocol/related-task", "taskId"),
            at(task, "taskId"));
  EXPECT_EQ(at(about("tasks/cancel", id)->last(), "error", "code"), "-32602");
  EXPECT_EQ(a.count("tasks/get"), 0U);
  w.advance(limits::ended_task_time);
  EXPECT_NE(at(about("tasks/get", id)->last(), "error"), "");
  EXPECT_EQ(a.count("tasks/get"), 1U) << "it is as good as any other that the server does not know";
}

TEST_F(tasks_across, are_waited_for_by_looking) {
  wish();
  tell(a, "working", R"(,"pollIntervalMs":500)");
  tell(a, "working", R"(,"pollIntervalMs":500)");
  tell(a, "completed", R"(,"result":{"resultType":"complete","content":[1.0]})");
  const auto r = about("tasks/result");
  EXPECT_EQ(a.count("tasks/get"), 1U);
  w.advance(499ms);
  EXPECT_EQ(a.count("tasks/get"), 1U);
  w.advance(1ms);
  EXPECT_EQ(a.count("tasks/get"), 2U);
  w.advance(500ms);
  EXPECT_EQ(a.count("tasks/get"), 3U);
  EXPECT_EQ(at(r->last(), "result"),
            R"({"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}},"content":[1.0]})");
  ASSERT_EQ(w.audit("tasks/result").size(), 1U);
  EXPECT_EQ(at(w.audit("tasks/result")[0], "upstreamCalls"), "3");
}

TEST_F(tasks_across, of_the_extension_end_as_session_clients_know_it) {
  wish();
  tell(a, "failed", R"(,"error":{"code":4711,"message":"e","data":1.0})");
  EXPECT_EQ(at(about("tasks/result")->last(), "error"),
            R"({"code":4711,"message":"e","data":1.0})");
  tell(a, "cancelled");
  EXPECT_EQ(at(about("tasks/result")->last(), "error", "code"), "-32603");
  tell(a, "completed", R"(,"result":{"isError":true})");
  EXPECT_EQ(member(about("tasks/get"), "status"), R"("failed")");
  tell(a, "completed");
  EXPECT_EQ(at(about("tasks/result")->last(), "error", "code"), "-32603") << "without a result";
}

TEST_F(tasks_across, of_the_extension_are_cancelled_if_they_have_not_ended) {
  wish();
  tell(a, "working");
  tell(a, "cancelled", R"(,"ttlMs":3)");
  a.next("tasks/cancel", reply::result(R"({"resultType":"complete"})"));
  EXPECT_EQ(at(about("tasks/cancel")->last(), "result"),
            R"({"taskId":"t","status":"cancelled","ttl":3})");
  tell(a, "completed");
  EXPECT_EQ(at(about("tasks/cancel")->last(), "error", "code"), "-32602");
  EXPECT_EQ(a.count("tasks/cancel"), 1U);
}

TEST_F(tasks_across, of_the_extension_ask_by_requests) {
  wish();
  const std::string asks = R"(,"inputRequests":{"k":{"method":"elicitation/create",)"
                           R"("params":{"message":"Who?","n":1.0}}})";
  tell(a, "input_required", asks);
  const auto r = about("tasks/result");
  ASSERT_EQ(r->events().size(), 1U) << r->body;
  EXPECT_EQ(at(r->events()[0], "params"),
            R"({"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}},)"
            R"("message":"Who?","n":1.0})");
  a.next("tasks/update", reply::result(R"({"resultType":"complete"})"));
  tell(a, "input_required", asks);  // it has not noticed yet
  tell(a, "completed", R"(,"result":{"content":[]})");
  c.post(R"({"jsonrpc":"2.0","id":)" + at(r->events()[0], "id") +
         R"(,"result":{"action":"accept","content":{"n":1.0}}})");
  ASSERT_EQ(a.count("tasks/update"), 1U);
  EXPECT_EQ(a.last("tasks/update")->param("taskId"), R"("t")");
  EXPECT_EQ(a.last("tasks/update")->param("inputResponses"),
            R"({"k":{"action":"accept","content":{"n":1.0}}})");
  EXPECT_EQ(r->events().size(), 1U) << "nothing is asked twice";
  w.advance(limits::task_poll);
  EXPECT_EQ(at(r->last(), "result", "content"), "[]") << r->last();
}

TEST_F(tasks_across, whose_questions_are_answered_are_looked_at_again) {
  wish();
  tell(a, "input_required", R"(,"inputRequests":{})");
  tell(a, "completed", R"(,"result":{"resultType":"input_required","requestState":"s"})");
  const auto r = about("tasks/result");
  EXPECT_EQ(r->endings, 0);
  w.advance(limits::task_poll);
  EXPECT_EQ(at(r->last(), "error", "code"), "-32603") << "that is no end: " << r->last();
  a.next("tasks/get", reply::result(R"({"nothing":0})"));
  EXPECT_EQ(at(about("tasks/result")->last(), "error", "code"), "-32041");
}

TEST_F(tasks_across, that_do_not_end_are_not_waited_for_without_end) {
  wish();
  a.always("tasks/get", reply::result(R"({"taskId":"t","status":"working",)"
                                      R"("pollIntervalMs":0})"));
  const auto r = about("tasks/result");
  w.advance(10s);
  EXPECT_LE(a.count("tasks/get"), 41U);
  w.advance(limits::task_result);
  EXPECT_EQ(at(r->last(), "error", "code"), "-32041") << r->last();
  const auto before = a.count("tasks/get");
  w.advance(10s);
  EXPECT_EQ(a.count("tasks/get"), before);
}

TEST_F(tasks_across, are_not_looked_at_for_a_client_that_has_given_up) {
  wish();
  a.always("tasks/get", reply::result(R"({"taskId":"t","status":"working"})"));
  about("tasks/result");
  const auto before = a.count("tasks/get");
  c.cancel("9");
  w.advance(1min);
  EXPECT_EQ(a.count("tasks/get"), before);
}

// --- a client without a session, a server with sessions ------------------------------------------

TEST_F(tasks_across, of_tools_that_can_not_be_called_otherwise_are_made_for_stateless_clients) {
  const auto r = make_at_b();
  EXPECT_EQ(at(r->last(), "result"),
            R"({"resultType":"task","taskId":"t","status":"working","ttlMs":60000})");
  EXPECT_EQ(b.last("tools/call")->param("task"), "{}");
  s.call("2", "b__z");
  EXPECT_EQ(b.last("tools/call")->param("task"), "") << "one that can";
}

TEST_F(tasks_across, without_a_name_are_neither_tasks_nor_results) {
  for (const auto* task : {"{}", "null", R"("t")", "[]", R"({"taskId":7})", R"({"taskId":""})"}) {
    b.next("tools/call", reply::result(R"({"task":)" + std::string(task) + "}"));
    EXPECT_EQ(at(s.call("1", "b__y")->last(), "error", "code"), "-31041") << task;
  }
}

TEST_F(tasks_across, take_answers_by_their_keys) {
  make_at_b();
  for (const auto* more : {"", R"(,"inputResponses":[])", R"(,"inputResponses":null)"})
    EXPECT_EQ(at(ask_about("tasks/update", more)->last(), "error", "code"), "-32602") << more;
  EXPECT_EQ(b.count("tasks/get"), 0U);
}

TEST_F(tasks_across, of_such_tools_are_refused_to_clients_that_can_not_have_them) {
  s.request("0", "tools/list");
  s.capabilities = "{}";
  const auto r = s.call("1", "b__y");
  EXPECT_EQ(r->status, 400);
  EXPECT_EQ(at(r->last(), "error", "code"), "-32021");
  EXPECT_EQ(at(r->last(), "error", "data", "requiredCapabilities"), extension);
  EXPECT_EQ(b.count("tools/call"), 0U);
}

TEST_F(tasks_across, of_session_servers_are_shown_with_what_they_have_come_to) {
  make_at_b();
  tell(b, "working", R"(,"ttl":5,"pollInterval":6)");
  EXPECT_EQ(at(ask_about("tasks/get")->last(), "result"),
            R"({"resultType":"complete","taskId":"t","status":"working","ttlMs":5,)"
            R"("pollIntervalMs":6})");
  EXPECT_EQ(b.count("tasks/result"), 0U);
  tell(b, "completed");
  b.next("tasks/result", reply::result(R"({"content":[1.0]})"));
  EXPECT_EQ(at(ask_about("tasks/get")->last(), "result"),
            R"({"resultType":"complete","status":"completed","result":{"content":[1.0]},)"
            R"("taskId":"t"})");
  tell(b, "failed");
  b.next("tasks/result", reply::result(R"({"isError":true})"));
  auto r = ask_about("tasks/get");
  EXPECT_EQ(member(r, "status"), R"("completed")");
  EXPECT_EQ(member(r, "result"), R"({"isError":true})");
  tell(b, "failed");
  b.next("tasks/result", reply::error(R"({"code":4711,"message":"e"})"));
  r = ask_about("tasks/get");
  EXPECT_EQ(member(r, "status"), R"("failed")");
  EXPECT_EQ(member(r, "error"), R"({"code":4711,"message":"e"})");
}

TEST_F(tasks_across, of_session_servers_are_cancelled_with_an_acknowledgement) {
  make_at_b();
  b.next("tasks/cancel", reply::result(R"({"taskId":"t","status":"cancelled"})"));
  EXPECT_EQ(at(ask_about("tasks/cancel")->last(), "result"), R"({"resultType":"complete"})");
  b.next("tasks/cancel", reply::error(R"({"code":-32602,"message":"it has ended"})"));
  tell(b, "completed");
  EXPECT_EQ(at(ask_about("tasks/cancel")->last(), "result"), R"({"resultType":"complete"})");
  b.next("tasks/cancel", reply::error(not_there));
  EXPECT_EQ(at(ask_about("tasks/cancel")->last(), "error"), not_there);
}

}  // namespace
}  // namespace gate
