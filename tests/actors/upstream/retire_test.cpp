// How UPSTREAM leaves when the configuration has it no longer, and how another one takes its place.
#include "tests/support/upstream_stage.hpp"

namespace gate::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto with_a_limit =
    R"({"id":"a","url":"http://a.test/mcp","rateLimit":{"requestsPerMinute":5}})";

TEST(upstream_retire, finishes_what_runs) {
  upstream_stage s;
  s.tell(s.it(), introduce{});
  s.server().next("tools/call", reply::result("{}", 5s));
  s.call(1);
  s.tell(s.it(), retire{true});
  EXPECT_FALSE(s.gone());
  s.call(2);
  s.list(3);
  EXPECT_EQ(s.how(2), "connect failed") << "nothing new is taken";
  ASSERT_EQ(s.heard().lists.size(), 1U);
  EXPECT_FALSE(s.heard().lists[0].items);
  EXPECT_EQ(s.how(1), "nothing");
  s.advance(5s);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_EQ(s.server().open_sessions(), 0U) << "all have said goodbye";
  EXPECT_TRUE(s.gone());
}

TEST(upstream_retire, finishes_what_waits_for_a_session) {
  upstream_stage s;
  s.server().next("initialize", reply::http(500));
  s.call(9, 9);
  auto late = reply::result(R"({"protocolVersion":"2025-06-18","capabilities":{}})", 5s);
  s.server().next("initialize", late);
  s.server().sessions = false;
  s.call(1);
  s.tell(s.it(), retire{true});
  s.advance(5s);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_TRUE(s.gone());
}

TEST(upstream_retire, finishes_what_waits_for_guards) {
  upstream_stage s({.upstream = with_a_limit,
                    .limiter = true,
                    .budget = true,
                    .limiter_waits = true,
                    .budget_waits = true});
  s.call(1, 1, true);
  s.call(2, 2);
  s.tell(s.it(), retire{true});
  s.admit(0, true);
  EXPECT_EQ(s.how(1), "nothing");
  s.admit(1, false);
  EXPECT_EQ(s.how(2), "refused");
  EXPECT_FALSE(s.gone());
  s.pay(0, true);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_EQ(s.server().open_sessions(), 0U);
  EXPECT_TRUE(s.gone());
}

TEST(upstream_retire, at_once_answers_what_is_parked) {
  upstream_stage s({.upstream = with_a_limit, .limiter = true, .limiter_waits = true});
  s.call(1);
  s.list(1);
  s.tell(s.it(), retire{});
  EXPECT_EQ(s.how(1), "connect failed");
  ASSERT_EQ(s.heard().lists.size(), 1U);
  EXPECT_TRUE(s.gone());
}

TEST(upstream_retire, may_be_told_to_hurry) {
  upstream_stage s;
  s.server().next("tools/call", reply::silence());
  s.call(1);
  s.tell(s.it(), retire{true});
  EXPECT_FALSE(s.gone());
  s.tell(s.it(), retire{});
  EXPECT_TRUE(s.gone());
  EXPECT_EQ(s.server().open_sessions(), 0U);
}

TEST(upstream_retire, does_not_open_a_lost_session_for_its_own_sake) {
  upstream_stage s;
  s.tell(s.it(), introduce{});
  s.server().next("tools/list", reply::result(R"({"tools":[]})", 5s));
  s.list(1);
  s.tell(s.it(), retire{true});
  s.server().forget_sessions();
  fake_upstream::close(s.server().last("GET"));
  s.advance(60s);
  EXPECT_EQ(s.heard().lists.size(), 1U);
  EXPECT_EQ(s.server().count("initialize"), 1U);
  EXPECT_TRUE(s.gone());
}

subscribe_again moved(std::vector<std::string> uris) {
  return {1, std::make_shared<client_profile>(), std::move(uris), nullptr};
}

TEST(upstream_moved, subscribes_in_a_session_that_is_opened_at_once) {
  upstream_stage s;
  s.tell(s.it(), moved({R"("file:///a")", R"("file:///b")"}));
  EXPECT_EQ(s.cast("bridged session").size(), 1U);
  const auto seen = s.server().seen("resources/subscribe");
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0]->param("uri"), R"("file:///a")");
  s.tell(s.it(), moved({R"("file:///a")", R"("file:///c")"}));
  EXPECT_EQ(s.server().count("resources/subscribe"), 3U)
      << "in a session that is open: what is new";
}

TEST(upstream_moved, subscribes_as_soon_as_it_can) {
  upstream_stage s;
  s.cut_off("a");
  s.tell(s.it(), moved({R"("file:///a")"}));
  s.connect("a");
  s.advance(10s);
  EXPECT_EQ(s.server().count("resources/subscribe"), 1U);
  s.advance(600s);
  EXPECT_EQ(s.cast("bridged session").size(), 1U) << "who is subscribed is not idle";
}

TEST(upstream_moved, shares_its_handshake_with_calls) {
  upstream_stage s;
  s.server().next("initialize", reply::result(R"({"protocolVersion":"2025-06-18",
                                                  "capabilities":{}})",
                                              5s));
  s.server().sessions = false;
  s.tell(s.it(), moved({R"("file:///a")"}));
  s.call(1);
  s.advance(5s);
  EXPECT_EQ(s.how(1), "a result") << "calls wait for the same handshake";
  EXPECT_EQ(s.server().count("initialize"), 1U);
  EXPECT_EQ(s.server().count("resources/subscribe"), 1U);
}

}  // namespace
}  // namespace gate::sim
