// Fetches of a replay: who is told what, and that those which are over are forgotten.
#include "simulations/replay/played_network.hpp"

#include <gtest/gtest.h>

#include "protocol/http/url.hpp"
#include "simulations/world/actor_stage.hpp"

namespace gate::replay {
namespace {

using recording::event;
using recording::kind;

/// Hears what it is told.
struct listener {
  std::vector<std::uint64_t> ended{};
};

fetch_client asker_on(sim::actor_stage& stage, listener& to) {
  return stage.system().spawn([&to](fetch_client::pointer) -> fetch_client::behavior_type {
    return {[&to](const fetched& m) { to.ended.push_back(m.id); }, [](const streamed&) {}};
  });
}

constexpr std::string_view server = "http://files:1/mcp";

event fetch_event(std::uint64_t number) {
  event e;
  e.what = kind::fetch;
  e.number = number;
  e.at = number;
  e.method = "POST";
  e.url = server;
  e.body = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t)" +
           std::to_string(number) + R"("}})";
  return e;
}

event answer_event(std::uint64_t number, std::uint64_t at) {
  event e;
  e.what = kind::fetched;
  e.number = number;
  e.at = at;
  e.status = 200;
  e.end = "complete";
  e.body = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  return e;
}

/// So many fetches, then their answers.
tape fetches(std::uint64_t n) {
  event_list all;
  for (std::uint64_t i = 1; i <= n; ++i) all.push_back(fetch_event(i));
  for (std::uint64_t i = 1; i <= n; ++i) all.push_back(answer_event(i, n + i));
  return order({}, std::move(all), recording::ending::shutdown);
}

class replayed : public ::testing::Test {
 protected:
  static constexpr std::uint64_t many = 100;

  /// As the recorded fetch of this number says it.
  playing_ptr ask(const fetch_client& who, std::uint64_t number) {
    auto f = std::make_shared<fetch>();
    auto to = std::make_shared<destination>();
    to->url = *http::parse_url(server);
    f->to = std::move(to);
    f->id = number;
    f->before = *fetch_event(number).body;
    auto p = std::make_shared<playing>();
    p->what = std::move(f);
    p->asker = who;
    net.start(p, 0);
    return p;
  }

  sim::actor_stage stage;
  tape of = fetches(many);
  stand_in_issuer issuer{{}};
  played_network net{of, issuer, [] { return std::uint64_t{1}; },
                     [](std::string_view text) { return std::string(text); }, false};
  listener heard, other_heard;
  fetch_client one = asker_on(stage, heard), other = asker_on(stage, other_heard);
};

TEST_F(replayed, a_fetch_that_was_answered_is_forgotten) {
  for (std::uint64_t i = 1; i <= many; ++i) ask(one, i);
  EXPECT_EQ(net.under_way(), many);
  for (std::size_t i = 0; i < of.events.size(); ++i)
    if (of.events[i].what == kind::fetched) net.come_to(i);
  EXPECT_EQ(net.under_way(), 0U);
  stage.settle();
  EXPECT_EQ(heard.ended.size(), many);
}

TEST_F(replayed, a_fetch_that_was_abandoned_is_told_nothing_and_is_forgotten) {
  const auto abandoned = ask(one, 1), kept = ask(other, 2);
  net.abandon(2, one);
  EXPECT_EQ(net.under_way(), 2U) << "that is another's number";
  net.abandon(1, one);
  EXPECT_EQ(net.under_way(), 1U);
  EXPECT_TRUE(abandoned->over);
  for (std::size_t i = 0; i < of.events.size(); ++i)
    if (of.events[i].what == kind::fetched) net.come_to(i);
  stage.settle();
  EXPECT_EQ(heard.ended, std::vector<std::uint64_t>{});
  EXPECT_EQ(other_heard.ended, std::vector<std::uint64_t>{2});
}

TEST_F(replayed, what_is_made_up_is_over_when_it_was_told) {
  const auto p = ask(one, many + 1);
  EXPECT_NE(p->how, likeness::same);
  net.tell(*p, nothing);
  EXPECT_EQ(net.under_way(), 0U);
  net.abandon(many + 1, one);
  stage.settle();
  EXPECT_EQ(heard.ended, std::vector<std::uint64_t>{many + 1});
}

}  // namespace
}  // namespace gate::replay
