// As many calls as may wait for their clients, none of which comes back: nothing is left of them.
#include "tests/support/asking_stage.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr std::size_t callers_each = limits::suspended_calls_there / limits::suspended_calls_each;
constexpr std::size_t servers =
    (limits::suspended_calls + limits::suspended_calls_there - 1) / limits::suspended_calls_there;

std::string server(std::size_t i) {
  return "u" + std::to_string(i);
}

world_options many_servers() {
  world_options o;
  o.config = R"({"upstreams":[)";
  for (std::size_t i = 0; i < servers; ++i) {
    o.hosts.push_back(server(i));
    o.config += std::string(i ? "," : "") + R"({"id":")" + server(i) + R"(","url":"http://)" +
                server(i) + R"(.test/mcp","namespace":")" + server(i) + "\"}";
  }
  o.config += "]}";
  o.prepare = [](fake_network& net) {
    for (auto& [id, u] : net) u->always("tools/call", {.open = true});
  };
  return o;
}

struct many_suspended_calls : ::testing::Test {
  world w{many_servers()};
  std::vector<std::string> states;  ///< of a few

  static std::string peer_of(std::size_t caller) {
    return "10.0." + std::to_string(caller / 250) + "." + std::to_string(1 + caller % 250);
  }
  /// All that there is room for; then their clients are asked.
  void fill(std::size_t some = servers) {
    states.clear();
    std::vector<receipt_ptr> first;
    std::size_t n = 0, caller = 0;
    for (std::size_t s = 0; s < some; ++s)
      for (std::size_t i = 0; i < callers_each; ++i) {
        stateless_client c(w);
        c.capabilities = able;
        c.peer = peer_of(caller++);
        for (std::size_t k = 0; k < limits::suspended_calls_each; ++k) {
          if (n == limits::suspended_calls) break;
          ++n;
          auto r = c.call("1", server(s) + "__x");
          if (k == 0) first.push_back(std::move(r));
        }
      }
    const auto before = answers();
    for (std::size_t s = 0; s < servers; ++s)
      for (const auto& call : w.upstream(server(s)).under_way("tools/call"))
        asking_stage::question(call, "9");
    w.settle();
    w.advance(soon);
    EXPECT_EQ(waiting(), n);
    EXPECT_EQ(answers(), before) << "nobody was told that nobody can be asked";
    for (const auto& r : first) states.push_back(at(r->last(), "result", "requestState"));
  }
  std::size_t waiting() {
    std::size_t n = 0;
    for (std::size_t s = 0; s < servers; ++s)
      n += w.upstream(server(s)).under_way("tools/call").size();
    return n;
  }
  std::size_t answers() {
    std::size_t n = 0;
    for (std::size_t s = 0; s < servers; ++s) n += w.upstream(server(s)).count("response");
    return n;
  }
  std::size_t sessions() {
    std::size_t n = 0;
    for (std::size_t s = 0; s < servers; ++s) n += w.upstream(server(s)).open_sessions();
    return n;
  }
};

TEST_F(many_suspended_calls, leave_nothing_behind) {
  w.advance(1h);
  const auto timers = w.timers(), roots = sessions();
  const auto actors = w.system().registry().running();
  fill();
  const auto callers = (limits::suspended_calls - 1) / limits::suspended_calls_each + 1;
  EXPECT_EQ(w.cast("bridged session").size(), callers);
  EXPECT_GT(sessions(), roots);

  w.advance(limits::suspended_time + 1s);
  EXPECT_EQ(waiting(), 0U) << "each is cancelled at its server";
  std::size_t cancelled = 0;
  for (std::size_t s = 0; s < servers; ++s)
    cancelled += w.upstream(server(s)).count("notifications/cancelled");
  EXPECT_EQ(cancelled, limits::suspended_calls);
  EXPECT_EQ(answers(), limits::suspended_calls) << "each question is answered by an error";
  EXPECT_EQ(w.audit("tools/call").size(), limits::suspended_calls) << "one a leg";
  for (std::size_t i = 0; i < states.size(); i += 40) {
    stateless_client c(w);
    c.capabilities = able;
    c.peer = peer_of(i);
    const auto r = c.call("2", server(i / callers_each) + "__x",
                          R"(,"inputResponses":{},"requestState":)" + states[i]);
    EXPECT_EQ(at(r->last(), "error", "code"), "-32602");
  }

  // What stood for their clients ends as that of anybody who has gone.
  w.advance(1h);
  EXPECT_TRUE(w.cast("bridged session").empty());
  EXPECT_EQ(sessions(), roots);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="client"})"), 0);
  EXPECT_EQ(w.metric(R"(gate_sessions{kind="bridged"})"), 0);
  EXPECT_EQ(w.timers(), timers);
  EXPECT_EQ(w.system().registry().running(), actors);
  fill(1);  // as many at one server, of each of these callers, as there may be
}

}  // namespace
}  // namespace gate
