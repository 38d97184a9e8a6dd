#include "simulations/replay/counterparts.hpp"

#include <gtest/gtest.h>

namespace gate::replay {
namespace {

told answered(std::string body, std::vector<recording::header> headers = {}) {
  told out;
  out.status = 200;
  out.type = "application/json";
  out.headers = std::move(headers);
  out.body = std::move(body);
  out.over = true;
  return out;
}

told streamed_out(std::string bytes) {
  told out;
  out.status = 200;
  out.type = "text/event-stream";
  out.streaming = true;
  out.stream = std::move(bytes);
  out.over = true;
  return out;
}

std::string told_apart(const told& recorded, const told& replayed, surface by = surface::mcp,
                       bool whole = true) {
  counterparts names;
  contrasts out;
  names.compare(recorded, replayed, by, whole, out);
  std::string text;
  for (const auto& c : out) text += c.where + ": " + c.recorded + " / " + c.replayed + "\n";
  return text;
}

TEST(counterparts, equal_answers_have_no_contrast) {
  const auto body = R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})";
  EXPECT_EQ(told_apart(answered(body), answered(body)), "");
}

TEST(counterparts, each_difference_is_told_where_it_is) {
  EXPECT_EQ(told_apart(answered(R"({"result":{"tools":[{"name":"a"},{"name":"b"}]}})"),
                       answered(R"({"result":{"tools":[{"name":"a"},{"name":"c"}]}})")),
            "/result/tools/1/name: \"b\" / \"c\"\n");
  EXPECT_EQ(told_apart(answered(R"({"a":1})"), answered(R"({"a":1,"b":2})")), "/b:  / 2\n");
  EXPECT_EQ(told_apart(answered(R"([1,2])"), answered(R"([1])")), "/1: 2 / \n");
  auto other = answered(R"({"a":1})");
  other.status = 404;
  other.type = "text/plain";
  EXPECT_EQ(told_apart(answered(R"({"a":1})"), other),
            "status: 200 / 404\ntype: application/json / text/plain\n");
  other = answered(R"({"a":1})");
  other.dropped = true;
  EXPECT_EQ(told_apart(answered(R"({"a":1})"), other), "dropped: no / yes\n");
}

TEST(counterparts, how_long_to_wait_may_be_a_second_more_or_less) {
  const auto refused = [](std::string_view seconds) {
    return answered(R"({"error":{"code":-32000,"message":"the rate limit is exceeded; retry in )" +
                    std::string(seconds) + R"("}})");
  };
  EXPECT_EQ(told_apart(refused("55s"), refused("56s")), "");
  EXPECT_NE(told_apart(refused("55s"), refused("57s")), "");
  EXPECT_NE(told_apart(refused("55s"), refused("55 min")), "");
  EXPECT_NE(
      told_apart(answered(R"({"m":"a; retry in 5s"})"), answered(R"({"m":"b; retry in 5s"})")), "");
}

TEST(counterparts, of_events_of_endpoints_times_do_not_count) {
  const auto one = streamed_out("data: {\"latencyMs\":1,\"outcome\":\"ok\"}\n\n");
  const auto other = streamed_out("data: {\"latencyMs\":2,\"outcome\":\"ok\"}\n\n");
  EXPECT_EQ(told_apart(one, other, surface::endpoint), "");
  EXPECT_NE(told_apart(one, other, surface::mcp), "");
}

TEST(counterparts, text_that_is_no_json_is_compared_whole) {
  EXPECT_EQ(told_apart(answered("one"), answered("two")), "body: one / two\n");
  EXPECT_EQ(told_apart(answered("one 1"), answered("one 2"), surface::endpoint), "");
}

TEST(counterparts, measures_count_only_where_they_are_payload) {
  const auto one = answered(R"({"uptime":5,"since":"2026-11-28T06:00:00.000Z","status":"ok"})");
  const auto two = answered(R"({"uptime":6,"since":"2026-11-28T07:00:00.000Z","status":"ok"})");
  EXPECT_EQ(told_apart(one, two, surface::endpoint), "");
  EXPECT_NE(told_apart(one, two), "");
  EXPECT_EQ(told_apart(answered(R"({"error":{"data":{"gate":{"retryAfterMs":5,"reason":"x"}}}})"),
                       answered(R"({"error":{"data":{"gate":{"retryAfterMs":9,"reason":"x"}}}})")),
            "");
  EXPECT_NE(told_apart(answered(R"({"error":{"data":{"gate":{"reason":"x"}}}})"),
                       answered(R"({"error":{"data":{"gate":{"reason":"y"}}}})")),
            "");
}

TEST(counterparts, what_is_minted_is_learned_and_given_back) {
  counterparts names;
  contrasts out;
  names.compare(answered(R"({"result":{"nextCursor":"old","requestState":"was"}})",
                         {{"Mcp-Session-Id", "secret:1"}}),
                answered(R"({"result":{"nextCursor":"new","requestState":"is"}})",
                         {{"mcp-session-id", "abc"}}),
                surface::mcp, true, out);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(names.header("MCP-SESSION-ID", "secret:1"), "abc");
  EXPECT_EQ(names.header("X-Other", "secret:1"), "secret:1");
  EXPECT_EQ(names.header("Mcp-Session-Id", "unknown"), "unknown");
  EXPECT_EQ(names.body(R"({"id":1,"method":"tools/list","params":{"cursor":"old","x":"old"}})"),
            R"({"id":1,"method":"tools/list","params":{"cursor":"new","x":"old"}})");
  EXPECT_EQ(names.body(R"({"method":"m","params":{"requestState":"was"}})"),
            R"({"method":"m","params":{"requestState":"is"}})");
  EXPECT_EQ(names.body("old"), "old");
}

TEST(counterparts, a_session_that_is_missing_is_a_contrast) {
  EXPECT_EQ(told_apart(answered("{}", {{"Mcp-Session-Id", "s"}}), answered("{}")),
            "header Mcp-Session-Id: s / \n");
}

TEST(counterparts, seconds_to_wait_may_be_one_apart) {
  const auto after = [](std::string seconds) {
    return answered("{}", {{"Retry-After", std::move(seconds)}});
  };
  EXPECT_EQ(told_apart(after("5"), after("6")), "");
  EXPECT_EQ(told_apart(after("5"), after("7")), "header Retry-After: 5 / 7\n");
  EXPECT_EQ(told_apart(after("5"), answered("{}")), "header Retry-After: 5 / \n");
}

TEST(counterparts, streams_are_compared_by_events_and_ids_are_learned) {
  counterparts names;
  contrasts out;
  const auto asks = [](std::string id) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"sampling/createMessage"})";
  };
  names.compare(streamed_out(": hello\n\nid: e1\ndata: " + asks("\"q7\"") + "\n\n"),
                streamed_out("id: f1\ndata: " + asks("\"q9\"") + "\n\n: there\n\n"), surface::mcp,
                true, out);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(names.header("Last-Event-ID", "e1"), "f1");
  EXPECT_EQ(names.body(R"({"jsonrpc":"2.0","id":"q7","result":{}})"),
            R"({"jsonrpc":"2.0","id":"q9","result":{}})");
  EXPECT_EQ(names.body(R"({"jsonrpc":"2.0","id":"q7","method":"ping"})"),
            R"({"jsonrpc":"2.0","id":"q7","method":"ping"})");
}

TEST(counterparts, an_event_too_few_or_too_many_is_told) {
  const auto one = streamed_out("data: 1\n\n"), two = streamed_out("data: 1\n\ndata: 2\n\n");
  EXPECT_EQ(told_apart(two, one), "event 2: 2 / \n");
  EXPECT_EQ(told_apart(one, two), "event 2:  / 2\n");
  EXPECT_EQ(told_apart(one, two, surface::mcp, false), "");
}

}  // namespace
}  // namespace gate::replay
