// What stories of fleets play against: simulations/world/far_store.
#include "simulations/world/far_store.hpp"

#include <gtest/gtest.h>

#include "simulations/world/actor_stage.hpp"
#include "tests/support/store_diary.hpp"

namespace gate::sim {
namespace {

using namespace std::chrono_literals;
using far_texts = std::vector<std::string>;
using trouble = store_link::trouble;

struct a_far_store : ::testing::Test {
  a_far_store() {
    door = stage.system().spawn<far_store_door>(store, link);
    other = stage.system().spawn<far_store_door>(store, std::make_shared<store_link>(2));
    user = stage.system().spawn<store_diary>(&told);
    nobody = stage.system().spawn<store_diary>(&unheard);
    stage.tell(door, listen_to_store{{"news"}, user});
    EXPECT_EQ(taken(), far_texts{"here"});
  }
  ~a_far_store() override {
    door = other = nullptr;
    user = nobody = nullptr;
  }
  void ask(const store_handle& at, far_texts words) {
    store_request r;
    r.id = ++next;
    r.words = std::move(words);
    stage.tell(at, ask_store{std::move(r), user});
  }
  void be(trouble what) {
    link->be(what);
    stage.settle();
  }
  far_texts taken() { return std::exchange(told, {}); }

  /// Whoever says so does not care what becomes of it.
  void publish(const store_handle& at, std::string channel, std::string text) {
    stage.tell(at, ask_store{{.words = {"PUBLISH", std::move(channel), std::move(text)}}, nobody});
  }

  std::shared_ptr<fake_store> store = std::make_shared<fake_store>();
  std::shared_ptr<store_link> link = std::make_shared<store_link>(1);
  far_texts told, unheard;
  actor_stage stage;
  store_handle door, other;
  store_user user, nobody;
  std::uint64_t next = 0;
};

TEST_F(a_far_store, keeps_the_order_of_what_it_takes_its_time_for) {
  link->longest = 20ms;
  for (int n = 0; n < 5; ++n) ask(door, {"INCRBY", "n", "1"});
  EXPECT_EQ(taken(), far_texts{});
  stage.advance(40ms);
  EXPECT_EQ(taken(), (far_texts{"1 ok 1", "2 ok 2", "3 ok 3", "4 ok 4", "5 ok 5"}));
}

TEST_F(a_far_store, is_away_when_its_link_is_cut_and_found_again) {
  ask(door, {"SET", "k", "v"});
  taken();
  be(trouble::cut);
  EXPECT_EQ(taken(), far_texts{"away"});
  ask(door, {"GET", "k"});
  EXPECT_EQ(taken(), far_texts{"2 away"});
  ask(other, {"GET", "k"});
  EXPECT_EQ(taken(), far_texts{"3 ok 'v'"}) << "it is one link's trouble";
  stage.advance(3s);
  EXPECT_EQ(taken(), far_texts{});
  be(trouble::none);
  stage.advance(1s);
  EXPECT_EQ(taken(), far_texts{"here"});
}

TEST_F(a_far_store, is_away_after_three_answers_that_did_not_come) {
  be(trouble::stalls);
  for (int n = 0; n < 4; ++n) ask(door, {"INCRBY", "n", "1"});
  stage.advance(500ms);
  EXPECT_EQ(taken(), (far_texts{"1 timeout", "2 timeout", "3 timeout", "4 lost", "away"}));
}

TEST_F(a_far_store, does_what_it_was_asked_when_it_goes_on) {
  be(trouble::stalls);
  ask(door, {"INCRBY", "n", "1"});
  stage.advance(500ms);
  EXPECT_EQ(taken(), far_texts{"1 timeout"});
  ask(other, {"GET", "n"});
  EXPECT_EQ(taken(), far_texts{"2 ok null"});
  be(trouble::none);
  ask(other, {"GET", "n"});
  EXPECT_EQ(taken(), far_texts{"3 ok '1'"});
}

TEST_F(a_far_store, may_have_done_what_it_does_not_answer) {
  be(trouble::keeps);
  ask(door, {"INCRBY", "n", "1"});
  ask(other, {"GET", "n"});
  EXPECT_EQ(taken(), far_texts{"2 ok '1'"});
  be(trouble::none);
  EXPECT_EQ(taken(), far_texts{"1 ok 1"}) << "on a connection that lives nothing is lost";
}

TEST_F(a_far_store, that_says_nothing_for_long_is_away_without_a_question) {
  be(trouble::swallows);
  stage.advance(5s);
  EXPECT_EQ(taken(), far_texts{});
  stage.advance(2s);
  EXPECT_EQ(taken(), far_texts{"away"});
}

TEST_F(a_far_store, tells_news_in_order_and_none_across_an_outage) {
  link->longest = 20ms;
  for (const auto* text : {"a", "b", "c"}) publish(other, "news", text);
  stage.advance(20ms);
  EXPECT_EQ(taken(), (far_texts{"news: a", "news: b", "news: c"}));
  publish(other, "news", "d");
  be(trouble::cut);
  be(trouble::none);
  stage.advance(2s);
  EXPECT_EQ(taken(), (far_texts{"away", "here"}));
}

TEST_F(a_far_store, that_stops_is_away_for_all) {
  store->go();
  stage.settle();
  EXPECT_EQ(taken(), far_texts{"away"});
  ask(other, {"PING"});
  EXPECT_EQ(taken(), far_texts{"1 away"});
  store->back();
  stage.advance(1s);
  EXPECT_EQ(taken(), far_texts{"here"});
}

// Nobody at the door has noticed yet that the connection is gone; it leads nowhere all the same.
TEST_F(a_far_store, that_starts_anew_reads_nothing_that_came_by_a_connection_of_before) {
  stage.hold(true);
  ask(door, {"INCRBY", "n", "1"});
  publish(other, "news", "of before");
  while (stage.step()) {
  }
  EXPECT_EQ(taken(), (far_texts{"1 ok 1", "news: of before"}));
  ask(door, {"INCRBY", "n", "1"});
  ASSERT_TRUE(stage.step()) << "it is on its way";
  store->go();
  store->forget_all();
  store->back();
  EXPECT_EQ(store->listeners("news"), 0u);
  stage.hold(false);
  stage.settle();
  EXPECT_EQ(taken(), (far_texts{"2 lost", "away"}));
  EXPECT_EQ(store->get("n"), std::nullopt);
  stage.advance(1s);
  EXPECT_EQ(taken(), far_texts{"here"});
  EXPECT_EQ(store->listeners("news"), 1u);
  ask(door, {"INCRBY", "n", "1"});
  EXPECT_EQ(taken(), far_texts{"3 ok 1"});
}

TEST_F(a_far_store, that_starts_anew_reads_nothing_that_was_late_on_a_connection_of_before) {
  link->longest = 20ms;
  for (int n = 0; n < 20; ++n) ask(door, {"INCRBY", "n", "1"});
  store->go();
  store->back();
  stage.advance(40ms);
  EXPECT_EQ(store->get("n"), std::nullopt);
  EXPECT_EQ(taken().back(), "away");
}

}  // namespace
}  // namespace gate::sim
