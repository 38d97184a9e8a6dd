// What happens to requests about tasks in each cell.
#include "tests/actors/gateway/stateless/cells/stage.hpp"

namespace gate::cell_table {
namespace {

constexpr auto task_question = R"({"message":"Who?","n":1.0})";
constexpr auto not_there = R"({"code":-32602,"message":"no such task"})";

/// Its client has a task `t` at the server.
class task_scene final : public scene {
 public:
  task_scene(const mcp::method& m, cell of) : scene(m, of, true) {
    a.always("tasks/get", reply::error(not_there));
    a.always("tasks/cancel", reply::error(not_there));
    if (is.server_sessions)
      a.next("tools/call",
             reply::result(R"({"task":{"taskId":"t","status":"working","ttl":60000}})"));
    else
      a.next("tools/call", reply::result(R"({"resultType":"task","taskId":"t",)"
                                         R"("status":"working","ttlMs":60000})"));
    const auto r =
        request("tools/call", std::string(R"("name":"a__x","arguments":{})") +
                                  (is.client_sessions ? R"(,"task":{"ttl":60000})" : ""));
    EXPECT_NE(r->last().find(R"("taskId":"t")"), std::string::npos) << r->last();
    set();
  }

 private:
  receipt_ptr ask(const std::string& more = {}, const char* id = "t") {
    auto r = request(method.name, R"("taskId":")" + std::string(id) + '"' + more);
    w.settle();
    return r;
  }
  receipt_ptr ask_as_meant() {
    return ask(method.name == mcp::names::update_task
                   ? R"(,"inputResponses":{"k":)" + std::string(accepted) + "}"
                   : "");
  }
  /// The next look at the task says so; `more`: raw members.
  void tell(std::string_view status, const std::string& more = {}) {
    a.next("tasks/get", result(R"("taskId":"t","status":")" + std::string(status) + '"' + more));
  }
  bool waits_for_end() const { return method.name == mcp::names::task_result; }
  /// It has ended; its result is told where this server tells it.
  void has_ended() {
    if (is.server_sessions) {
      a.next("tasks/result", reply::result(R"({"_meta":{"io.modelcontextprotocol/related-task":)"
                                           R"({"taskId":"t"}},"content":[1.0]})"));
      return tell("completed");
    }
    tell("completed", R"(,"result":{"resultType":"complete","content":[1.0]})");
  }
  static std::string time(bool sessions) { return sessions ? R"(,"ttl":5)" : R"(,"ttlMs":5)"; }
  /// The status in the answer.
  void expect_status(const receipt_ptr& r, std::string_view status) const {
    EXPECT_EQ(at(r->last(), "result", "status"), status) << r->last();
  }

  void plain() override {
    if (method.name == mcp::names::get_task) {
      tell("working", time(is.server_sessions));
      const auto r = ask();
      expect_status(r, R"("working")");
      EXPECT_EQ(at(r->last(), "result", is.client_sessions ? "ttl" : "ttlMs"), "5");
    } else if (waits_for_end()) {
      has_ended();
      EXPECT_EQ(at(ask()->last(), "result", "content"), "[1.0]");
    } else if (method.name == mcp::names::cancel_task) {
      if (!is.server_sessions) {
        if (is.client_sessions) tell("working");
        if (is.client_sessions) tell("cancelled", time(false));
        a.next("tasks/cancel", result(""));
      } else {
        a.next("tasks/cancel", result(R"("taskId":"t","status":"cancelled")" + time(true)));
      }
      const auto r = ask();
      EXPECT_EQ(at(r->last(), "error"), "");
      if (is.client_sessions) expect_status(r, R"("cancelled")");
    } else {
      if (is.server_sessions) tell("working");
      a.next("tasks/update", result(""));
      EXPECT_EQ(at(ask_as_meant()->last(), "result"), R"({"resultType":"complete"})");
    }
  }

  void input(int rounds) override {
    for (int i = 0; i < rounds; ++i)
      if (is.client_sessions)
        ask_by_requests(std::to_string(i));
      else
        ask_by_answers(std::to_string(i));
  }
  /// A client with a session is asked on the stream of `tasks/result`.
  void ask_by_requests(const std::string& key) {
    if (is.server_sessions) {
      a.next("tasks/result", {.open = true});
    } else {
      tell("input_required", asked(key));
      tell("completed", R"(,"result":{"content":[1.0]})");
      a.next("tasks/update", result(""));
    }
    const auto r = ask();
    const auto at_server = a.last("tasks/result");
    if (is.server_sessions) {
      fake_upstream::push(at_server,
                          jsonrpc::request("9" + key, "elicitation/create", with_related()));
      w.settle();
    }
    ASSERT_EQ(r->events().size(), 1U) << r->body;
    EXPECT_EQ(at(r->events()[0], "params", "n"), "1.0");
    old.post(R"({"jsonrpc":"2.0","id":)" + at(r->events()[0], "id") + R"(,"result":)" + accepted +
             "}");
    w.settle();
    if (is.server_sessions) {
      EXPECT_EQ(at(a.last("response")->body, "result"), accepted);
      fake_upstream::push(at_server, jsonrpc::result_head(at_server->id) +
                                         R"({"_meta":{"io.modelcontextprotocol/related-task":)"
                                         R"({"taskId":"t"}},"content":[1.0]}})");
      fake_upstream::close(at_server);
      w.settle();
    } else {
      EXPECT_EQ(at(a.last("tasks/update")->param("inputResponses"), key), accepted);
      w.advance(limits::task_poll);
    }
    EXPECT_EQ(at(r->last(), "result", "content"), "[1.0]") << r->last();
  }
  /// One without is shown it with the task, and answers by `tasks/update`.
  void ask_by_answers(const std::string& key) {
    if (is.server_sessions) a.always("tasks/result", {.open = true});
    tell("input_required", is.server_sessions ? "" : asked(key));
    const auto r = ask();
    if (is.server_sessions) {
      fake_upstream::push(a.last("tasks/result"),
                          jsonrpc::request("9" + key, "elicitation/create", task_question));
      w.settle();
      w.advance(limits::question_gather);
    }
    expect_status(r, R"("input_required")");
    const auto shown = at(r->last(), "result", "inputRequests");
    const auto shown_key = shown.substr(2, shown.find('"', 2) - 2);
    EXPECT_EQ(at(shown, shown_key, "params"), task_question);
    if (is.server_sessions) tell("input_required");
    a.next("tasks/update", result(""));
    const auto told = request(
        "tasks/update", R"("taskId":"t","inputResponses":{")" + shown_key + "\":" + accepted + "}");
    EXPECT_EQ(at(told->last(), "result"), R"({"resultType":"complete"})");
    if (is.server_sessions) {
      EXPECT_EQ(at(a.last("response")->body, "result"), accepted);
    } else {
      EXPECT_EQ(at(a.last("tasks/update")->param("inputResponses"), key), accepted);
    }
  }
  static std::string asked(const std::string& key) {
    return R"(,"inputRequests":{")" + key + R"(":{"method":"elicitation/create","params":)" +
           task_question + "}}";
  }
  static std::string with_related() {
    return R"({"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}},)" +
           std::string(task_question).substr(1);
  }

  /// What it is asked first, whichever request that is.
  sight_ptr latest() const {
    for (auto it = a.seen().rbegin(); it != a.seen().rend(); ++it)
      if ((*it)->method.starts_with("tasks/")) return *it;
    return nullptr;
  }
  void is_silent() {
    for (const auto* m : {"tasks/get", "tasks/result", "tasks/cancel", "tasks/update"})
      a.always(m, reply::silence());
  }

  void cancel() override {
    is_silent();
    const auto before = a.seen().size();
    const auto r = ask_as_meant();
    const auto at_server = latest();
    give_up(r);
    EXPECT_TRUE(at_server->abandoned);
    EXPECT_EQ(a.count("notifications/cancelled"), is.server_sessions ? 1U : 0U);
    w.advance(1min);
    EXPECT_EQ(a.seen().size(), before + (is.server_sessions ? 2U : 1U)) << "it is let be";
    EXPECT_EQ(w.audit(method.name).size(), 1U);
  }
  void error() override {
    for (const auto* m : {"tasks/get", "tasks/result", "tasks/cancel", "tasks/update"})
      a.always(m, reply::error(R"({"code":-32602,"message":"m","data":{"n":1.0}})"));
    EXPECT_EQ(at(ask_as_meant()->last(), "error"),
              R"({"code":-32602,"message":"m","data":{"n":1.0}})");
  }
  void lost() override {
    is_silent();
    const auto r = ask_as_meant();
    fake_upstream::answer(latest(), reply::failure(fetch_end::broken));
    w.settle();
    EXPECT_EQ(at(r->last(), "error", "code"), code("-32041", "-31041")) << r->last();
  }
  /// Somebody else's.
  void tampering() override {
    const auto r =
        ask(method.name == mcp::names::update_task ? R"(,"inputResponses":{})" : "", "foreign");
    EXPECT_EQ(at(r->last(), "error", "code"), code("-32002", "-32602")) << r->last();
    EXPECT_EQ(a.count(method.name), method.name == mcp::names::get_task ? 1U : 0U)
        << "it is only looked for";
  }
  void restart() override {
    plain();
    server_restarts();
    plain();
  }
};

}  // namespace

scene_ptr about_a_task(const mcp::method& m, cell of) {
  return std::make_unique<task_scene>(m, of);
}

}  // namespace gate::cell_table
