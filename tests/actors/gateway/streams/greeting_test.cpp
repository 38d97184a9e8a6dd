// The first moments of a bridged session: the server has the first word.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto roots_list = R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})";

struct greetings : ::testing::Test {
  world w{{.config = std::string(one_upstream)}};
  client c{w};
  fake_upstream& a = w.upstream("a");
  receipt_ptr own;

  void open(std::string_view capabilities) {
    auto r = c.request(
        "0", "initialize",
        R"({"protocolVersion":"2025-11-25","capabilities":)" + std::string(capabilities) + "}");
    c.session = r->header("mcp-session-id");
    own = c.get();
  }
};

TEST_F(greetings, the_first_call_waits_until_the_stream_is_open) {
  open(R"({"elicitation":{}})");
  a.next("GET", reply::silence());
  c.call("1", "x");
  EXPECT_EQ(a.count("tools/call"), 0U);
  fake_upstream::answer(a.last("GET"), reply{.open = true});
  w.settle();
  EXPECT_EQ(a.count("tools/call"), 1U);
  c.call("2", "x");
  EXPECT_EQ(a.count("tools/call"), 2U);
}

TEST_F(greetings, a_server_without_a_stream_gets_the_call_at_once) {
  a.streams = false;
  open(R"({"sampling":{}})");
  EXPECT_EQ(c.call("1", "x")->endings, 1);
}

TEST_F(greetings, roots_are_asked_for_and_told_before_the_call) {
  open(R"({"roots":{}})");
  auto r = c.call("1", "x");
  fake_upstream::push(a.last("GET"), roots_list);
  w.advance(1s);
  EXPECT_EQ(a.count("tools/call"), 0U);
  c.post(R"({"jsonrpc":"2.0","id":)" + at(own->last(), "id") + R"(,"result":{"roots":[]}})");
  w.settle();
  EXPECT_EQ(a.count("tools/call"), 1U);
  EXPECT_EQ(at(r->last(), "id"), "1");
}

TEST_F(greetings, a_server_that_does_not_ask_is_not_waited_for_long) {
  open(R"({"roots":{}})");
  c.call("1", "x");
  w.advance(49ms);
  EXPECT_EQ(a.count("tools/call"), 0U);
  w.advance(1ms);
  EXPECT_EQ(a.count("tools/call"), 1U);
}

TEST_F(greetings, a_client_that_does_not_answer_does_not_hold_its_call_for_ever) {
  open(R"({"roots":{}})");
  c.call("1", "x");
  fake_upstream::push(a.last("GET"), roots_list);
  w.advance(2s);
  EXPECT_EQ(a.count("tools/call"), 1U);
}

TEST_F(greetings, who_can_not_be_asked_does_not_wait) {
  open("{}");
  EXPECT_EQ(c.call("1", "x")->endings, 1);
  client silent(w);
  auto r = silent.request("0", "initialize",
                          R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{}}})");
  silent.session = r->header("mcp-session-id");
  EXPECT_EQ(silent.call("1", "x")->endings, 1) << "without a stream nobody hears a question";
}

TEST_F(greetings, calls_can_be_cancelled_meanwhile) {
  open(R"({"roots":{}})");
  auto r = c.call("1", "x");
  c.cancel("1");
  EXPECT_EQ(r->endings, 1);
  w.advance(1s);
  EXPECT_EQ(a.count("tools/call"), 0U);
}

TEST_F(greetings, end_with_their_session) {
  open(R"({"roots":{}})");
  a.next("GET", reply::silence());
  c.call("1", "x");
  c.end();
  EXPECT_EQ(a.count("DELETE"), 1U);
  w.advance(3s);
  EXPECT_EQ(a.count("tools/call"), 0U);
}

}  // namespace
}  // namespace gate
