// HOOKS: who is started again, who hears of it, and the order of the end.
#include "actors/webhooks/hooks_actor.hpp"

#include "tests/actors/webhooks/support/a_dispatch.hpp"

namespace gate::hooks {
namespace {

using namespace std::chrono_literals;
using sim::reply;
using webhook::state;

/// API, of which HOOKS knows that it is told of others and that it ends.
api_handle::behavior_type an_api(api_handle::pointer self,
                                 std::shared_ptr<std::vector<use_parts>> told) {
  return {
      [](const arrival&) {},
      [](const body_read&) {},
      [](const client_gone&) {},
      [](const ledger_told&) {},
      [](const tried&) {},
      [](const attempt_told&) {},
      [told](const use_parts& m) { told->push_back(m); },
      [self](end_api) { self->quit(); },
  };
}

struct hooks_running : testing::a_dispatch {
  hooks_running() {
    hook("a");
    auto common = std::make_shared<delivering_parts>();
    common->rules = rules;
    common->sending.answer = rules.answer;
    common->egress = egress;
    common->tally = std::make_shared<attempt_tally>(counted);
    common->wall = [this] { return wall(); };
    common->random = [this](std::span<std::uint8_t> out) {
      for (auto& b : out) b = static_cast<std::uint8_t>(dice = dice * 6364136223846793005U + 1);
    };
    hooks_parts parts;
    parts.ledger = ledger;
    parts.open_ledger = [this]() -> result<ledger_handle> {
      if (locked) return problem{"the disk is away"};
      restart_ledger();
      return {boost::system::in_place_value, ledger};
    };
    parts.delivering = common;
    parts.succeeded_kept = 24h;
    parts.dead_kept = 24h;
    parts.metrics = std::shared_ptr<metrics>(std::shared_ptr<void>(), &counted);
    parts.spawn_api = [this](const use_parts& others) {
      first.push_back(others);
      return api = caf::actor_cast<api_handle>(system().spawn(an_api, told));
    };
    parts.stopped = [this] { ++stopped; };
    boss = system().spawn<hooks_actor>(nullptr, std::move(parts));
    settle();
  }
  ~hooks_running() override {
    boss = nullptr;
    api = nullptr;
    first.clear();
    told->clear();
  }
  void crash_one(const std::string& name) { crash(cast(name).at(0)); }
  /// Events come in without anybody being told.
  void accept_in_silence(int n) {
    for (int i = 0; i < n; ++i)
      data->get<ledger::accepted>(
          ledger::accept_events{"acme",
                                {{"evt_" + std::to_string(++events), {}, wall_ms(), "{}", {}}},
                                wall_ms(),
                                wall_ms()});
  }

  bool locked = false;
  int stopped = 0;
  std::vector<use_parts> first;  ///< what each API began with
  std::shared_ptr<std::vector<use_parts>> told = std::make_shared<std::vector<use_parts>>();
  api_handle api;
  watcher_handle boss;
};

TEST_F(hooks_running, delivers) {
  accept_in_silence(3);
  advance(limits::webhook_scan);
  EXPECT_EQ(count(state::succeeded), 3U);
  EXPECT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].ledger, ledger);
}

TEST_F(hooks_running, starts_again_whoever_crashes_and_tells_the_others) {
  for (const char* who : {"ledger", "dispatch", "trials"}) {
    const auto before = told->size();
    crash_one(who);
    advance(limits::restart_most);
    EXPECT_EQ(cast(who).size(), 1U) << who;
    ASSERT_GT(told->size(), before) << who;
    EXPECT_EQ(told->back().ledger, ledger);
  }
  crash_one("upkeep");
  advance(limits::restart_most);
  EXPECT_EQ(cast("upkeep").size(), 1U);
  EXPECT_TRUE(logged("UPKEEP crashed"));
  accept_in_silence(3);
  advance(2 * limits::webhook_scan);
  EXPECT_EQ(count(state::succeeded), 3U);
}

TEST_F(hooks_running, starts_api_again_with_those_that_are_there) {
  crash(api);
  advance(limits::restart_most);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[1].ledger, ledger);
  EXPECT_TRUE(logged("API crashed"));
}

TEST_F(hooks_running, opens_a_ledger_again_as_long_as_it_takes) {
  locked = true;
  crash_one("ledger");
  advance(1min);
  EXPECT_TRUE(cast("ledger").empty());
  EXPECT_TRUE(logged("can not be opened again yet"));
  locked = false;
  accept_in_silence(2);
  advance(limits::restart_most + 2 * limits::webhook_scan);
  EXPECT_EQ(cast("ledger").size(), 1U);
  EXPECT_EQ(count(state::succeeded), 2U);
}

TEST_F(hooks_running, ends_in_order) {
  answers("a", reply{.after = 4s, .status = 200});
  accept_in_silence(20);
  advance(limits::webhook_scan);
  EXPECT_EQ(receiver("a").seen().size(), 8U);
  tell(boss, stop_requested{});
  EXPECT_EQ(stopped, 0);
  advance(4s);
  EXPECT_EQ(stopped, 1);
  EXPECT_EQ(count(state::succeeded), 8U);
  EXPECT_EQ(count(state::pending), 12U);
  EXPECT_TRUE(cast("ledger").empty());
  tell(boss, stop_requested{});
  EXPECT_EQ(stopped, 1);
}

TEST_F(hooks_running, ends_though_somebody_has_just_crashed) {
  crash_one("dispatch");
  tell(boss, stop_requested{});
  EXPECT_EQ(stopped, 1);
}

TEST_F(hooks_running, has_nothing_to_read_again) {
  tell(boss, reload_requested{});
  EXPECT_TRUE(logged("nothing to read again"));
}

}  // namespace
}  // namespace gate::hooks
