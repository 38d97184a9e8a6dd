// What tests of shared state play against: simulations/world/fake_store.
#include "simulations/world/fake_store.hpp"

#include <gtest/gtest.h>

#include "simulations/world/actor_stage.hpp"
#include "tests/support/store_diary.hpp"

namespace gate::sim {
namespace {

using namespace std::chrono_literals;
using texts = std::vector<std::string>;

struct a_fake_store : ::testing::Test {
  a_fake_store() {
    one = stage.system().spawn<fake_store_door>(store);
    two = stage.system().spawn<fake_store_door>(store);
    user = stage.system().spawn<store_diary>(&told);
    nobody = stage.system().spawn<store_diary>(&unheard);
  }
  ~a_fake_store() override {
    one = two = nullptr;
    user = nobody = nullptr;
  }
  texts ask(const store_handle& at, texts words, resp::script_ptr script = {}, texts keys = {}) {
    store_request r;
    r.id = ++next;
    r.script = std::move(script);
    r.keys = std::move(keys);
    r.words = std::move(words);
    stage.tell(at, ask_store{std::move(r), user});
    return std::exchange(told, {});
  }

  /// Whoever says so does not care what becomes of it.
  void publish(const store_handle& at, std::string channel, std::string text) {
    stage.tell(at, ask_store{{.words = {"PUBLISH", std::move(channel), std::move(text)}}, nobody});
  }

  std::shared_ptr<fake_store> store = std::make_shared<fake_store>();
  texts told, unheard;
  actor_stage stage;
  store_handle one, two;
  store_user user, nobody;
  std::uint64_t next = 0;
};

TEST_F(a_fake_store, is_one_map_for_all_doors) {
  EXPECT_EQ(ask(one, {"SET", "k", "v", "NX", "PX", "1000"}), texts{"1 ok 'OK'"});
  EXPECT_EQ(ask(two, {"SET", "k", "w", "NX"}), texts{"2 ok null"});
  EXPECT_EQ(ask(two, {"GET", "k"}), texts{"3 ok 'v'"});
  EXPECT_EQ(store->ttl("k"), 1000ms);
  stage.advance(1s);
  EXPECT_EQ(ask(one, {"GET", "k"}), texts{"4 ok null"});
  EXPECT_EQ(ask(one, {"INCRBY", "n", "5"}), texts{"5 ok 5"});
  EXPECT_EQ(ask(two, {"INCRBY", "n", "-2"}), texts{"6 ok 3"});
  EXPECT_EQ(ask(two, {"PEXPIRE", "n", "10"}), texts{"7 ok 1"});
  EXPECT_EQ(ask(two, {"DEL", "n"}), texts{"8 ok 1"});
  EXPECT_EQ(ask(two, {"WHAT"}), texts{"9 error !'ERR unknown command'"});
}

TEST_F(a_fake_store, runs_scripts_that_it_was_taught) {
  const auto script = resp::make_script("return redis.call('GET', KEYS[1])");
  EXPECT_EQ(ask(one, {}, script, {"k"}), texts{"1 error !'ERR nobody has taught this script'"});
  store->teach(script->text, [](fake_store& s, const texts& keys, const texts& arguments) {
    s.set(keys.at(0), arguments.at(0), {});
    return std::string(":7\r\n");
  });
  EXPECT_EQ(ask(one, {"v"}, script, {"k"}), texts{"2 ok 7"});
  EXPECT_EQ(store->get("k"), "v");
}

TEST_F(a_fake_store, fails_as_it_is_told) {
  store->refuse("-OOM no");
  EXPECT_EQ(ask(one, {"PING"}), texts{"1 oom !'OOM no'"});
  store->refuse("");
  store->delay(100ms);
  EXPECT_EQ(ask(one, {"PING"}), texts{});
  stage.advance(100ms);
  EXPECT_EQ(std::exchange(told, {}), texts{"2 ok 'PONG'"});
  store->delay(501ms);
  ask(one, {"PING"});
  stage.advance(500ms);
  EXPECT_EQ(std::exchange(told, {}), texts{"3 timeout"});
  ask(one, {"PING"});
  store->go();
  stage.settle();
  EXPECT_EQ(std::exchange(told, {}), texts{"4 lost"});
  EXPECT_EQ(ask(one, {"PING"}), texts{"5 away"});
}

TEST_F(a_fake_store, tells_what_is_published_in_the_order_that_a_test_wants) {
  stage.tell(one, watch_store{user});
  stage.tell(one, listen_to_store{{"a", "b"}, user});
  EXPECT_EQ(std::exchange(told, {}), (texts{"here", "here"}));
  publish(two, "a", "1");
  publish(two, "elsewhere", "2");
  EXPECT_EQ(std::exchange(told, {}), texts{"a: 1"});
  store->hold_news(true);
  for (const auto* text : {"3", "4", "5"}) publish(two, "b", text);
  EXPECT_EQ(told, texts{});
  store->tell(1);
  store->tell(1);
  store->drop_news();
  stage.settle();
  EXPECT_EQ(std::exchange(told, {}), (texts{"b: 4", "b: 5"}));
  stage.tell(one, unlisten_store{{"a"}, user});
  store->hold_news(false);
  publish(two, "a", "6");
  EXPECT_EQ(told, texts{});
  store->go();
  store->back();
  stage.settle();
  EXPECT_EQ(told, (texts{"away", "away", "here", "here"}));
}

}  // namespace
}  // namespace gate::sim
