// Delayed messages wait in one clock: those of an actor that ends go with it, those of others stay.
#include "transport/scheduler/asio_clock.hpp"

#include <gtest/gtest.h>

#include <caf/all.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <utility>

#include "transport/pinned.hpp"
#include "transport/scheduler/coordinator.hpp"

namespace gate::testing {
namespace {

using namespace std::chrono_literals;
using scheduler::coordinator;

constexpr std::chrono::minutes far_off{60};  ///< no test lasts so long
constexpr auto at_most = 30s;                ///< what is waited for is there long before

using promise_ptr = std::shared_ptr<std::promise<void>>;

/// Tells when nothing holds it any more, be that after the test.
class last_words {
 public:
  explicit last_words(promise_ptr to) : to_(std::move(to)) {}
  last_words(const last_words&) = delete;
  last_words& operator=(const last_words&) = delete;
  ~last_words() { to_->set_value(); }

 private:
  promise_ptr to_;
};

struct reminder {
  std::shared_ptr<last_words> held;
};
struct depart {};

}  // namespace
}  // namespace gate::testing

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::reminder)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::testing::depart)

namespace gate::testing {
namespace {

/// Has armed timers for later than it lives, as a retired UPSTREAM has for deadlines.
class forgetful final : public pinned<caf::event_based_actor> {
 public:
  forgetful(caf::actor_config& cfg, caf::execution_unit* unit, promise_ptr destroyed,
            promise_ptr dropped)
      : pinned(cfg, unit), destroyed_(std::move(destroyed)) {
    delayed_send(this, far_off, reminder{std::make_shared<last_words>(std::move(dropped))});
    for (int i = 0; i < 3; ++i) delayed_send(this, far_off + i * 1s, depart{});
  }
  caf::behavior make_behavior() override {
    return {[](const reminder&) { ADD_FAILURE() << "it is not due"; }, [this](depart) { quit(); }};
  }

 private:
  last_words destroyed_;
};

class clock_of_units : public ::testing::Test {
 protected:
  struct config : caf::actor_system_config {
    config() {
      set("scheduler.max-threads", 2);
      load<coordinator>();
    }
  };
  caf::execution_unit* unit(std::size_t i) { return &coordinator::of(system_).unit(i); }
  static promise_ptr promise() { return std::make_shared<std::promise<void>>(); }
  static bool comes(const promise_ptr& what) {
    return what->get_future().wait_for(at_most) == std::future_status::ready;
  }

  config config_;
  caf::actor_system system_{config_};
};

TEST_F(clock_of_units, an_actor_that_ends_is_not_kept_by_what_it_has_armed) {
  for (const std::size_t home : {0, 1}) {
    const auto destroyed = promise(), dropped = promise();
    auto who = system_.spawn<forgetful>(unit(home), destroyed, dropped);
    caf::anon_send(who, depart{});
    who = nullptr;
    EXPECT_TRUE(comes(dropped)) << "what it had armed is still there";
    EXPECT_TRUE(comes(destroyed)) << "it is kept in memory";
  }
  EXPECT_TRUE(coordinator::of(system_).clock().schedule().empty());
  EXPECT_TRUE(coordinator::of(system_).clock().actor_lookup().empty());
}

TEST_F(clock_of_units, what_others_have_armed_comes) {
  const auto destroyed = promise(), due = promise();
  auto other = system_.spawn([due](caf::event_based_actor* self) -> caf::behavior {
    self->delayed_send(self, 50ms, 2);
    self->delayed_send(self, 10ms, 1);
    // (A receive timeout, which each message takes back and sets anew.)
    return {[self, due](int i) {
              if (i == 1) return self->delayed_send(self, 10ms, 0);
              if (i == 2) due->set_value();
            },
            caf::after(far_off) >> [] { ADD_FAILURE() << "it is not due"; }};
  });
  auto who = system_.spawn<forgetful>(unit(0), destroyed, promise());
  caf::anon_send_exit(who, caf::exit_reason::kill);
  who = nullptr;
  EXPECT_TRUE(comes(destroyed));
  EXPECT_TRUE(comes(due)) << "somebody else's end took it";
  caf::anon_send_exit(other, caf::exit_reason::kill);
}

}  // namespace
}  // namespace gate::testing
