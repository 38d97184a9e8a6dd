// The same story under many schedules: whoever's turn it is, nothing is lost and nothing comes
// twice.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

/// Two units, clients that call, cancel, vanish and end, an upstream that loses its sessions and
/// one that crashes. Returns everybody's turns.
std::string story(std::uint64_t seed) {
  world w({.units = 2, .seed = seed});
  w.shuffle(seed);
  w.record_turns();
  std::vector<client> clients;
  for (std::size_t i = 0; i < 6; ++i) clients.emplace_back(w, i % 2);
  for (auto& c : clients) c.initialize();
  std::vector<receipt_ptr> calls, cancels;
  std::mt19937_64 dice(seed);
  w.upstream("a").always("tools/call", [&dice](const sight&) {
    return reply::result("1", std::chrono::milliseconds(dice() % 50));
  });
  w.hold(true);
  for (int i = 0; i < 60; ++i) {
    auto& c = clients[dice() % clients.size()];
    const auto id = std::to_string(i);
    switch (dice() % 8) {
      case 0:
        calls.push_back(c.list(id));
        break;
      case 1:
        if (i) cancels.push_back(c.cancel(std::to_string(dice() % static_cast<unsigned>(i))));
        break;
      case 2:
        if (!calls.empty()) w.vanish(calls[dice() % calls.size()]);
        break;
      case 3:
        w.upstream("a").forget_sessions();
        break;
      default:
        calls.push_back(c.call(id, dice() % 2 ? "a__x" : "b__x"));
    }
    if (i == 30) w.crash(w.cast("upstream").at(dice() % 4));
    if (i == 40) clients[0].end();
    for (auto steps = dice() % 20; steps > 0; --steps) w.step();
  }
  w.hold(false);
  w.advance(2min);
  std::size_t audited = calls.size() + 1;  // and the DELETE
  for (const auto& r : calls) {
    EXPECT_TRUE(r->done()) << "seed " << seed << ", request " << r->number;
    EXPECT_LE(r->endings, 1) << "seed " << seed;
    EXPECT_TRUE(r->misuse.empty()) << "seed " << seed << ": " << r->misuse.front();
  }
  for (const auto& r : cancels) audited += r->status == 404;  // its session had ended
  EXPECT_EQ(w.audit("tools/call").size() + w.audit("tools/list").size() + w.audit("http").size(),
            audited)
      << "seed " << seed;
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 5) << "seed " << seed;
  return w.turns();
}

TEST(schedules, none_loses_or_doubles_an_answer) {
  for (std::uint64_t seed = 1; seed <= 150 && !::testing::Test::HasFailure(); ++seed) story(seed);
}

TEST(schedules, a_seed_tells_the_same_story_twice) {
  const auto one = story(4711);
  EXPECT_GT(one.size(), 1000U);
  EXPECT_EQ(story(4711), one);
}

}  // namespace
}  // namespace gate
