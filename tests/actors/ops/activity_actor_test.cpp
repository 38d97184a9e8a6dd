#include "actors/ops/activity_actor.hpp"

#include "tests/support/actor_test.hpp"

namespace gate::ops {
namespace {

using namespace std::chrono_literals;

struct the_activity : sim::actor_test {
  ~the_activity() override { clear_stage(); }

  using told = std::vector<activity_told>;
  struct reader {
    std::shared_ptr<told> heard = std::make_shared<told>();
    activity_reader handle;
  };
  reader make_reader() {
    reader r;
    r.handle = system().spawn([heard = r.heard](activity_reader::pointer) {
      return activity_reader::behavior_type{
          [heard](const activity_told& m) { heard->push_back(m); }};
    });
    return r;
  }
  void happen(const std::string& who, const std::string& name) {
    auto e = std::make_shared<audit::event>();
    e->principal = who;
    e->issuer = "https://i";
    e->name = name;
    tell(it, audit_record{e});
  }
  static std::string text(const reader& r) {
    std::string out;
    for (const auto& m : *r.heard) out += m.text ? *m.text : "(no)";
    return out;
  }
  activity_handle it = system().spawn<activity_actor>(
      [] { return std::chrono::system_clock::time_point{1'700'000'000s}; });
};

TEST_F(the_activity, tells_streams_together_and_each_what_it_may_hear) {
  auto all = make_reader(), own = make_reader();
  tell(it, follow_activity{1, {true, {}, {}}, {}, 1, all.handle});
  tell(it, follow_activity{2, {false, "https://i", "alice"}, {}, 2, own.handle});
  EXPECT_EQ(text(all), "retry: 2000\n\n");
  for (int i = 0; i < 10; ++i) happen(i % 2 ? "alice" : "bob", "n" + std::to_string(i));
  EXPECT_EQ(all.heard->size(), 1U);
  advance(limits::activity_gather);
  EXPECT_EQ(all.heard->size(), 2U) << "one message for ten events";
  EXPECT_NE(text(all).find("n0"), std::string::npos);
  EXPECT_EQ(text(own).find("bob"), std::string::npos);
  EXPECT_NE(text(own).find("n9"), std::string::npos);
  happen("bob", "more");
  advance(limits::activity_gather);
  EXPECT_EQ(own.heard->size(), 2U) << "nothing is said of what is not theirs";
}

TEST_F(the_activity, does_not_work_for_nobody) {
  happen("alice", "x");
  auto r = make_reader();
  tell(it, follow_activity{1, {true, {}, {}}, 0, 1, r.handle});
  EXPECT_NE(text(r).find("\"x\""), std::string::npos) << "what was before";
  tell(it, unfollow_activity{1, r.handle});
  happen("alice", "y");
  advance(1s);
  EXPECT_EQ(text(r).find("\"y\""), std::string::npos);
}

TEST_F(the_activity, leaves_out_what_is_too_much_at_once) {
  auto r = make_reader();
  tell(it, follow_activity{1, {true, {}, {}}, {}, 1, r.handle});
  for (std::size_t i = 0; i < limits::activity_batch + 7; ++i) happen("alice", "x");
  advance(limits::activity_gather);
  EXPECT_TRUE(text(r).ends_with("event: missed\ndata: {\"count\":7}\n\n"));
}

TEST_F(the_activity, has_room_for_so_many_and_forgets_readers_that_died) {
  auto r = make_reader();
  const auto follow = [&](std::uint64_t number, std::uint64_t share, const reader& by) {
    tell(it, follow_activity{number, {true, {}, {}}, {}, share, by.handle});
    return by.heard->back().text != nullptr;
  };
  for (std::uint64_t i = 0; i < limits::activity_streams_each; ++i) EXPECT_TRUE(follow(i, 1, r));
  EXPECT_FALSE(follow(100, 1, r));
  EXPECT_EQ(r.heard->back().number, 100U);
  std::uint64_t number = 200;
  for (std::uint64_t share = 2;
       number < 200 + limits::activity_streams - limits::activity_streams_each; ++share)
    EXPECT_TRUE(follow(number++, share, r));
  EXPECT_FALSE(follow(500, 99, r));
  tell(it, unfollow_activity{3, r.handle});
  EXPECT_TRUE(follow(501, 99, r));
  crash(r.handle);
  auto next = make_reader();
  EXPECT_TRUE(follow(1, 1, next)) << "the dead make room";
}

}  // namespace
}  // namespace gate::ops
