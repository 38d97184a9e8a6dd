// A task that was minted at another gateway of the fleet: found without looking for it, and nobody
// else's, whatever the upstreams say.
#include "simulations/world/guarded_world.hpp"
#include "simulations/world/shared_scripts.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

struct tasks_of_a_fleet : ::testing::Test {
  std::shared_ptr<fake_store> store = std::make_shared<fake_store>();

  /// One gateway, and what its upstreams are.
  struct instance {
    world w;
    fake_upstream &a, &b;

    explicit instance(std::shared_ptr<fake_store> with)
        : w([&] {
            auto o = guarded_world(guarded(a_and_b));
            o.store = std::move(with);
            return o;
          }()),
          a(w.upstream("a")),
          b(w.upstream("b")) {
      for (auto* u : {&a, &b}) {
        u->version = "2025-11-25";
        u->capabilities = R"({"tools":{},"tasks":{"list":{},"cancel":{}}})";
        u->always("tasks/get", reply::result(R"({"status":"working"})"));
      }
    }
    client come(std::string_view who) {
      client out(w);
      out.token = token_for(who);
      out.initialize();
      return out;
    }
    std::string get(client& who, std::string_view id) {
      const auto r = who.request("9", "tasks/get", R"({"taskId":")" + std::string(id) + R"("})");
      return at(r->last(), "error", "code");
    }
  };

  tasks_of_a_fleet() {
    teach_scripts(*store, 1'795'000'000'000ms);
    instance other(store);
    auto alice = other.come("alice");
    other.b.next("tools/call", reply::result(R"({"task":{"taskId":"t","status":"working"}})"));
    alice.call("1", "b__x");
  }
};

TEST_F(tasks_of_a_fleet, are_found_without_a_look_at_all_upstreams) {
  instance it(store);
  auto alice = it.come("alice");
  EXPECT_EQ(it.get(alice, "t"), "");
  EXPECT_EQ(it.a.count("tasks/get"), 0U);
  EXPECT_EQ(it.b.count("tasks/get"), 1U);
}

TEST_F(tasks_of_a_fleet, are_nobody_elses) {
  instance it(store);
  auto mallory = it.come("mallory");
  EXPECT_EQ(it.get(mallory, "t"), "-32002") << "though both upstreams would answer";
  it.b.next("tools/call", reply::result(R"({"task":{"taskId":"t","status":"working"}})"));
  mallory.more_headers = {"traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"};
  mallory.call("1", "b__x");
  EXPECT_EQ(it.get(mallory, "t"), "-32002") << "the first minter keeps it";
  EXPECT_EQ(world::logged("claims a task"), 1U);
  EXPECT_EQ(world::logged("traceId=4bf92f3577b34da6a3ce929d0e0e4736"), 1U);
  for (auto* u : {&it.a, &it.b}) u->tasks = {R"({"taskId":"t"})"};
  const auto listed = [&](client& who) {
    return at(who.request("8", "tasks/list")->last(), "result", "tasks");
  };
  EXPECT_EQ(listed(mallory), "[]");
  auto alice = it.come("alice");
  EXPECT_EQ(listed(alice), R"([{"taskId":"t"}])");
}

TEST_F(tasks_of_a_fleet, are_looked_for_while_the_store_is_away) {
  instance it(store);
  store->go();
  it.w.settle();
  auto alice = it.come("alice");
  EXPECT_EQ(it.get(alice, "t"), "");
  EXPECT_EQ(it.a.count("tasks/get"), 1U);
}

TEST_F(tasks_of_a_fleet, wait_for_a_silent_store_half_a_second) {
  instance it(store);
  auto alice = it.come("alice");
  store->fall_silent();
  const auto r = alice.request("9", "tasks/get", R"({"taskId":"t"})");
  EXPECT_FALSE(r->done());
  it.w.advance(500ms);
  EXPECT_TRUE(r->done());
}

}  // namespace
}  // namespace gate
