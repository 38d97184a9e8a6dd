// Whose a task is: not the one's who names it later, and nobody else's when there are too many.
#include "simulations/world/guarded_world.hpp"

namespace gate {
namespace {

using namespace sim;

std::string minted(std::string_view id) {
  return R"({"task":{"taskId":")" + std::string(id) + R"(","status":"working"}})";
}

struct owned_tasks : ::testing::Test {
  world w{guarded_world(guarded(a_and_b))};
  client alice{w}, mallory{w};
  fake_upstream& a = w.upstream("a");
  fake_upstream& b = w.upstream("b");

  owned_tasks() {
    for (auto* u : {&a, &b}) {
      u->version = "2025-11-25";
      u->capabilities = R"({"tools":{},"tasks":{"list":{},"cancel":{}}})";
      u->always("tasks/get", reply::error(R"({"code":-32602,"message":"Task not found"})"));
    }
    alice.token = token_for("alice");
    mallory.token = token_for("mallory");
    alice.initialize();
    mallory.initialize();
  }
  void mint(client& who, std::string_view id, fake_upstream& at_upstream, std::string_view name) {
    at_upstream.next("tools/call", reply::result(minted(id)));
    who.call("1", name);
  }
  /// The error code of tasks/get, where only `b` knows the task; empty: it answered.
  std::string get(client& who, std::string_view id) {
    b.always("tasks/get", reply::result(R"({"status":"working"})"));
    auto r = who.request("9", "tasks/get", R"({"taskId":")" + std::string(id) + R"("})");
    b.always("tasks/get", reply::error(R"({"code":-32602,"message":"Task not found"})"));
    return at(r->last(), "error", "code");
  }
};

TEST_F(owned_tasks, stay_their_first_minters) {
  mint(alice, "t1", b, "b__x");
  mint(mallory, "t1", b, "b__reflect");
  EXPECT_EQ(get(mallory, "t1"), "-32002");
  EXPECT_EQ(get(alice, "t1"), "");
  EXPECT_EQ(b.last("tasks/get")->session, b.seen("tools/call").at(0)->session);
  EXPECT_EQ(w.logged("claim"), 1U);
  for (int i = 0; i < 100; ++i) mint(mallory, "t1", b, "b__reflect");
  EXPECT_LE(world::logged("claim"), 2U) << "said once in a while";
}

TEST_F(owned_tasks, of_two_upstreams_may_be_called_the_same) {
  mint(alice, "t1", b, "b__x");
  mint(mallory, "t1", a, "a__x");
  a.always("tasks/get", reply::result(R"({"of":"mallory"})"));
  auto r = mallory.request("9", "tasks/get", R"({"taskId":"t1"})");
  EXPECT_EQ(at(r->last(), "result", "of"), R"("mallory")");
  EXPECT_EQ(get(alice, "t1"), "");
  EXPECT_EQ(w.logged("claim"), 0U);
}

TEST_F(owned_tasks, of_two_upstreams_that_are_called_the_same_are_listed_to_their_owners) {
  for (auto* u : {&a, &b}) {
    const std::string of = u == &a ? "a" : "b";
    u->tasks = {R"({"taskId":"t1","at":")" + of + R"("})",
                R"({"taskId":"t2","at":")" + of + R"("})"};
  }
  mint(alice, "t1", b, "b__x");
  mint(mallory, "t1", a, "a__x");
  mint(alice, "t2", a, "a__x");
  mint(mallory, "t2", b, "b__x");
  const auto listed = [](client& who) {
    return at(who.request("9", "tasks/list")->last(), "result", "tasks");
  };
  EXPECT_EQ(listed(alice), R"([{"taskId":"t1","at":"b"},{"taskId":"t2","at":"a"}])");
  EXPECT_EQ(listed(mallory), R"([{"taskId":"t1","at":"a"},{"taskId":"t2","at":"b"}])");
}

TEST_F(owned_tasks, are_not_everybodys_when_there_are_too_many) {
  mint(alice, "t0", b, "b__x");
  auto ledger = caf::actor_cast<tasks_handle>(w.cast("tasks").at(0));
  ASSERT_EQ(get(mallory, "t0"), "-32002");
  const auto alices = oauth::principal_key("https://idp.test", "alice");
  for (std::size_t i = 0; i <= limits::task_records_each; ++i)
    caf::anon_send(ledger, pin_task{"f" + std::to_string(i), alices, {"b", 0, 1}});
  w.settle();
  ASSERT_EQ(get(alice, "f9"), "") << "these are hers";
  EXPECT_EQ(get(mallory, "t0"), "-32002");
  EXPECT_EQ(get(mallory, "f0"), "-32002");
}

}  // namespace
}  // namespace gate
