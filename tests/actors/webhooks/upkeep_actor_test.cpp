#include "actors/webhooks/upkeep_actor.hpp"

#include "tests/actors/webhooks/support/a_dispatch.hpp"

namespace gate::hooks {
namespace {

using namespace std::chrono_literals;
using webhook::state;

struct upkeep : testing::a_dispatch {
  upkeep() {
    hook("a");
    start();
    hall = system().spawn<upkeep_actor>(
        nullptr, upkeep_parts{ledger, 7 * 24h, 30 * 24h,
                              std::shared_ptr<metrics>(std::shared_ptr<void>(), &counted),
                              [this] { return wall(); }});
    settle();
  }
  ~upkeep() override { hall = nullptr; }
  double gauge(const std::string& name) {
    const auto text = counted.expose();
    const auto at = text.find("\n" + name + " ");
    return at == text.npos ? -1 : std::stod(text.substr(at + name.size() + 2));
  }
  upkeep_handle hall;
};

TEST_F(upkeep, removes_what_was_kept_long_enough) {
  accept(3);
  EXPECT_EQ(count(state::succeeded), 3U);
  advance(6 * 24h);
  EXPECT_EQ(count(state::succeeded), 3U);
  advance(25h);
  EXPECT_EQ(count(state::succeeded), 0U);
  EXPECT_TRUE(logged("kept long enough"));
}

TEST_F(upkeep, removes_it_in_steps_until_nothing_is_left) {
  for (int i = 0; i < 3; ++i) accept(900);
  std::size_t steps = 0;
  data->seen = [&](const ledger::request& r) { steps += std::holds_alternative<ledger::clean>(r); };
  skew = 8 * 24h;
  advance(limits::webhook_cleaning + limits::webhook_counting);
  EXPECT_EQ(count(state::succeeded), 0U);
  EXPECT_GE(steps, 3U);
}

TEST_F(upkeep, counts) {
  answers("a", sim::reply::http(500));
  accept(2);
  advance(limits::webhook_counting);
  EXPECT_EQ(gauge("gate_hooks_queue{status=\"failed\"}"), 2);
  EXPECT_EQ(gauge("gate_hooks_webhooks"), 1);
  EXPECT_EQ(gauge("gate_hooks_oldest_pending_seconds"), 0);
}

TEST_F(upkeep, goes_on_when_the_ledger_can_not_answer) {
  data->away = true;
  advance(limits::webhook_cleaning + 1min);
  EXPECT_TRUE(logged("could not be counted"));
  data->away = false;
  data->silent = true;
  advance(1min);
  crash(ledger);
  restart_ledger();
  data->silent = false;
  tell(hall, use_ledger{ledger});
  accept(1);
  advance(2 * limits::webhook_counting);
  EXPECT_EQ(gauge("gate_hooks_webhooks"), 1);
}

}  // namespace
}  // namespace gate::hooks
