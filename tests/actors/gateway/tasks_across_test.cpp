// Tasks between clients of one generation of MCP and servers of the other, and between those that
// know the extension.
#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto extension = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";
constexpr auto not_there = R"({"code":-32602,"message":"no such task"})";

std::string member(const receipt_ptr& r, std::string_view key) {
  return at(r->last(), "result", key);
}
std::string declared(const sight_ptr& s) {
  return at(s->param("_meta"), "io.modelcontextprotocol/clientCapabilities");
}

/// `a` has no sessions and makes tasks; `b` has sessions, and tasks too.
struct tasks_across : ::testing::Test {
  world w{
      {.config = R"({"upstreams":[
             {"id":"a","url":"http://a.test/mcp","namespace":"a","protocol":"auto"},
             {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})",
       .met = false,
       .prepare = [](fake_network& net) {
         auto& a = *net.at("a");
         a.stateless = true;
         a.capabilities = R"({"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";
         a.tools = {R"({"name":"x","n":1.0})"};
         auto& b = *net.at("b");
         b.version = "2025-11-25";
         b.capabilities = R"({"tools":{},"tasks":{"list":{},"cancel":{},)"
                          R"("requests":{"tools":{"call":{}}}}})";
         b.tools = {R"({"name":"y","execution":{"taskSupport":"required"}})", R"({"name":"z"})"};
       }}};
  client c{w};
  stateless_client s{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");

  tasks_across() {
    s.capabilities = extension;
    const auto r = c.request(
        "0", "initialize",
        R"({"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"tasks":{}}})");
    c.session = r->header("mcp-session-id");
    for (auto* u : {&a, &b}) u->always("tasks/get", reply::error(not_there));
  }
  ~tasks_across() override { EXPECT_EQ(a.wrongs, std::vector<std::string>{}); }

  /// The client with a session, about a task.
  receipt_ptr about(std::string_view method, std::string_view id = "t") {
    return c.request("9", method, R"({"taskId":")" + std::string(id) + R"("})");
  }
  receipt_ptr ask_about(std::string_view method, std::string_view more = {}) {
    return s.request("9", method, R"("taskId":"t")" + std::string(more));
  }
  void mint_at_a() {
    a.next("tools/call",
           reply::result(R"({"resultType":"task","taskId":"t","status":"working","x":1.0,)"
                         R"("ttlMs":60000,"pollIntervalMs":500})"));
  }
  receipt_ptr wish() {
    mint_at_a();
    return c.request("1", "tools/call",
                     R"({"name":"a__x","task":{"ttl":5},"arguments":{"n":1e0}})");
  }
  receipt_ptr make_at_b() {
    b.next("tools/call",
           reply::result(R"({"task":{"taskId":"t","status":"working","ttl":60000}})"));
    return s.call("1", "b__y");
  }
  void tell(fake_upstream& u, std::string_view status, std::string_view more = {}) {
    u.next("tasks/get", reply::result(R"({"taskId":"t","status":")" + std::string(status) + '"' +
                                      std::string(more) + "}"));
  }
};

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
  tell(b, "working", R"(,"ttl":7)");
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

struct tasks_that_ask : tasks_across {
  sight_ptr hearing;
  receipt_ptr begin() {
    s.capabilities = R"({"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";
    make_at_b();
    b.always("tasks/result", {.open = true});
    tell(b, "input_required");
    auto r = ask_about("tasks/get");
    hearing = b.last("tasks/result");
    return r;
  }
  void ask(std::string_view id, std::string_view method = "elicitation/create") {
    fake_upstream::push(hearing, jsonrpc::request(id, method, R"({"message":"m","n":1.0})"));
    w.settle();
  }
};

TEST_F(tasks_that_ask, show_their_questions_and_take_the_answers) {
  const auto r = begin();
  EXPECT_EQ(r->endings, 0);
  ask(R"("s")");
  w.advance(limits::question_gather);
  EXPECT_EQ(member(r, "status"), R"("input_required")");
  const auto shown = member(r, "inputRequests");
  const auto key = shown.substr(2, shown.find('"', 2) - 2);
  EXPECT_EQ(shown, "{\"" + key +
                       R"(":{"method":"elicitation/create",)"
                       R"("params":{"message":"m","n":1.0}}})");
  tell(b, "input_required");
  EXPECT_EQ(member(ask_about("tasks/get"), "inputRequests"), member(r, "inputRequests"))
      << "as often as it is asked for";
  EXPECT_EQ(b.count("tasks/result"), 1U);
  tell(b, "input_required");
  const auto answers = R"(,"inputResponses":{"t9":{},")" + key + R"(":{"action":"accept"}})";
  EXPECT_EQ(at(ask_about("tasks/update", answers)->last(), "result"),
            R"({"resultType":"complete"})");
  ASSERT_EQ(b.count("response"), 1U);
  EXPECT_EQ(at(b.last("response")->body, "id"), R"("s")");
  EXPECT_EQ(at(b.last("response")->body, "result"), R"({"action":"accept"})");
  tell(b, "input_required");
  ask_about("tasks/update", answers);
  EXPECT_EQ(b.count("response"), 1U) << "once";
}

TEST_F(tasks_that_ask, and_then_say_nothing_are_working) {
  const auto r = begin();
  w.advance(limits::task_question);
  EXPECT_EQ(member(r, "status"), R"("working")");
  EXPECT_EQ(member(r, "inputRequests"), "");
}

TEST_F(tasks_that_ask, ask_nothing_that_the_client_did_not_declare) {
  begin();
  ask("5", "sampling/createMessage");
  EXPECT_EQ(at(b.last("response")->body, "error", "code"), "-32601");
  ask("6", "tasks/get");
  EXPECT_EQ(at(b.last("response")->body, "error", "code"), "-32601");
  ask("7", "ping");
  EXPECT_EQ(at(b.last("response")->body, "result"), "{}");
}

TEST_F(tasks_that_ask, may_think_better_of_it) {
  const auto r = begin();
  ask("5");
  fake_upstream::push(hearing,
                      jsonrpc::request({}, "notifications/cancelled", R"({"requestId":5})"));
  w.advance(limits::question_gather);
  EXPECT_EQ(member(r, "status"), R"("working")");
}

TEST_F(tasks_that_ask, are_not_heard_any_more_when_they_have_ended) {
  begin();
  ask("5");
  w.advance(limits::question_gather);
  fake_upstream::push(hearing, R"({"jsonrpc":"2.0","id":)" + hearing->id + R"(,"result":{}})");
  fake_upstream::close(hearing);
  w.settle();
  b.next("tasks/result", reply::result(R"({"content":[]})"));
  tell(b, "completed");
  EXPECT_EQ(member(ask_about("tasks/get"), "result"), R"({"content":[]})");
}

TEST_F(tasks_that_ask, can_be_answered_when_their_stream_has_broken) {
  const auto r = begin();
  ask("5");
  w.advance(limits::question_gather);
  fake_upstream::close(hearing, fetch_end::broken);
  w.settle();
  tell(b, "input_required");
  EXPECT_EQ(member(ask_about("tasks/get"), "inputRequests"), member(r, "inputRequests"));
  EXPECT_EQ(b.count("tasks/result"), 2U) << "there may be more of them";
  const auto shown = member(r, "inputRequests");
  tell(b, "input_required");
  ask_about("tasks/update", R"(,"inputResponses":{)" + shown.substr(1, shown.find('"', 2)) +
                                R"(:{"action":"decline"}})");
  EXPECT_EQ(at(b.last("response")->body, "result"), R"({"action":"decline"})");
}

TEST_F(tasks_that_ask, ask_nobody_who_only_looks_for_them) {
  begin();
  stateless_client bob(w);
  bob.capabilities = s.capabilities;
  const auto before = b.count("tasks/result");
  b.next("tasks/get", reply::result(R"({"taskId":"u","status":"input_required"})"));
  a.next("tasks/get", reply::result(R"({"taskId":"u","status":"working"})"));
  EXPECT_EQ(member(bob.request("1", "tasks/get", R"("taskId":"u")"), "status"), "");
  EXPECT_EQ(b.count("tasks/result"), before);
}

TEST_F(tasks_that_ask, show_each_request_what_that_declared) {
  begin();
  ask("5");
  w.advance(limits::question_gather);
  s.capabilities = extension;
  tell(b, "input_required");
  const auto r = ask_about("tasks/get");
  w.advance(limits::task_question);
  EXPECT_EQ(member(r, "status"), R"("working")");
}

TEST_F(tasks_that_ask, begin_anew_with_another_session) {
  begin();
  ask("5");
  w.advance(limits::question_gather);
  b.forget_sessions();
  b.next("tasks/get", reply::http(404));
  tell(b, "input_required");
  b.always("tasks/result", {.open = true});
  const auto r = ask_about("tasks/get");
  w.advance(limits::task_question);
  EXPECT_EQ(member(r, "status"), R"("working")") << "whoever has asked is gone";
  EXPECT_TRUE(hearing->abandoned);
}

TEST_F(tasks_that_ask, are_heard_up_to_a_bound) {
  begin();
  for (std::size_t i = 1; i < limits::task_hearings + 1; ++i) {
    const auto id = std::to_string(i);
    b.next("tools/call", reply::result(R"({"task":{"taskId":")" + id + R"("}})"));
    s.call("1", "b__y");
    b.next("tasks/get", reply::result(R"({"taskId":")" + id + R"(","status":"input_required"})"));
    s.request("2", "tasks/get", R"("taskId":")" + id + '"');
  }
  EXPECT_EQ(b.count("tasks/result"), limits::task_hearings);
}

}  // namespace
}  // namespace gate
