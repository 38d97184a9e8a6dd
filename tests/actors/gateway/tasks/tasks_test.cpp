// Tasks: minted, found again, listed, and nobody else's.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto with_tasks =
    R"({"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}})";

std::string task(std::string_view id, std::string_view status = "working") {
  return R"({"taskId":")" + std::string(id) + R"(","status":")" + std::string(status) + R"("})";
}

struct tasks_at_two : ::testing::Test {
  world w;
  client c{w}, d{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");

  tasks_at_two() {
    for (auto* u : {&a, &b}) {
      u->version = "2025-11-25";
      u->capabilities = with_tasks;
      u->always("tasks/get", reply::error(R"({"code":-32602,"message":"Task not found"})"));
    }
    c.capabilities = d.capabilities = R"({"elicitation":{}})";
    c.initialize();
    d.initialize();
  }
  /// A task of `b` for `who`, minted in the way that the result says.
  void mint(client& who, std::string result = R"({"task":{"taskId":"t1","status":"working"}})") {
    b.next("tools/call", reply::result(std::move(result)));
    who.call("1", "b__x");
  }
  receipt_ptr about(client& who, std::string_view method, std::string_view id = "t1") {
    return who.request("9", method, R"({"x":1.0,"taskId":")" + std::string(id) + R"("})");
  }
};

TEST_F(tasks_at_two, go_back_to_the_upstream_and_session_that_minted_them) {
  for (auto result :
       {R"({"task":{"taskId":"t1"}})", R"({"content":[],"_meta":{"task":{"taskId":"t1"}}})",
        R"({"resultType":"task","taskId":"t1"})"}) {
    mint(c, result);
    b.next("tasks/get", reply::result(task("t1")));
    const auto before = a.seen().size();
    auto r = about(c, "tasks/get");
    EXPECT_EQ(at(r->last(), "result"), task("t1")) << result;
    EXPECT_EQ(a.seen().size(), before) << "the other one is not asked";
    EXPECT_EQ(b.last("tasks/get")->session, b.last("tools/call")->session);
    EXPECT_EQ(at(b.last("tasks/get")->body, "params"), R"({"x":1.0,"taskId":"t1"})");
  }
}

TEST_F(tasks_at_two, the_owners_error_passes) {
  mint(c);
  b.next("tasks/cancel", reply::error(R"({"code":-32602,"message":"it has ended","n":1.0})"));
  EXPECT_EQ(at(about(c, "tasks/cancel")->last(), "error"),
            R"({"code":-32602,"message":"it has ended","n":1.0})");
  EXPECT_EQ(at(w.audit("tasks/cancel")[0], "upstream"), R"("b")");
  EXPECT_EQ(at(w.audit("tasks/cancel")[0], "name"), R"("t1")");
}

TEST_F(tasks_at_two, another_session_of_the_caller_reaches_them_through_the_minting_one) {
  mint(c);
  b.next("tasks/get", reply::result(task("t1")));
  EXPECT_EQ(at(about(d, "tasks/get")->last(), "result"), task("t1"));
  EXPECT_EQ(b.last("tasks/get")->session, b.last("tools/call")->session);
}

TEST_F(tasks_at_two, without_their_session_go_over_the_root_session) {
  mint(c);
  c.end();
  b.next("tasks/get", reply::result(task("t1")));
  EXPECT_EQ(at(about(d, "tasks/get")->last(), "result"), task("t1"));
  EXPECT_NE(b.last("tasks/get")->session, b.last("tools/call")->session);
  EXPECT_EQ(b.count("initialize"), 2U);
}

TEST_F(tasks_at_two, keep_their_session_from_being_swept) {
  mint(c);
  w.advance(6min);
  EXPECT_EQ(b.count("DELETE"), 0U);
  c.end();
  EXPECT_EQ(b.count("DELETE"), 1U);
}

TEST_F(tasks_at_two, that_nobody_minted_here_are_looked_for_and_only_the_owner_is_told) {
  b.next("tasks/get", reply::result(task("old")));
  b.next("tasks/cancel", reply::result(task("old", "cancelled")));
  EXPECT_EQ(at(about(c, "tasks/cancel", "old")->last(), "result"), task("old", "cancelled"));
  EXPECT_EQ(a.count("tasks/get"), 1U);
  EXPECT_EQ(a.count("tasks/cancel"), 0U);
  EXPECT_EQ(b.count("tasks/cancel"), 1U);
  EXPECT_EQ(at(w.audit("tasks/cancel")[0], "upstreamCalls"), "3");
}

TEST_F(tasks_at_two, the_look_is_the_answer_to_tasks_get) {
  b.next("tasks/get", reply::result(task("old")));
  EXPECT_EQ(at(about(c, "tasks/get", "old")->last(), "result"), task("old"));
  EXPECT_EQ(b.count("tasks/get"), 1U);
  EXPECT_EQ(at(w.audit("tasks/get")[0], "upstreamCalls"), "2");
}

TEST_F(tasks_at_two, the_first_in_configuration_order_has_it) {
  a.next("tasks/get", reply::result(R"({"from":"a"})", 500ms));
  b.next("tasks/get", reply::result(R"({"from":"b"})"));
  auto r = about(c, "tasks/get", "both");
  EXPECT_EQ(r->endings, 0);
  w.advance(500ms);
  EXPECT_EQ(at(r->last(), "result", "from"), R"("a")");
}

TEST_F(tasks_at_two, an_upstream_that_hangs_keeps_them_for_a_moment_only) {
  a.next("tasks/get", reply::silence());
  b.next("tasks/get", reply::result(task("old")));
  auto r = about(c, "tasks/get", "old");
  EXPECT_EQ(r->endings, 0);
  w.advance(1s);
  EXPECT_EQ(r->endings, 1);
}

TEST_F(tasks_at_two, that_do_not_exist_are_unknown) {
  for (auto method : {"tasks/get", "tasks/result", "tasks/cancel", "tasks/update"}) {
    auto r = about(c, method, "none");
    EXPECT_EQ(r->status, 200);
    EXPECT_EQ(at(r->last(), "error", "code"), "-32002") << method;
    EXPECT_EQ(at(r->last(), "error", "message"), R"("no upstream owns task \"none\"")");
    EXPECT_EQ(at(r->last(), "error", "data", "gate", "reason"), R"("task_unknown")");
  }
}

TEST_F(tasks_at_two, that_may_be_at_a_silent_upstream_are_not_called_unknown) {
  a.next("tasks/get", reply::silence());
  auto r = about(c, "tasks/get", "none");
  w.advance(9s);
  EXPECT_EQ(r->endings, 0);
  w.advance(2s);
  EXPECT_EQ(at(r->last(), "error", "code"), "-32041");
}

TEST_F(tasks_at_two, need_an_id) {
  for (auto params : {"{}", R"({"taskId":7})", R"({"taskId":""})"})
    EXPECT_EQ(at(c.request("9", "tasks/get", params)->body, "error", "code"), "-32602") << params;
  EXPECT_EQ(c.request("9", "tasks/get", R"({"taskId":"a","taskId":"b"})")->status, 400);
  const auto long_id = R"({"taskId":")" + std::string(2000, 'x') + "\"}";
  EXPECT_EQ(at(c.request("9", "tasks/get", long_id)->body, "error", "code"), "-32602");
  EXPECT_EQ(a.count("tasks/get"), 0U);
}

TEST_F(tasks_at_two, a_look_that_is_cancelled_ends_everywhere) {
  for (auto* u : {&a, &b}) u->next("tasks/get", reply::silence());
  auto r = about(c, "tasks/get", "old");
  c.cancel("9");
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(a.count("notifications/cancelled"), 1U);
  EXPECT_EQ(b.count("notifications/cancelled"), 1U);
  EXPECT_EQ(w.audit("tasks/get").size(), 1U);
}

TEST_F(tasks_at_two, ask_the_client_that_waits_for_the_result) {
  mint(c);
  c.end();
  b.next("tasks/result", reply{.open = true});
  auto r = about(d, "tasks/result");
  fake_upstream::push(b.last("tasks/result"),
                      R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}})");
  w.settle();
  ASSERT_EQ(r->events().size(), 1U);
  d.post(R"({"jsonrpc":"2.0","id":)" + at(r->events()[0], "id") +
         R"(,"result":{"action":"decline"}})");
  ASSERT_EQ(b.count("response"), 1U);
  EXPECT_EQ(b.last("response")->session, b.last("tasks/result")->session);
  fake_upstream::push(b.last("tasks/result"), R"({"jsonrpc":"2.0","id":$id,"result":{"y":2}})");
  w.settle();
  EXPECT_EQ(at(r->last(), "result"), R"({"y":2})");
}

TEST_F(tasks_at_two, may_take_longer_than_other_requests_to_have_a_result) {
  mint(c);
  b.next("tasks/result", reply::result(R"({"late":1})", 5min));
  auto r = about(c, "tasks/result");
  w.advance(5min);
  EXPECT_EQ(at(r->last(), "result"), R"({"late":1})");
}

TEST_F(tasks_at_two, are_listed_by_id_with_all_pages) {
  a.tasks = {task("5"), task("1"), task("3")};
  b.tasks = {task("4"), task("2"), R"({"n":1.0,"taskId":"0"})"};
  a.page_size = b.page_size = 2;
  auto r = c.request("1", "tasks/list");
  auto sorted = "[" + b.tasks[2] + "," + a.tasks[1] + "," + b.tasks[1];
  sorted += "," + a.tasks[2] + "," + b.tasks[0] + "," + a.tasks[0] + "]";
  EXPECT_EQ(at(r->last(), "result", "tasks"), sorted);
  EXPECT_EQ(at(w.audit("tasks/list")[0], "itemsServed"), "6");
}

TEST_F(tasks_at_two, are_listed_over_the_callers_session) {
  mint(c);
  b.tasks = {task("t1")};
  c.request("2", "tasks/list");
  EXPECT_EQ(b.last("tasks/list")->session, b.last("tools/call")->session);
}

TEST_F(tasks_at_two, a_list_says_who_is_missing_and_waits_no_longer_than_others) {
  a.always("tasks/list", reply::silence());
  b.tasks = {task("4")};
  auto r = c.request("1", "tasks/list");
  w.advance(11s);
  EXPECT_EQ(at(r->last(), "result", "tasks"), "[" + task("4") + "]");
  EXPECT_EQ(at(r->last(), "result", "_meta", "gate/partialFailure", "failedUpstreams"), R"(["a"])");
  b.always("tasks/list", reply::http(500));
  a.always("tasks/list", reply::http(500));
  EXPECT_EQ(at(c.request("2", "tasks/list")->body, "error", "code"), "-32041");
}

TEST_F(tasks_at_two, an_upstream_that_hangs_delays_one_list) {
  a.always("tasks/list", reply::silence());
  b.tasks = {task("4")};
  c.request("1", "tasks/list");
  w.advance(11s);
  for (auto* who : {&c, &d}) {
    const auto r = who->request("2", "tasks/list");
    w.advance(2s);
    ASSERT_TRUE(r->done()) << "whoever asks";
    EXPECT_EQ(at(r->last(), "result", "_meta", "gate/partialFailure", "failedUpstreams"),
              R"(["a"])");
  }
}

TEST_F(tasks_at_two, what_nobody_waits_for_any_more_ends_at_the_upstream) {
  a.next("tasks/list", reply::silence());
  const auto r = c.request("1", "tasks/list");
  const auto hung = a.last("tasks/list");
  w.advance(9s);
  EXPECT_FALSE(hung->abandoned);
  w.advance(2s);
  EXPECT_EQ(r->endings, 1);
  EXPECT_TRUE(hung->abandoned);
  EXPECT_EQ(a.count("notifications/cancelled"), 1U);
  for (const auto* id : {"2", "3"}) {
    a.next("tasks/list", reply::silence());
    c.request(id, "tasks/list");
    w.advance(2s);
  }
  EXPECT_EQ(a.under_way("tasks/list").size(), 1U) << "one that was late has all of its time, once";
  w.advance(9s);
  EXPECT_TRUE(a.under_way("tasks/list").empty());
  a.next("tasks/get", reply::silence());
  b.next("tasks/get", reply::silence());
  about(c, "tasks/get", "none");
  w.advance(11s);
  for (auto* u : {&a, &b}) EXPECT_TRUE(u->last("tasks/get")->abandoned) << "it is looked for";
  EXPECT_TRUE(a.under_way("tasks/list").empty());
}

TEST_F(tasks_at_two, an_upstream_that_hung_is_waited_for_again_once_it_delivers) {
  a.next("tasks/list", reply::silence());
  c.request("1", "tasks/list");
  w.advance(11s);
  a.tasks = {task("1")};
  EXPECT_NE(c.request("2", "tasks/list")->last().find("taskId"), std::string::npos)
      << "it is asked, and has a moment";
  a.next("tasks/list", reply::result(R"({"tasks":[)" + task("1") + "]}", 8s));
  const auto r = c.request("3", "tasks/list");
  w.advance(9s);
  EXPECT_EQ(at(r->last(), "result", "tasks"), "[" + task("1") + "]");
}

TEST_F(tasks_at_two, an_upstream_that_delivers_too_late_is_waited_for_again) {
  a.next("tasks/list", reply::silence());
  c.request("1", "tasks/list");
  w.advance(11s);
  a.next("tasks/list", reply::result(R"({"tasks":[]})", 5s));
  const auto soon = c.request("2", "tasks/list");
  w.advance(2s);
  EXPECT_EQ(soon->endings, 1) << "it has a moment";
  w.advance(4s);
  a.next("tasks/list", reply::result(R"({"tasks":[)" + task("1") + "]}", 8s));
  const auto r = c.request("3", "tasks/list");
  w.advance(9s);
  EXPECT_EQ(at(r->last(), "result", "tasks"), "[" + task("1") + "]");
}

TEST_F(tasks_at_two, a_list_that_is_late_ends_in_time_though_another_comes) {
  a.next("tasks/list", reply::silence());
  c.request("1", "tasks/list");
  w.advance(11s);
  a.next("tasks/list", reply::silence());
  c.request("2", "tasks/list");
  w.advance(2s);
  const auto late = a.last("tasks/list");
  a.tasks = {task("1")};
  EXPECT_NE(c.request("3", "tasks/list")->last().find("taskId"), std::string::npos);
  EXPECT_FALSE(late->abandoned);
  a.next("tasks/list", reply::silence());
  const auto r = c.request("4", "tasks/list");
  w.advance(5s);
  EXPECT_EQ(r->endings, 0) << "it has listed, so it is waited for";
  w.advance(4s);
  EXPECT_TRUE(late->abandoned);
  EXPECT_FALSE(a.last("tasks/list")->abandoned);
}

TEST_F(tasks_at_two, a_list_that_is_cancelled_ends_everywhere) {
  a.next("tasks/list", reply::silence());
  b.tasks = {task("1"), task("2"), task("3")};
  b.page_size = 1;
  b.next("tasks/list", reply::result(R"({"tasks":[)" + task("1") + R"(],"nextCursor":"1"})"));
  b.next("tasks/list", reply::silence());
  auto r = c.request("9", "tasks/list");
  ASSERT_EQ(b.count("tasks/list"), 2U);
  c.cancel("9");
  EXPECT_EQ(r->endings, 1);
  for (auto* u : {&a, &b}) {
    EXPECT_TRUE(u->under_way("tasks/list").empty());
    EXPECT_EQ(u->count("notifications/cancelled"), 1U);
  }
  w.advance(11s);
  EXPECT_EQ(b.count("tasks/list"), 2U) << "no further page";
  EXPECT_EQ(w.audit("tasks/list").size(), 1U);
}

TEST_F(tasks_at_two, an_upstream_without_a_list_has_none) {
  a.capabilities = R"({"tools":{}})";
  b.tasks = {task("4")};
  auto r = c.request("1", "tasks/list");
  EXPECT_EQ(at(r->last(), "result", "tasks"), "[" + task("4") + "]");
  EXPECT_EQ(at(r->last(), "result", "_meta"), "");
  EXPECT_EQ(a.count("tasks/list"), 0U);
}

TEST(tasks_in_pages, have_cursors_that_outlive_a_change_of_status) {
  world w({.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp"}],
                         "routing":{"pageSize":2}})"});
  auto& a = w.upstream("a");
  a.version = "2025-11-25";
  a.capabilities = with_tasks;
  a.tasks = {task("1"), task("2"), task("3")};
  client c(w);
  c.initialize();
  auto first = c.request("1", "tasks/list");
  EXPECT_EQ(at(first->body, "result", "tasks"), "[" + a.tasks[0] + "," + a.tasks[1] + "]");
  const auto cursor = R"({"cursor":)" + at(first->body, "result", "nextCursor") + "}";
  a.tasks[2] = task("3", "completed");
  EXPECT_EQ(at(c.request("2", "tasks/list", cursor)->body, "result", "tasks"),
            "[" + a.tasks[2] + "]");
  a.tasks.push_back(task("4"));
  EXPECT_EQ(at(c.request("3", "tasks/list", cursor)->body, "error", "code"), "-32602");
  EXPECT_EQ(at(c.request("4", "tasks/list", R"({"cursor":"x"})")->body, "error", "code"), "-32602");
}

TEST_F(tasks_at_two, are_looked_for_after_the_ledger_crashed) {
  mint(c);
  w.crash(w.cast("tasks").at(0));
  EXPECT_EQ(about(c, "tasks/get")->status, 503) << "fails closed until it runs again";
  w.advance(1s);
  b.next("tasks/get", reply::result(task("t1")));
  EXPECT_EQ(at(about(c, "tasks/get")->last(), "result"), task("t1"));
}

TEST_F(tasks_at_two, an_upstream_that_dies_answers_a_look_by_dying) {
  a.next("tasks/get", reply::silence());
  b.next("tasks/get", reply::silence());
  auto r = about(c, "tasks/get", "old");
  w.crash_upstream(0);
  fake_upstream::answer(b.last("tasks/get"), reply::result(task("old")));
  w.settle();
  EXPECT_EQ(at(r->last(), "result"), task("old"));
}

TEST_F(tasks_at_two, that_another_session_waits_for_are_answered_when_the_minting_one_ends) {
  mint(c);
  b.next("tasks/result", reply::silence());
  auto r = about(d, "tasks/result");
  c.end();
  EXPECT_EQ(r->endings, 1);
  EXPECT_EQ(at(r->last(), "error", "code"), "-32041");
  EXPECT_EQ(w.audit("tasks/result").size(), 1U);
}

TEST_F(tasks_at_two, whoever_is_only_asked_whether_it_knows_one_has_nothing_to_say) {
  a.next("tasks/get", reply{.open = true});
  b.next("tasks/get", reply::silence());
  auto r = about(c, "tasks/cancel", "old");
  fake_upstream::push(a.last("tasks/get"),
                      R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})");
  fake_upstream::push(a.last("tasks/get"),
                      R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}})");
  w.settle();
  EXPECT_TRUE(r->events().empty());
  EXPECT_EQ(a.count("response"), 1U);
}

TEST(tasks_of_two_units, are_the_callers_on_both) {
  world w({.units = 2});
  auto& b = w.upstream("b");
  b.version = "2025-11-25";
  b.capabilities = with_tasks;
  client c(w, 0), d(w, 1);
  c.initialize();
  d.initialize();
  b.next("tools/call", reply::result(R"({"task":{"taskId":"t1"}})"));
  c.call("1", "b__x");
  b.next("tasks/get", reply::result(task("t1")));
  EXPECT_EQ(at(d.request("1", "tasks/get", R"({"taskId":"t1"})")->body, "result"), task("t1"));
  EXPECT_EQ(w.upstream("a").seen().size(), 0U);
}

}  // namespace
}  // namespace gate
