// What is handed over arrives as what CAF itself sends does.
#include "transport/parcel.hpp"

#include <gtest/gtest.h>

#include <caf/all.hpp>
#include <memory>
#include <string>
#include <vector>

#include "simulations/world/actor_stage.hpp"
#include "transport/pinned.hpp"

namespace gate::testing {

struct letter {
  std::string text;
  std::shared_ptr<int> held;
};
struct latch {};

}  // namespace gate::testing

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::letter)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::latch)

namespace gate::testing {
namespace {

using letterbox = caf::typed_actor<caf::reacts_to<letter>, caf::reacts_to<latch>>;
using log = std::vector<std::string>;

class reader final : public pinned<letterbox::base> {
 public:
  reader(caf::actor_config& cfg, log& seen, letterbox next)
      : pinned(cfg, nullptr), seen_(seen), next_(std::move(next)) {}

  letterbox::behavior_type make_behavior() override {
    return {[this](letter& m) {
              seen_.push_back(m.text);
              if (next_) hand_over(next_, letter{"again " + m.text, std::move(m.held)});
            },
            [this](latch) { quit(); }};
  }

 private:
  log& seen_;
  letterbox next_;
};

/// Waits for `latch` with all else left in its mailbox, then passes on what is there.
class clerk final : public caf::event_based_actor {
 public:
  clerk(caf::actor_config& cfg, letterbox to) : caf::event_based_actor(cfg), to_(std::move(to)) {}

  caf::behavior make_behavior() override {
    set_default_handler(caf::skip);
    return {[this](latch) {
      become([this](letter&) { return delegate(caf::actor_cast<caf::actor>(to_), letter{}); });
    }};
  }

 private:
  letterbox to_;
};

TEST(parcel, arrives_in_order_with_what_was_sent_otherwise) {
  sim::actor_stage stage;
  log seen;
  auto to = stage.system().spawn<reader>(seen, letterbox{});
  hand_over(to, letter{"one", {}});
  caf::anon_send(to, letter{"two", {}});
  hand_over(to, letter{"three", {}});
  stage.settle();
  EXPECT_EQ(seen, (log{"one", "two", "three"}));
}

TEST(parcel, is_moved_from_hand_to_hand) {
  sim::actor_stage stage;
  log seen;
  auto last = stage.system().spawn<reader>(seen, letterbox{});
  auto first = stage.system().spawn<reader>(seen, last);
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> watch = held;
  hand_over(first, letter{"x", std::move(held)});
  EXPECT_EQ(watch.use_count(), 1);
  stage.settle();
  EXPECT_EQ(seen, (log{"x", "again x"}));
  EXPECT_TRUE(watch.expired());
}

TEST(parcel, to_nobody_or_the_dead_is_let_go_of) {
  sim::actor_stage stage;
  log seen;
  auto held = std::make_shared<int>(1);
  hand_over(letterbox{}, letter{"nobody", held});
  auto dead = stage.system().spawn<reader>(seen, letterbox{});
  hand_over(dead, latch{});
  hand_over(dead, letter{"behind the end", held});
  stage.settle();
  hand_over(dead, letter{"late", held});
  stage.settle();
  EXPECT_EQ(seen, log{});
  EXPECT_EQ(held.use_count(), 1);
}

TEST(parcel, may_be_skipped_and_taken_later) {
  sim::actor_stage stage;
  log seen;
  auto to = stage.system().spawn<reader>(seen, letterbox{});
  auto one = stage.system().spawn<clerk>(to);
  hand_over(one, letter{"early", {}});
  stage.settle();
  EXPECT_EQ(seen, log{});
  hand_over(one, latch{});
  stage.settle();
  EXPECT_EQ(seen, log{""});
}

TEST(parcel, becomes_a_message_as_caf_does_it) {
  parcel<letter> p{letter{"text", std::make_shared<int>(2)}};
  const auto copy = p.copy_content_to_message();
  EXPECT_EQ(copy.get_as<letter>(0).text, "text");
  EXPECT_EQ(copy.get_as<letter>(0).held.use_count(), 2);
  const auto moved = p.move_content_to_message();
  EXPECT_EQ(moved.get_as<letter>(0).text, "text");
  EXPECT_EQ(moved.get_as<letter>(0).held.use_count(), 2);
}

}  // namespace
}  // namespace gate::testing
