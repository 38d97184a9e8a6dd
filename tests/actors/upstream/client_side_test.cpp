#include "actors/upstream/client_side.hpp"

#include <gtest/gtest.h>

#include "protocol/limits.hpp"

namespace gate::upstream {
namespace {

profile_ptr profile(std::uint64_t version, bool listening = false, bool away = false,
                    std::string level = {}) {
  auto p = std::make_shared<client_profile>();
  p->version = version;
  p->listening = listening;
  p->away = away;
  p->log_level = std::move(level);
  p->capabilities = R"({"roots":{}})";
  return p;
}

job about(std::string_view method, std::string_view params) {
  auto w = std::make_unique<work>(task::call);
  w->call.method = method;
  w->call.first = params;
  return w;
}

const role a_client{.client = 1};

TEST(a_client_side, is_nobody_before_the_first_call) {
  client_side it(a_client);
  EXPECT_FALSE(it.profile());
  EXPECT_EQ(it.capabilities(), "{}");
  EXPECT_FALSE(it.wants_stream());
  EXPECT_FALSE(it.declares("roots"));
}

TEST(a_client_side, of_a_root_session_is_made_up_and_stays) {
  client_side it(role{});
  ASSERT_TRUE(it.profile());
  EXPECT_TRUE(it.wants_stream());
  EXPECT_FALSE(it.listens()) << "no client waits for that";
  EXPECT_FALSE(it.learn(profile(9)).known);
  client_side check(role{.check = probe_endpoint{}});
  EXPECT_FALSE(check.wants_stream());
}

TEST(a_client_side, takes_the_latest_word) {
  client_side it(a_client);
  EXPECT_TRUE(it.learn(profile(2)).known);
  EXPECT_FALSE(it.learn(profile(1, true)).known) << "it was parked on its way";
  EXPECT_FALSE(it.wants_stream());
  EXPECT_FALSE(it.learn(nullptr).known);
  EXPECT_TRUE(it.declares("roots"));
}

TEST(a_client_side, says_what_has_changed) {
  client_side it(a_client);
  EXPECT_TRUE(it.learn(profile(1)).level) << "the first";
  auto change = it.learn(profile(2, true));
  EXPECT_FALSE(change.level);
  EXPECT_FALSE(change.presence);
  EXPECT_TRUE(it.wants_stream());
  EXPECT_TRUE(it.learn(profile(3, true, true)).presence) << "only its stream has closed";
  EXPECT_TRUE(it.away());
  change = it.learn(profile(4, true, false, R"("debug")"));
  EXPECT_TRUE(change.level);
  EXPECT_FALSE(change.presence);
}

TEST(a_client_side, is_subscribed_as_the_server_has_agreed) {
  client_side it(a_client);
  it.note(*about("tools/call", R"({"uri":"a"})"));
  EXPECT_TRUE(it.subscriptions().empty());
  it.note(*about("resources/subscribe", R"({"uri":"a"})"));
  it.note(*about("resources/subscribe", R"({"uri":"\u0061"})"));
  EXPECT_EQ(it.subscriptions().size(), 1u) << "the same, written in another way";
  EXPECT_TRUE(it.listens());
  auto undone = about("resources/subscribe", R"({"uri":"b"})");
  undone->undone = true;
  it.note(*undone);
  EXPECT_EQ(it.subscriptions().size(), 1u);
  it.note(*about("resources/unsubscribe", R"({"uri":"a"})"));
  EXPECT_TRUE(it.subscriptions().empty());
}

TEST(a_client_side, has_so_many_subscriptions_at_most) {
  client_side it(a_client);
  for (std::size_t n = 0; n < limits::session_subscriptions; ++n)
    ASSERT_TRUE(it.add(std::to_string(n)));
  EXPECT_FALSE(it.add("more"));
  it.drop("0");
  EXPECT_TRUE(it.add("more"));
  EXPECT_FALSE(it.add("more")) << "it is one already";
}

}  // namespace
}  // namespace gate::upstream
