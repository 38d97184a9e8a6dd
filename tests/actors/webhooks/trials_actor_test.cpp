#include "actors/webhooks/trials_actor.hpp"

#include "tests/actors/webhooks/support/a_dispatch.hpp"

namespace gate::hooks {
namespace {

using namespace std::chrono_literals;
using sim::reply;
using webhook::ending;

struct trials : testing::a_dispatch {
  trials() {
    auto common = std::make_shared<delivering_parts>();
    common->sending.answer = 15s;
    common->egress = egress;
    common->tally = std::make_shared<attempt_tally>(counted);
    common->wall = [this] { return wall(); };
    hall = system().spawn<trials_actor>(nullptr, common);
    asker = system().spawn([this](trial_asker::pointer) -> trial_asker::behavior_type {
      return {[this](const tried& m) { told.push_back(m); }};
    });
    hook("a");
  }
  ~trials() override {
    hall = nullptr;
    asker = nullptr;
  }
  void attempt(std::uint64_t number) {
    tell(hall, try_webhook{number, read("a"), {"evt_test", "acme", {}, wall_ms(), "{}"}, asker});
  }
  trials_handle hall;
  trial_asker asker;
  std::vector<tried> told;
};

TEST_F(trials, say_what_the_receiver_said) {
  attempt(1);
  answers("a", reply::http(404));
  attempt(2);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].how.end, ending::success);
  EXPECT_EQ(told[1].how.code, 404);
  EXPECT_EQ(told[1].number, 2U);
  EXPECT_FALSE(receiver("a").seen()[0]->header("webhook-signature").empty());
  EXPECT_EQ(count(webhook::state::pending), 0U);
}

TEST_F(trials, end_in_time) {
  answers("a", reply::silence());
  attempt(1);
  answers("a", reply{.events = {"{}"}, .open = true});
  attempt(2);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].how.end, ending::malformed);
  advance(15s);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[1].how.end, ending::timeout);
  for (const auto& s : receiver("a").seen()) EXPECT_TRUE(s->abandoned);
  advance(1min);
  EXPECT_EQ(told.size(), 2U);
}

TEST_F(trials, are_so_many_at_a_time) {
  answers("a", reply::silence());
  for (std::uint64_t i = 0; i <= limits::webhook_trials; ++i) attempt(i);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].how.end, ending::refused);
  EXPECT_EQ(receiver("a").seen().size(), limits::webhook_trials);
}

TEST_F(trials, call_nobody_who_may_not_be_called) {
  auto inside = read("a");
  inside.url = "https://10.0.0.1/";
  tell(hall, try_webhook{1, inside, {"evt_test", "acme", {}, wall_ms(), "{}"}, asker});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].how.end, ending::forbidden);
}

}  // namespace
}  // namespace gate::hooks
