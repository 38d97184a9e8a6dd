#include "actors/guards/rate_limiter_actor.hpp"

#include "tests/actors/guards/guard_stage.hpp"

namespace gate::guards {
namespace {

using namespace std::chrono_literals;

rate_scopes_ptr scopes_of(std::vector<rate_scope> all) {
  return std::make_shared<const std::vector<rate_scope>>(std::move(all));
}

struct the_rate_limiter : testing::guard_test {
  admitted ask(std::vector<rate_scope> scopes) {
    tell(it, admit{++number, scopes_of(std::move(scopes)), asker.handle});
    EXPECT_EQ(asker.heard->size(), number) << "one answer for one question";
    EXPECT_EQ(asker.last().number, number);
    return asker.last();
  }
  rate_limiter_handle it = system().spawn<rate_limiter_actor>(std::size_t{3});
  testing::ear<admission_user, admitted> asker{system()};
  std::uint64_t number = 0;
};

TEST_F(the_rate_limiter, answers_each_question_by_the_actor_clock) {
  const std::vector<rate_scope> scopes{{{}, 10}, {{scope::tenant, "a"}, 2}};
  EXPECT_TRUE(ask(scopes).yes);
  EXPECT_TRUE(ask(scopes).yes);
  auto no = ask(scopes);
  EXPECT_FALSE(no.yes);
  EXPECT_EQ(no.refused_by, scope::tenant);
  EXPECT_EQ(no.retry_after, 90s);
  advance(89s);
  no = ask(scopes);
  EXPECT_FALSE(no.yes);
  EXPECT_EQ(no.retry_after, 1s);
  advance(1s);
  EXPECT_TRUE(ask(scopes).yes);
  EXPECT_TRUE(ask({}).yes);
  tell(it, admit{++number, nullptr, asker.handle});
  EXPECT_TRUE(asker.last().yes);
}

TEST_F(the_rate_limiter, counts_for_all_who_ask) {
  testing::ear<admission_user, admitted> other{system()};
  EXPECT_TRUE(ask({{{}, 1}}).yes);
  tell(it, admit{7, scopes_of({{{}, 1}}), other.handle});
  EXPECT_FALSE(other.last().yes);
  EXPECT_EQ(other.last().number, 7U);
}

TEST_F(the_rate_limiter, says_once_that_it_is_full) {
  for (std::uint64_t i = 1; i <= 10; ++i) EXPECT_TRUE(ask({{{scope::principal, {}, i}, 1}}).yes);
  EXPECT_EQ(logged("More principals are active than can be counted"), 1U);
  EXPECT_FALSE(ask({{{scope::principal, {}, 1}, 1}}).yes);
  EXPECT_TRUE(ask({{{scope::principal, {}, 10}, 1}}).yes);
}

TEST_F(the_rate_limiter, that_is_restarted_begins_anew) {
  EXPECT_TRUE(ask({{{}, 1}}).yes);
  EXPECT_FALSE(ask({{{}, 1}}).yes);
  crash(it);
  it = system().spawn<rate_limiter_actor>();
  EXPECT_TRUE(ask({{{}, 1}}).yes);
}

TEST_F(the_rate_limiter, shows_what_is_used_and_counts_nothing) {
  const std::vector<rate_scope> scopes{{{}, 10}, {{scope::tenant, "a"}, 2}};
  ask(scopes);
  ask(scopes);
  for (int i = 0; i < 5; ++i) {
    const auto shown = this->gate::sim::actor_stage::ask<usage_shown>(
        it, show_usage{scopes_of({scopes[1], scopes[0], {{scope::tenant, "b"}, 4}}), nullptr});
    ASSERT_TRUE(shown.done());
    ASSERT_EQ(shown.get().windows.size(), 3U);
    EXPECT_EQ(shown.get().windows[0].used, 2);
    EXPECT_EQ(shown.get().windows[0].retry_after, 90s);
    EXPECT_EQ(shown.get().windows[1].used, 2);
    EXPECT_EQ(shown.get().windows[1].retry_after, 0s);
    EXPECT_EQ(shown.get().windows[1].clears_in, 120s);
    EXPECT_EQ(shown.get().windows[2].used, 0);
  }
  EXPECT_TRUE(
      this->gate::sim::actor_stage::ask<usage_shown>(it, show_usage{}).get().windows.empty());
}

}  // namespace
}  // namespace gate::guards
