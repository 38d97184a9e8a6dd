// Who stands between two others takes parcels where they are sent, as long as nothing is overtaken.
#include "transport/at_once.hpp"

#include <gtest/gtest.h>

#include <caf/all.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "simulations/world/actor_stage.hpp"
#include "tests/transport/support/real_world.hpp"
#include "transport/pinned.hpp"

namespace gate::testing {

struct passed_on {
  std::string text;
};
struct handled {};

}  // namespace gate::testing

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::passed_on)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::handled)

namespace gate::testing {
namespace {

using passer_handle = caf::typed_actor<caf::reacts_to<passed_on>, caf::reacts_to<handled>>;

struct seen_here {
  std::vector<std::string> texts;
  std::vector<std::thread::id> threads;
};

class passer final : public pinned<passer_handle::base> {
 public:
  passer(caf::actor_config& cfg, caf::execution_unit* unit, seen_here& seen,
         std::function<void()> told = {})
      : pinned(cfg, unit), seen_(seen), told_(std::move(told)) {}

  behavior_type make_behavior() override {
    return {[this](passed_on& m) { take(m); },
            [this](handled) { seen_.texts.emplace_back("other"); }};
  }
  const char* name() const override { return "passer"; }
  using pinned::enqueue;
  void enqueue(caf::mailbox_element_ptr x, caf::execution_unit* host) override {
    if (!taken_at_once<passed_on>(*this, *x, [this](passed_on& m) { take(m); }))
      pinned::enqueue(std::move(x), host);
  }

 private:
  void take(passed_on& m) {
    if (m.text == "broken") throw std::runtime_error("broken");
    if (m.text == "to itself") {
      const auto me = caf::actor_cast<passer_handle>(caf::strong_actor_ptr{ctrl()});
      caf::anon_send(me, handled{});
      hand_over(me, passed_on{"behind it"});
    }
    seen_.texts.push_back(m.text);
    seen_.threads.push_back(std::this_thread::get_id());
    if (told_) told_();
  }

  seen_here& seen_;
  std::function<void()> told_;
};

using texts = std::vector<std::string>;

class at_once_test : public ::testing::Test {
 public:
  at_once_test() {
    it = stage.system().spawn<passer>(nullptr, seen);
    stage.settle();
  }
  sim::actor_stage stage;
  seen_here seen;
  passer_handle it;
};

TEST_F(at_once_test, who_is_idle_takes_a_parcel_where_it_is_sent) {
  hand_over(it, passed_on{"one"});
  EXPECT_EQ(seen.texts, texts{"one"});
  hand_over(it, passed_on{"two"});
  EXPECT_EQ(seen.texts, (texts{"one", "two"}));
  EXPECT_FALSE(stage.step()) << "nobody has its turn for that";
}

TEST_F(at_once_test, what_waits_is_not_overtaken) {
  caf::anon_send(it, passed_on{"no parcel"});
  EXPECT_EQ(seen.texts, texts{});
  hand_over(it, passed_on{"behind it"});
  hand_over(it, handled{});
  hand_over(it, passed_on{"last"});
  EXPECT_EQ(seen.texts, texts{});
  stage.settle();
  EXPECT_EQ(seen.texts, (texts{"no parcel", "behind it", "other", "last"}));
  hand_over(it, passed_on{"idle again"});
  EXPECT_EQ(seen.texts.back(), "idle again");
}

TEST_F(at_once_test, what_its_own_turn_causes_waits_for_the_next) {
  caf::anon_send(it, passed_on{"to itself"});
  stage.settle();
  EXPECT_EQ(seen.texts, (texts{"to itself", "other", "behind it"}));
}

TEST_F(at_once_test, one_that_throws_ends_and_its_sender_goes_on) {
  EXPECT_EQ(stage.cast("passer").size(), 1U);
  hand_over(it, passed_on{"broken"});
  stage.settle();
  EXPECT_TRUE(stage.cast("passer").empty());
  hand_over(it, passed_on{"too late"});
  stage.settle();
  EXPECT_EQ(seen.texts, texts{});
}

TEST_F(at_once_test, one_that_has_not_begun_takes_nothing_yet) {
  seen_here others;
  const passer_handle fresh = stage.system().spawn<passer>(nullptr, others);
  hand_over(fresh, passed_on{"early"});
  EXPECT_EQ(others.texts, texts{});
  stage.settle();
  EXPECT_EQ(others.texts, texts{"early"});
}

TEST(at_once, other_threads_leave_it_to_the_thread_of_its_unit) {
  real_world w(2);
  seen_here seen;
  inbox<int> told;
  passer_handle it = w.system().spawn<passer>(w.doors(0).unit, seen, [&told] { told.put(1); });
  std::thread::id home;
  w.on_unit(0, [&home] { home = std::this_thread::get_id(); });
  hand_over(it, passed_on{"of no unit"});
  told.wait();
  w.on_unit(1, [&it] { hand_over(it, passed_on{"of another unit"}); });
  told.wait();
  w.on_unit(0, [&] {
    hand_over(it, passed_on{"of its own"});
    EXPECT_EQ(seen.texts.size(), 3U) << "at once";
  });
  EXPECT_EQ(seen.texts, (texts{"of no unit", "of another unit", "of its own"}));
  EXPECT_EQ(seen.threads, std::vector<std::thread::id>(3, home));
  caf::anon_send_exit(it, caf::exit_reason::kill);
}

}  // namespace
}  // namespace gate::testing
