// A task is its minter's from the moment on that its upstream may have made it: before the answer
// names it, and if that answer never comes.
#include "simulations/world/guarded_world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct tasks_being_minted : ::testing::Test {
  world w{guarded_world(guarded(a_and_b))};
  client alice{w}, mallory{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");

  tasks_being_minted() {
    for (auto* u : {&a, &b}) {
      u->version = "2025-11-25";
      u->capabilities = R"({"tools":{},"tasks":{"list":{},"cancel":{},)"
                        R"("requests":{"tools":{"call":{}}}}})";
      u->always("tasks/get", reply::error(R"({"code":-32602,"message":"Task not found"})"));
    }
    alice.token = token_for("alice");
    mallory.token = token_for("mallory");
    alice.initialize();
    mallory.initialize();
  }
  /// `b` has made `t` of a call of this client, and has not said so yet.
  receipt_ptr begin(client& who) {
    b.next("tools/call", reply::silence());
    auto r = who.call("1", "b__x", R"("task":{"ttl":60000})");
    b.tasks = {R"({"taskId":"t","status":"working"})"};
    for (const auto* method : {"tasks/get", "tasks/result", "tasks/cancel", "tasks/update"})
      b.always(method, reply::result(R"({"taskId":"t","status":"working"})"));
    return r;
  }
  void answer(std::string result = R"({"task":{"taskId":"t","status":"working"}})") {
    fake_upstream::answer(b.last("tools/call"), reply::result(std::move(result)));
    w.settle();
  }
  static receipt_ptr about(client& who, std::string_view method = "tasks/get",
                           std::string_view id = "t") {
    return who.request("9", method, R"({"taskId":")" + std::string(id) + R"("})");
  }
  static std::string refused(client& who) { return at(about(who)->last(), "error", "code"); }
  static std::string listed(client& who) {
    const auto r = who.request("8", "tasks/list");
    std::string ids;
    for (const auto* id : {"s", "t"})
      if (r->last().find(R"("taskId":")" + std::string(id) + '"') != std::string::npos) ids += id;
    return ids;
  }
};

TEST_F(tasks_being_minted, are_listed_to_their_minter_alone) {
  begin(alice);
  EXPECT_EQ(listed(mallory), "");
  EXPECT_EQ(listed(alice), "t");
  answer();
  EXPECT_EQ(listed(mallory), "");
  EXPECT_EQ(listed(alice), "t");
}

TEST_F(tasks_being_minted, are_nobody_elses) {
  begin(alice);
  for (const auto* method : {"tasks/get", "tasks/result", "tasks/cancel", "tasks/update"}) {
    b.always("tasks/get", reply::error(R"({"code":-32602,"message":"Task not found"})"));
    const auto none = about(mallory, method)->last();
    b.always("tasks/get", reply::result(R"({"taskId":"t","status":"working"})"));
    EXPECT_EQ(at(none, "error", "code"), "-32002");
    EXPECT_EQ(about(mallory, method)->last(), none) << method << ", as one that does not exist";
  }
  for (const auto* method : {"tasks/result", "tasks/cancel", "tasks/update"})
    EXPECT_EQ(b.count(method), 0U) << method;
  EXPECT_EQ(refused(alice), "");
}

TEST_F(tasks_being_minted, hide_nothing_elsewhere_and_nothing_afterwards) {
  begin(alice);
  a.always("tasks/get", reply::result(R"({"taskId":"old"})"));
  a.tasks = {R"({"taskId":"s"})"};
  EXPECT_EQ(at(about(mallory, "tasks/get", "old")->last(), "error", "code"), "");
  EXPECT_EQ(listed(mallory), "s");
  a.behave("tasks/get");
  answer(R"({"content":[]})");
  EXPECT_EQ(refused(mallory), "") << "that was no task of this call's";
  EXPECT_EQ(listed(mallory), "st");
}

TEST_F(tasks_being_minted, hide_nothing_if_the_call_made_none_by_an_error) {
  begin(alice);
  fake_upstream::answer(b.last("tools/call"), reply::error(R"({"code":-32602,"message":"no"})"));
  w.settle();
  EXPECT_EQ(refused(mallory), "");
}

TEST_F(tasks_being_minted, are_hidden_by_calls_of_others_only) {
  begin(mallory);
  EXPECT_EQ(refused(mallory), "");
  b.next("tools/call", reply::silence());
  alice.call("1", "b__x", R"("task":{})");
  EXPECT_EQ(refused(mallory), "-32002") << "it may be hers";
  EXPECT_EQ(refused(alice), "-32002");
}

TEST_F(tasks_being_minted, are_hidden_by_no_call_that_can_mint_none) {
  b.next("tools/call", reply::silence());
  alice.call("1", "b__x");
  b.always("tasks/get", reply::result(R"({"taskId":"t"})"));
  EXPECT_EQ(refused(mallory), "");
}

TEST_F(tasks_being_minted, are_nobodys_while_a_look_is_under_way) {
  b.next("tasks/get", reply::silence());
  const auto r = about(mallory);
  const auto probe = b.last("tasks/get");
  begin(alice);
  fake_upstream::answer(probe, reply::result(R"({"taskId":"t","status":"working"})"));
  w.settle();
  EXPECT_EQ(at(r->last(), "error", "code"), "-32002");
}

TEST_F(tasks_being_minted, become_ones_own_while_a_look_is_under_way) {
  begin(alice);
  b.next("tasks/get", reply::silence());
  const auto r = about(alice);
  const auto probe = b.last("tasks/get");
  answer();
  fake_upstream::answer(probe, reply::result(R"({"taskId":"t","status":"working"})"));
  w.settle();
  EXPECT_EQ(at(r->last(), "result", "status"), R"("working")");
}

TEST_F(tasks_being_minted, stay_hidden_for_a_while_if_the_call_is_cancelled) {
  begin(alice);
  alice.cancel("1");
  EXPECT_EQ(refused(mallory), "-32002");
  w.advance(9min);
  EXPECT_EQ(refused(mallory), "-32002");
  EXPECT_EQ(listed(mallory), "");
  EXPECT_EQ(refused(alice), "");
  w.advance(2min);
  EXPECT_EQ(refused(mallory), "") << "nobody's any more, as one that was minted elsewhere";
}

TEST_F(tasks_being_minted, stay_hidden_if_the_call_times_out) {
  const auto r = begin(alice);
  w.advance(1min);
  ASSERT_EQ(at(r->last(), "error", "code"), "-32041");
  w.advance(5min);
  EXPECT_EQ(refused(mallory), "-32002");
}

TEST_F(tasks_being_minted, stay_hidden_if_the_client_ends_its_session) {
  begin(alice);
  alice.end();
  w.advance(5min);
  EXPECT_EQ(refused(mallory), "-32002");
  EXPECT_EQ(listed(mallory), "");
}

TEST_F(tasks_being_minted, stay_hidden_if_the_upstream_crashes) {
  begin(alice);
  w.crash_upstream(1);
  w.advance(5s);
  EXPECT_EQ(refused(mallory), "-32002");
}

TEST_F(tasks_being_minted, stay_hidden_when_the_router_crashes) {
  begin(alice);
  w.crash(w.cast("router").at(0));
  w.advance(5s);
  mallory.session.clear();
  mallory.version.clear();
  mallory.initialize();
  EXPECT_EQ(refused(mallory), "-32002");
}

TEST_F(tasks_being_minted, are_hidden_again_when_the_ledger_was_restarted) {
  begin(alice);
  w.crash(w.cast("tasks").at(0));
  w.advance(2s);
  EXPECT_EQ(refused(mallory), "-32002");
  answer();
  EXPECT_EQ(refused(mallory), "-32002");
  EXPECT_EQ(refused(alice), "");
}

TEST(tasks_that_anonymous_callers_mint, are_everybodys) {
  world w;
  client c(w), d(w);
  auto& b = w.upstream("b");
  b.version = "2025-11-25";
  b.capabilities = R"({"tools":{},"tasks":{"list":{}}})";
  c.initialize();
  d.initialize();
  b.next("tools/call", reply::silence());
  c.call("1", "b__x", R"("task":{})");
  b.next("tasks/get", reply::result(R"({"taskId":"t"})"));
  EXPECT_EQ(at(d.request("9", "tasks/get", R"({"taskId":"t"})")->last(), "result", "taskId"),
            R"("t")");
}

TEST(tasks_minted_on_another_unit, are_hidden_on_all) {
  auto o = guarded_world(guarded(a_and_b));
  o.units = 2;
  world w(o);
  client alice(w, 0), mallory(w, 1);
  auto& b = w.upstream("b");
  b.version = "2025-11-25";
  b.capabilities = R"({"tools":{},"tasks":{"list":{}}})";
  alice.token = token_for("alice");
  mallory.token = token_for("mallory");
  alice.initialize();
  mallory.initialize();
  b.next("tools/call", reply::silence());
  alice.call("1", "b__x", R"("task":{})");
  b.always("tasks/get", reply::result(R"({"taskId":"t"})"));
  const auto r = mallory.request("9", "tasks/get", R"({"taskId":"t"})");
  EXPECT_EQ(at(r->last(), "error", "code"), "-32002");
}

}  // namespace
}  // namespace gate
