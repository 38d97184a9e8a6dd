// From events to calls: what belongs together.
#include "simulations/recording/story.hpp"

#include "tests/simulations/recording/lines.hpp"
#include "tests/simulations/support/growth.hpp"

namespace gate::recording {
namespace {

using namespace testing;

struct told_story {
  std::vector<call> calls;
  story_counts counts;
};

told_story story_of(const std::vector<std::string>& lines) {
  told_story out;
  story s([&out](call&& c) { out.calls.push_back(std::move(c)); });
  feed(lines, s);
  out.counts = s.counts();
  return out;
}

constexpr std::string_view call_x =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files__x"}})";
constexpr std::string_view result_1 = R"({"jsonrpc":"2.0","id":1,"result":{}})";

/// For this request; 0: for none.
std::string fetch_to(std::uint64_t at, std::uint64_t number, std::string_view url,
                     std::uint64_t request, std::uint64_t unit = 0) {
  return event_line(at, "fetch", number,
                    R"("method":"POST","url":)" + json::quoted(url) +
                        (request ? R"(,"request":)" + std::to_string(request) : ""),
                    unit);
}

/// A request to unit 1.
std::string elsewhere(std::uint64_t at, std::uint64_t number) {
  return event_line(at, "request", number, R"("peer":"10.0.0.1","method":"POST","target":"/mcp")",
                    1);
}

std::string audited(std::uint64_t at, std::uint64_t request, std::string_view members,
                    std::uint64_t unit = 0) {
  return event_line(
      at, "audit", 0,
      R"("request":)" + std::to_string(request) + R"(,"line":{)" + std::string(members) + "}",
      unit);
}

TEST(recording_story, a_call_with_its_answer) {
  const auto s = story_of(
      {post(1000, 1, call_x,
            R"("headers":[["MCP-Session-Id","secret:1"]],"token":{"claims":{"sub":"ann"}})"),
       answered(3500, 1, 200, result_1)});
  ASSERT_EQ(s.calls.size(), 1u);
  const auto& c = s.calls[0];
  EXPECT_EQ(c.at, 1000u);
  EXPECT_EQ(c.client, "10.0.0.1");
  EXPECT_EQ(c.principal, "ann");
  EXPECT_EQ(c.session, "secret:1");
  EXPECT_EQ(c.method, "tools/call");
  EXPECT_EQ(c.name, "files__x");
  EXPECT_EQ(c.outcome, "ok");
  EXPECT_EQ(c.took, 2500u);
  EXPECT_EQ(c.status, 200u);
  EXPECT_FALSE(c.audited);
  EXPECT_EQ(s.counts.calls, 1u);
}

TEST(recording_story, outcomes_without_an_audit_trail) {
  const auto of = [](int status, std::string_view body) {
    return story_of({post(1, 1, call_x), answered(2, 1, status, body)}).calls.at(0).outcome;
  };
  EXPECT_EQ(of(200, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"m"}})"),
            "error -32001");
  EXPECT_EQ(of(200, R"({"jsonrpc":"2.0","id":1,"result":{"isError":true}})"), "tool error");
  EXPECT_EQ(of(401, ""), "HTTP 401");
  EXPECT_EQ(of(202, ""), "accepted");
  EXPECT_EQ(story_of({post(1, 1, call_x), event_line(2, "gone", 1), event_line(3, "dropped", 1)})
                .calls.at(0)
                .outcome,
            "gone");
  EXPECT_EQ(story_of({post(1, 1, call_x), event_line(2, "dropped", 1)}).calls.at(0).outcome,
            "dropped");
  const auto open = story_of({post(1, 1, call_x)}).calls.at(0);
  EXPECT_EQ(open.outcome, "open");
  EXPECT_EQ(open.took, std::nullopt);
}

TEST(recording_story, answers_on_streams) {
  const auto sent = [](std::string_view data) {
    return event_line(3, "sent", 1, R"("data":)" + json::quoted(data));
  };
  const auto s = story_of({post(1, 1, call_x), event_line(2, "stream", 1), sent("id: 1\ndata:\n\n"),
                           sent("data: {\"jsonrpc\":\"2.0\",\"id\":1,"),
                           sent("\"result\":{\"isError\":true}}\n\n"), event_line(9, "ended", 1)});
  EXPECT_EQ(s.calls.at(0).outcome, "tool error");
  EXPECT_EQ(s.calls.at(0).took, 8u);
  EXPECT_EQ(story_of({post(1, 1, call_x), event_line(2, "stream", 1), event_line(3, "ended", 1)})
                .calls.at(0)
                .outcome,
            "no answer");
  const auto get = event_line(1, "request", 1, R"("method":"GET","target":"/mcp?x=1")");
  const auto listened = story_of({get, event_line(2, "stream", 1), sent("data: {}\n\ndata: {}\n\n"),
                                  event_line(3, "ended", 1)});
  EXPECT_EQ(listened.calls.at(0).outcome, "2 events");
  EXPECT_EQ(listened.calls.at(0).method, "GET");
  EXPECT_EQ(listened.calls.at(0).name, "/mcp");
}

TEST(recording_story, fetches_belong_to_calls) {
  const auto s =
      story_of({post(1, 9, call_x), answered(1, 9, 200, result_1), post(1, 1, call_x),
                post(2, 2, call_x), elsewhere(2, 2), fetch_to(3, 1, "http://w2/mcp?a", 2),
                fetch_to(4, 2, "http://files:1/mcp", 1), fetch_to(5, 3, "http://who/", 1),
                fetch_to(6, 4, "http://files:1/mcp", 2, 1),  // of another unit
                fetch_to(7, 5, "http://files:1/mcp", 0),     // of none
                fetch_to(7, 6, "http://files:1/mcp", 9),     // of one that is over
                answered(8, 1, 200, result_1), answered(8, 2, 200, result_1)});
  ASSERT_EQ(s.calls.size(), 4u);
  EXPECT_EQ(s.calls[0].upstreams, std::vector<std::string>{});
  EXPECT_EQ(s.calls[1].upstreams, (std::vector<std::string>{"files", "who"}));
  EXPECT_EQ(s.calls[2].upstreams, std::vector<std::string>{"web"});
  EXPECT_EQ(s.calls[3].upstreams, std::vector<std::string>{"files"});
  EXPECT_EQ(s.counts.fetches, 6u);
}

TEST(recording_story, audit_events_say_more) {
  const std::string of_x =
      R"("method":"tools/call","name":"files__x","principal":"ann","upstream":"files",)"
      R"("outcome":"denied","ruleId":"r1","tenant":"t","error":"e")";
  const auto asked = post(1, 1, call_x), told = answered(5, 1, 200, result_1);
  for (const auto& s : {story_of({asked, told, audited(6, 1, of_x)}),
                        story_of({asked, audited(4, 1, of_x), told})}) {
    ASSERT_EQ(s.calls.size(), 1u);
    EXPECT_EQ(s.calls[0].outcome, "denied");
    EXPECT_EQ(s.calls[0].rule, "r1");
    EXPECT_EQ(s.calls[0].tenant, "t");
    EXPECT_EQ(s.calls[0].error, "e");
    EXPECT_EQ(s.calls[0].principal, "ann");
    EXPECT_EQ(s.calls[0].took, 4u);
    EXPECT_EQ(s.calls[0].upstreams, std::vector<std::string>{"files"});
    EXPECT_TRUE(s.calls[0].audited);
    EXPECT_EQ(s.counts.strange_audits, 0u);
  }
  const auto late = story_of({asked, told, audited(2'000'000, 1, of_x)});
  EXPECT_EQ(late.calls.at(0).outcome, "ok");
  EXPECT_FALSE(late.calls.at(0).audited);
  EXPECT_EQ(late.counts.strange_audits, 1u);
  // Of another request, of another unit.
  for (const auto& s : {story_of({asked, post(1, 2, call_x), told, audited(6, 2, of_x)}),
                        story_of({asked, elsewhere(1, 1), told, audited(6, 1, of_x, 1)})}) {
    ASSERT_EQ(s.calls.size(), 2u);
    EXPECT_EQ(s.calls[0].outcome, "ok");
    EXPECT_FALSE(s.calls[0].audited);
    EXPECT_TRUE(s.calls[1].audited);
  }
}

TEST(recording_story, elements_of_a_batch_are_of_one_call) {
  const auto both = "[" + std::string(call_x) + "," + std::string(call_x) + "]";
  const auto element = [](std::uint64_t at, std::string_view outcome) {
    return audited(at, 1, R"("method":"tools/call","outcome":")" + std::string(outcome) + '"');
  };
  const auto s =
      story_of({post(1, 1, both), element(2, "denied"),
                answered(3, 1, 200, "[" + std::string(result_1) + "]"), element(4, "error")});
  ASSERT_EQ(s.calls.size(), 1u);
  EXPECT_TRUE(s.calls[0].audited);
  EXPECT_NE(s.calls[0].outcome, "denied");
  EXPECT_NE(s.calls[0].outcome, "error");
  EXPECT_EQ(s.counts.strange_audits, 0u);
}

TEST(recording_story, refusals_before_mcp_are_told_by_the_trail) {
  const auto s = story_of({post(1, 1, call_x), answered(2, 1, 401, ""),
                           audited(2, 1, R"("method":"http","outcome":"unauthenticated")")});
  EXPECT_EQ(s.calls.at(0).outcome, "unauthenticated");
}

TEST(recording_story, what_moves_is_one_call) {
  const auto s = story_of({post(1, 1, call_x), event_line(2, "moved", 1, R"("to":1)"),
                           event_line(3, "request", 1, R"("arrives":true,"method":"POST")", 1),
                           event_line(4, "answer", 1, R"("status":204)", 1)});
  ASSERT_EQ(s.calls.size(), 1u);
  EXPECT_EQ(s.calls[0].unit, 1u);
}

TEST(recording_story, bodies_may_come_later) {
  const auto s =
      story_of({event_line(1, "request", 1, R"("method":"POST","target":"/mcp","follows":true)"),
                event_line(2, "body", 1, R"("body":)" + json::quoted(call_x)),
                answered(3, 1, 200, result_1)});
  EXPECT_EQ(s.calls.at(0).method, "tools/call");
  EXPECT_EQ(s.calls.at(0).outcome, "ok");
}

TEST(recording_story, operations_are_told_too) {
  const auto s = story_of(
      {R"({"t":1,"u":0,"e":"reload"})",
       R"({"t":2,"u":0,"e":"document","document":{"upstreams":[{"id":"new","url":"http://n/"}]}})",
       post(3, 1, call_x), fetch_to(4, 1, "http://n/", 1), answered(5, 1, 200, result_1),
       R"({"t":6,"u":0,"e":"stop"})"});
  ASSERT_EQ(s.calls.size(), 4u);
  EXPECT_TRUE(s.calls[0].operation);
  EXPECT_EQ(s.calls[0].method, "reload");
  EXPECT_EQ(s.calls[1].method, "document");
  EXPECT_EQ(s.calls[2].method, "stop");
  EXPECT_EQ(s.calls[3].upstreams, std::vector<std::string>{"new"});
  EXPECT_EQ(s.counts.calls, 1u);
}

TEST(recording_story, calls_are_told_when_nothing_more_will_be_known) {
  std::vector<std::uint64_t> told;
  story s([&told](call&& c) { told.push_back(c.number); });
  reader r;
  ASSERT_TRUE(r.take(first_line));
  s.begin(*r.first());
  const auto take = [&](const std::string& l) { s.take(**r.take(l)); };
  take(post(1, 1, call_x));
  take(answered(2, 1, 200, result_1));
  EXPECT_TRUE(told.empty());
  take(post(900'000, 2, call_x));
  EXPECT_TRUE(told.empty());
  take(answered(1'100'000, 2, 200, result_1));
  EXPECT_EQ(told, std::vector<std::uint64_t>{1});
  take(audited(1'100'001, 2, R"("method":"tools/call","name":"files__x","outcome":"ok")"));
  EXPECT_EQ(told, (std::vector<std::uint64_t>{1, 2}));
  take(post(1'100'002, 3, call_x));
  take(post(1'100'003, 4, call_x));
  take(answered(1'100'004, 3, 200, result_1));
  s.wait_no_longer();
  EXPECT_EQ(told, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(recording_story, many_calls_wait_for_their_audit_events) {
  const auto crowd = [](std::size_t n) {
    std::vector<event> all;
    const auto add = [&all](kind what, std::uint64_t number) -> event& {
      auto& e = all.emplace_back();
      e.what = what;
      e.number = number;
      return e;
    };
    for (std::size_t i = 1; i <= n; ++i) add(kind::request, i);
    for (std::size_t i = 1; i <= n; ++i) add(kind::answer, i).status = 200;
    for (std::size_t i = 2 * n; i > 0; --i) add(kind::audit, 0).request = i;  // half are of nobody
    return [all = std::move(all), n] {
      std::size_t audited = 0;
      story s([&](call&& c) { audited += c.audited ? 1 : 0; });
      for (const auto& e : all) s.take(e);
      EXPECT_EQ(audited, n);
      EXPECT_EQ(s.counts().strange_audits, n);
    };
  };
  EXPECT_LT(sim::testing::growth(3000, crowd), sim::testing::most_growth);
}

}  // namespace
}  // namespace gate::recording
