// Event streams of an upstream that say nothing any more, and calls that say much and do not end.
#include "tests/support/upstream_stage.hpp"

namespace gate::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto impatient =
    R"({"id":"a","url":"http://a.test/mcp","timeouts":{"streamIdleMs":10000}})";
const std::string said =
    R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":1}})";

TEST(upstream_silence, own_stream_is_opened_again) {
  upstream_stage s({.upstream = impatient});
  s.tell(s.it(), introduce{});
  s.advance(9s);
  s.server().announce(said);
  s.advance(9s);
  EXPECT_EQ(s.server().count("GET"), 1U) << "it was not silent";
  EXPECT_FALSE(s.server().last("GET")->abandoned);
  s.advance(1s);
  EXPECT_TRUE(s.server().last("GET")->abandoned);
  s.advance(500ms);
  EXPECT_EQ(s.server().count("GET"), 2U);
  s.advance(10s + 500ms);
  EXPECT_EQ(s.server().count("GET"), 3U) << "and again, without growing pauses";
}

TEST(upstream_silence, streams_may_be_silent_unless_configured) {
  upstream_stage s;
  s.tell(s.it(), introduce{});
  s.server().next("tools/call", {.events = {said}, .open = true});
  s.call(1);
  s.advance(59s);
  EXPECT_EQ(s.how(1), "nothing");
  EXPECT_EQ(s.server().count("GET"), 1U);
}

TEST(upstream_silence, a_call_without_a_stream_has_its_request_timeout) {
  upstream_stage s({.upstream = impatient});
  s.server().next("tools/call", reply::silence());
  s.call(1);
  s.advance(59s);
  EXPECT_EQ(s.how(1), "nothing");
  s.advance(1s);
  EXPECT_EQ(s.how(1), "timed out");
}

TEST(upstream_silence, a_calls_stream_is_gone_on_with) {
  upstream_stage s({.upstream = impatient, .breaker = true});
  s.server().next("tools/call", {.open = true, .primed = "e1"});
  s.call(1);
  const auto call = s.server().last("tools/call");
  s.advance(10s);
  EXPECT_TRUE(call->abandoned);
  EXPECT_EQ(s.how(1), "nothing");
  s.advance(1s);
  const auto rest = s.server().last("GET");
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->header("last-event-id"), "e1");
  fake_upstream::push(rest, R"({"jsonrpc":"2.0","id":)" + call->id + R"(,"result":{}})");
  s.settle();
  EXPECT_EQ(s.how(1), "a result");
  s.advance(60s);
  EXPECT_EQ(s.how(1), "a result");
  EXPECT_TRUE(s.heard().ends.empty());
}

TEST(upstream_silence, a_stream_that_is_gone_on_with_may_fall_silent_too) {
  upstream_stage s({.upstream = impatient});
  s.server().next("tools/call", {.open = true, .primed = "e1"});
  s.call(1);
  s.advance(11s);
  EXPECT_EQ(s.server().count("GET"), 1U);
  s.advance(11s);
  EXPECT_EQ(s.server().count("GET"), 2U);
  s.advance(40s);
  EXPECT_EQ(s.how(1), "timed out") << "all within the request timeout";
}

TEST(upstream_silence, a_calls_stream_without_ids_is_the_end_of_the_call) {
  upstream_stage s({.upstream = impatient, .breaker = true});
  s.server().next("tools/call", {.events = {said}, .open = true});
  s.call(1);
  s.advance(9s);
  EXPECT_EQ(s.how(1), "nothing");
  s.advance(1s);
  EXPECT_EQ(s.how(1), "timed out");
  EXPECT_EQ(s.server().count("notifications/cancelled"), 1U);
  ASSERT_EQ(s.heard().ends.size(), 1U);
  EXPECT_EQ(s.heard().ends[0].how, verdict::failure);
}

TEST(upstream_silence, it_may_be_the_clients_turn) {
  upstream_stage s({.upstream = impatient});
  s.server().next(
      "tools/call",
      {.events = {R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}})"},
       .open = true});
  s.call(1);
  const auto call = s.server().last("tools/call");
  s.advance(30s);
  EXPECT_FALSE(call->abandoned);
  ASSERT_EQ(s.heard().questions.size(), 1U);
  client_reply yes;
  yes.session = s.heard().questions[0].session;
  yes.id = "\"q\"";
  yes.payload = "{}";
  s.tell(s.it(), yes);
  s.advance(9s);
  EXPECT_FALSE(call->abandoned);
  s.advance(1s);
  EXPECT_TRUE(call->abandoned) << "now it is the server's again";
  EXPECT_EQ(s.how(1), "timed out");
}

TEST(upstream_silence, what_a_call_says_gives_it_more_time_up_to_the_most) {
  for (const auto* config : {impatient, R"({"id":"a","url":"http://a.test/mcp"})"}) {
    upstream_stage s({.upstream = config});
    s.server().next("tools/call", {.events = {said}, .open = true});
    s.call(1);
    const auto call = s.server().last("tools/call");
    for (int n = 0; n < 119; ++n) {
      s.advance(5s);
      fake_upstream::push(call, said);
      s.settle();
    }
    EXPECT_EQ(s.how(1), "nothing") << "ten times its request timeout is not over";
    EXPECT_EQ(s.heard().notes.size(), 120U);
    s.advance(5s);
    EXPECT_EQ(s.how(1), "timed out");
  }
}

TEST(upstream_silence, of_a_call_counts_from_its_last_word) {
  upstream_stage s({.upstream = R"({"id":"a","url":"http://a.test/mcp",
    "timeouts":{"requestMs":5000,"maxRequestMs":12000}})"});
  s.server().next("tools/call", {.events = {said}, .open = true});
  s.call(1);
  const auto call = s.server().last("tools/call");
  s.advance(4s);
  fake_upstream::push(call, said);
  s.advance(5s - 1ms);
  EXPECT_EQ(s.how(1), "nothing");
  s.advance(1ms);
  EXPECT_EQ(s.how(1), "timed out");
  s.server().next("tools/call", {.events = {said}, .open = true});
  s.call(2);
  for (int n = 0; n < 3; ++n) {
    s.advance(4s - 1ms);
    fake_upstream::push(s.server().last("tools/call"), said);
    s.settle();
  }
  EXPECT_EQ(s.how(2), "nothing");
  s.advance(3ms);
  EXPECT_EQ(s.how(2), "timed out") << "12 s in all";
}

TEST(upstream_silence, the_time_in_which_the_client_is_asked_does_not_count) {
  upstream_stage s({.upstream = R"({"id":"a","url":"http://a.test/mcp",
    "timeouts":{"requestMs":5000,"maxRequestMs":12000}})"});
  s.server().next("tools/call", {.open = true});
  s.call(1);
  const auto call = s.server().last("tools/call");
  s.advance(4s);
  fake_upstream::push(call, R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create"})");
  s.advance(100s);
  EXPECT_EQ(s.how(1), "nothing");
  client_reply yes;
  yes.session = s.heard().questions.at(0).session;
  yes.id = "\"q\"";
  yes.payload = "{}";
  s.tell(s.it(), yes);
  s.advance(4s);
  fake_upstream::push(call, said);
  s.advance(4s - 1ms);
  EXPECT_EQ(s.how(1), "nothing");
  s.advance(1ms);
  EXPECT_EQ(s.how(1), "timed out") << "4 s before it was asked and 8 s behind";
}

TEST(upstream_silence, words_of_one_call_are_none_of_another) {
  upstream_stage s;
  s.server().always("tools/call", {.events = {said}, .open = true});
  s.call(1);
  const auto first = s.server().last("tools/call");
  s.call(2);
  for (int n = 0; n < 11; ++n) {
    s.advance(5s);
    fake_upstream::push(first, said);
    s.settle();
  }
  s.advance(5s);
  EXPECT_EQ(s.how(1), "nothing");
  EXPECT_EQ(s.how(2), "timed out");
}

TEST(upstream_silence, progress_that_is_nobodys_gives_no_time) {
  upstream_stage s;
  s.server().next("tools/call", {.open = true});
  s.call(1);
  const auto call = s.server().last("tools/call");
  for (int n = 0; n < 11; ++n) {
    s.advance(5s);
    fake_upstream::push(call, R"({"jsonrpc":"2.0","method":"notifications/progress",)"
                              R"("params":{"progress":1,"progressToken":7}})");
    s.settle();
  }
  s.advance(5s);
  EXPECT_EQ(s.how(1), "timed out");
  EXPECT_TRUE(s.heard().notes.empty());
}

}  // namespace
}  // namespace gate::sim
