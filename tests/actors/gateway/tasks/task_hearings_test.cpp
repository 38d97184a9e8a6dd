// Tasks of servers with sessions that want to know something from a client without one.
#include "tests/support/task_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct tasks_that_ask : task_stage {
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

TEST_F(tasks_that_ask, are_heard_as_long_as_there_is_the_session) {
  begin();
  EXPECT_FALSE(hearing->abandoned);
  w.reload(R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a"}]})");
  w.advance(1min);
  EXPECT_TRUE(hearing->abandoned || hearing->finished);
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
