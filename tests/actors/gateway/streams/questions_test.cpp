// What upstreams ask of clients within a call: sampling, elicitation, roots.
#include "simulations/world/world.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto sampling =
    R"({"id":"q1","jsonrpc":"2.0","method":"sampling/createMessage","params":{"n":1.0}})";

struct questions : ::testing::Test {
  world w;
  client c{w};
  fake_upstream& a = w.upstream("a");

  questions() {
    auto r = c.request(
        "0", "initialize",
        R"({"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"roots":{},"x":1.0}})");
    c.session = r->header("mcp-session-id");
    a.always("tools/call", reply{.open = true});
  }
  /// The raw id under which the client was asked last.
  static std::string asked_as(const receipt_ptr& r) { return at(r->events().back(), "id"); }
};

TEST_F(questions, upstreams_are_told_what_this_client_can_do) {
  c.call("1", "a__x");
  EXPECT_EQ(a.last("initialize")->param("capabilities"), R"({"sampling":{},"roots":{},"x":1.0})");
}

TEST_F(questions, go_out_on_the_calls_stream_and_their_answers_back_verbatim) {
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"), sampling);
  w.settle();
  ASSERT_EQ(r->events().size(), 1U);
  EXPECT_EQ(r->events()[0],
            R"({"id":1,"jsonrpc":"2.0","method":"sampling/createMessage","params":{"n":1.0}})");
  auto said = c.post(R"({"jsonrpc":"2.0","id":1,"result":{ "role":"user", "n": 1e400 }})");
  EXPECT_EQ(said->status, 202);
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(a.last("response")->body,
            R"({"jsonrpc":"2.0","id":"q1","result":{ "role":"user", "n": 1e400 }})");
  EXPECT_EQ(a.last("response")->session, a.last("tools/call")->session);
  fake_upstream::push(a.last("tools/call"), R"({"jsonrpc":"2.0","id":$id,"result":{"ok":1}})");
  w.settle();
  EXPECT_EQ(r->events().back(), R"({"jsonrpc":"2.0","id":1,"result":{"ok":1}})");
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST_F(questions, may_be_declined) {
  c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"), sampling);
  w.settle();
  c.post(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"user said no"}})");
  EXPECT_EQ(a.last("response")->body,
            R"({"jsonrpc":"2.0","id":"q1","error":{"code":-1,"message":"user said no"}})");
}

TEST_F(questions, of_two_calls_at_once_never_cross) {
  auto one = c.call("1", "a__x");
  auto two = c.call("2", "b__x");
  auto& b = w.upstream("b");
  b.always("tools/call", reply{.open = true});
  auto three = c.call("3", "b__x");
  fake_upstream::push(b.last("tools/call"), sampling);
  fake_upstream::push(a.last("tools/call"), sampling);
  w.settle();
  ASSERT_EQ(one->events().size(), 1U);
  ASSERT_EQ(three->events().size(), 1U);
  EXPECT_NE(asked_as(one), asked_as(three));
  c.post(R"({"jsonrpc":"2.0","id":)" + asked_as(one) + R"(,"result":"for a"})");
  EXPECT_EQ(at(a.last("response")->body, "result"), R"("for a")");
  EXPECT_EQ(b.count("response"), 0U);
  c.post(R"({"jsonrpc":"2.0","id":)" + asked_as(three) + R"(,"result":"for b"})");
  EXPECT_EQ(at(b.last("response")->body, "result"), R"("for b")");
}

TEST_F(questions, are_answered_by_those_who_were_asked_and_once) {
  client d(w);
  d.initialize();
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"), sampling);
  w.settle();
  for (auto id : {"2", "\"1\"", "01", "1.0"})
    c.post(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"result":{}})");
  EXPECT_EQ(d.post(R"({"jsonrpc":"2.0","id":1,"result":{}})")->status, 202);
  EXPECT_EQ(a.count("response"), 0U);
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(a.count("response"), 1U);
}

TEST_F(questions, may_take_a_human_longer_than_the_call_may_take) {
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"), sampling);
  w.advance(5min);
  EXPECT_FALSE(r->stream_ended);
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(a.count("response"), 1U);
  w.advance(59s);
  EXPECT_FALSE(r->stream_ended);
  w.advance(1s);
  EXPECT_EQ(r->events().back(), unavailable("1", "a", "timed out"));
}

TEST_F(questions, to_a_client_that_vanished_are_answered_for_it) {
  auto r = c.call("1", "a__x");
  w.vanish(r);
  fake_upstream::push(a.last("tools/call"), sampling);
  w.settle();
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "message"), R"("the client is gone")");
}

TEST_F(questions, may_be_withdrawn) {
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"), sampling);
  fake_upstream::push(a.last("tools/call"),
                      R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                      R"("params":{"requestId":"q1","reason":"late"}})");
  w.settle();
  EXPECT_EQ(r->events().back(), R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                                R"("params":{"requestId":1,"reason":"late"}})");
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(a.count("response"), 0U);
}

TEST_F(questions, end_with_their_call) {
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"), sampling);
  w.settle();
  c.cancel("1");
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  ASSERT_EQ(a.count("response"), 1U) << "the upstream is not left waiting";
  EXPECT_EQ(a.last("response")->body, R"({"jsonrpc":"2.0","id":"q1","error":)"
                                      R"({"code":-32603,"message":"the call has ended"}})");
}

TEST_F(questions, that_their_own_call_leaves_open_are_answered) {
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"), sampling);
  fake_upstream::push(a.last("tools/call"), R"({"jsonrpc":"2.0","id":$id,"result":{}})");
  w.settle();
  EXPECT_TRUE(r->stream_ended);
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "error", "message"), R"("the call has ended")");
}

TEST_F(questions, may_report_progress_under_the_upstreams_own_token) {
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"),
                      R"({"params":{"_meta":{"progressToken":"up"},"n":1.0},"jsonrpc":"2.0",)"
                      R"("method":"sampling/createMessage","id":"q1"})");
  w.settle();
  EXPECT_EQ(r->events()[0], R"({"params":{"_meta":{"progressToken":1},"n":1.0},"jsonrpc":"2.0",)"
                            R"("method":"sampling/createMessage","id":1})");
  c.notify("notifications/progress", R"({"progress":0.5,"progressToken":1,"total":2})");
  ASSERT_EQ(a.count("notifications/progress"), 1U);
  EXPECT_EQ(at(a.last("notifications/progress")->body, "params"),
            R"({"progress":0.5,"progressToken":"up","total":2})");
  EXPECT_EQ(a.last("notifications/progress")->session, a.last("tools/call")->session);
  c.notify("notifications/progress", R"({"progress":0.5,"progressToken":7})");
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  c.notify("notifications/progress", R"({"progress":1,"progressToken":1})");
  EXPECT_EQ(a.count("notifications/progress"), 1U) << "of nothing, and of what has ended";
}

TEST_F(questions, are_bounded) {
  c.call("1", "a__x");
  for (int i = 0; i < 65; ++i)
    fake_upstream::push(a.last("tools/call"), R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                                                  R"(,"method":"roots/list"})");
  w.settle();
  ASSERT_EQ(a.count("response"), 1U);
  EXPECT_EQ(at(a.last("response")->body, "id"), "64");
  EXPECT_EQ(at(a.last("response")->body, "error", "code"), "-32603");
}

TEST_F(questions, pings_are_answered_by_the_gateway) {
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"), R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  w.settle();
  EXPECT_EQ(a.last("response")->body, R"({"jsonrpc":"2.0","id":"p","result":{}})");
  EXPECT_FALSE(r->streaming);
}

TEST_F(questions, that_were_withdrawn_give_the_call_its_usual_time_again) {
  auto r = c.call("1", "a__x");
  fake_upstream::push(a.last("tools/call"), sampling);
  fake_upstream::push(a.last("tools/call"),
                      R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                      R"("params":{"requestId":"q1"}})");
  w.advance(60s);
  EXPECT_EQ(r->events().back(), unavailable("1", "a", "timed out"));
}

}  // namespace
}  // namespace gate
