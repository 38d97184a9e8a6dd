// What ends, and what is told, when a caller's next token opens less or more than the one before.
#include <algorithm>

#include "simulations/world/guarded_world.hpp"
#include "simulations/world/stateless_client.hpp"
#include "tests/actors/gateway/lists/lists_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

/// `a` is for vips.
std::string for_vips(std::string_view more_of_a) {
  return guarded(R"([{"id":"b","url":"http://b.test/mcp","namespace":"b"},
                     {"id":"a","url":"http://a.test/mcp","namespace":"a")" +
                     std::string(more_of_a) + "}]",
                 R"("policy":{"rules":[{"id":"all","allow":[{"server":"b"}]},
                     {"id":"vip","subjects":{"groups":["vip"]},"allow":[{"server":"a"}]}]})");
}
constexpr std::string_view own_of_each = R"(,"listsPerClient":true)";
constexpr std::string_view passthrough = R"(,"auth":{"strategy":"passthrough"})";

struct rights : ::testing::Test {
  std::unique_ptr<world> w;
  std::vector<std::unique_ptr<client>> clients;

  fake_upstream& begin(std::string_view more_of_a) {
    w = std::make_unique<world>(guarded_world(for_vips(more_of_a)));
    w->upstream("b").tools = {};
    return w->upstream("a");
  }
  static std::string vip(int n = 0) {
    return token_for("alice", R"("groups":["vip"],"jti":")" + std::to_string(n) + '"');
  }
  static std::string low() { return token_for("alice"); }
  client& visitor(std::string token) {
    auto& c = *clients.emplace_back(std::make_unique<client>(*w));
    c.token = std::move(token);
    return c.initialize();
  }
  static std::size_t requests(const fake_upstream& u) {
    return u.seen().size() - u.count("DELETE");
  }
};

TEST_F(rights, that_are_lost_end_the_session_for_lists_and_open_no_other) {
  for (const auto& more :
       {std::string(own_of_each), std::string(own_of_each) + std::string(passthrough)}) {
    SCOPED_TRACE(more);
    auto& a = begin(more);
    auto& c = visitor(vip());
    const auto mine = c.get();
    c.list("1");
    EXPECT_EQ(a.open_sessions(), 1U);
    w->advance(1s);
    c.token = low();
    c.request("2", "ping");
    const auto before = requests(a);
    w->advance(40s);
    EXPECT_EQ(requests(a), before);
    EXPECT_EQ(a.open_sessions(), 0U);
    EXPECT_EQ(mine->events().front(), changed);
    clients.clear();
  }
}

TEST_F(rights, that_are_lost_while_a_list_is_on_its_way_ask_for_nothing_more) {
  auto& a = begin(std::string(own_of_each) + std::string(passthrough));
  auto& c = visitor(vip());
  const auto mine = c.get();
  c.list("1");
  w->advance(31s);
  a.next("tools/list", reply::result(R"({"tools":[{"name":"1"}]})", 1s));
  const auto late = c.list("2");
  c.token = low();
  c.request("3", "ping");
  const auto before = requests(a);
  w->advance(40s);
  EXPECT_TRUE(late->done());
  EXPECT_EQ(requests(a), before);
  EXPECT_EQ(a.open_sessions(), 0U);
}

TEST_F(rights, that_are_lost_end_the_callers_root_session) {
  auto& a = begin(passthrough);
  auto& c = visitor(vip());
  c.get();
  c.list("1");
  EXPECT_EQ(a.open_sessions(), 1U);
  w->advance(1s);
  c.token = low();
  c.request("2", "ping");
  w->advance(1s);
  EXPECT_EQ(a.open_sessions(), 0U);
  const auto before = requests(a);
  for (const auto& s : a.under_way("GET")) fake_upstream::close(s, fetch_end::broken);
  w->advance(40s);
  EXPECT_EQ(requests(a), before);
}

TEST_F(rights, that_another_session_of_the_caller_has_keep_its_root_session) {
  auto& a = begin(passthrough);
  auto &c = visitor(vip()), &d = visitor(vip(1));
  const auto theirs = d.get();
  c.list("1");
  d.list("1");
  w->advance(1s);
  c.token = low();
  c.request("2", "ping");
  w->advance(1s);
  EXPECT_EQ(a.open_sessions(), 1U);
  a.tools = {R"({"name":"new"})"};
  a.announce(changed);
  w->advance(1s);
  EXPECT_EQ(theirs->events(), std::vector<std::string>{changed});
  EXPECT_NE(d.list("2")->last().find("a__new"), std::string::npos);
  d.token = low();
  d.request("3", "ping");
  w->advance(1s);
  EXPECT_EQ(a.open_sessions(), 0U);
}

TEST_F(rights, that_are_won_at_an_upstream_with_lists_per_client_are_told) {
  auto& a = begin(own_of_each);
  auto& c = visitor(low());
  const auto mine = c.get();
  c.list("1");
  w->advance(1s);
  c.token = vip();
  c.request("2", "ping");
  w->advance(2s);
  EXPECT_EQ(std::ranges::count(mine->events(), std::string(changed)), 1);
  a.tools = {R"({"name":"mine"})"};
  EXPECT_NE(c.list("3")->last().find("a__mine"), std::string::npos);
}

// --- whose doubt it is ---------------------------------------------------------------------------

TEST_F(rights, a_callers_root_stream_that_ends_leaves_other_callers_lists_alone) {
  auto& a = begin(passthrough);
  auto &c = visitor(vip()), &d = visitor(token_for("bob", R"("groups":["vip"])"));
  const auto mine = c.get(), theirs = d.get();
  c.list("1");
  d.list("1");
  w->advance(31s);
  const auto asked = a.count("tools/list");
  fake_upstream::close(a.under_way("GET").front(), fetch_end::broken);
  w->advance(2s);
  EXPECT_EQ(a.count("tools/list"), asked + 1);
}

TEST_F(rights, that_one_token_lacks_end_nothing_of_another_without_sessions) {
  auto& a = begin("");
  stateless_client rich(*w), poor(*w);
  rich.token = vip();
  poor.token = low();
  rich.call("1", "a__x");
  EXPECT_EQ(at(poor.call("1", "a__x")->last(), "error", "code"), "-31042");
  rich.call("2", "a__x");
  w->settle();
  EXPECT_EQ(a.count("tools/call"), 2U);
  EXPECT_EQ(a.last("tools/call")->session, a.seen("tools/call")[0]->session);
  EXPECT_EQ(a.count("DELETE"), 0U);
}

}  // namespace
}  // namespace gate
