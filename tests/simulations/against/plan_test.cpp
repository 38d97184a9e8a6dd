// What of a recording is sent, what each request waits for, and what it is called elsewhere.
#include "simulations/against/plan.hpp"

#include "simulations/against/report.hpp"
#include "simulations/against/stand_ins.hpp"
#include "tests/simulations/recording/lines.hpp"

namespace gate::against {
namespace {

using namespace recording::testing;

constexpr std::string_view list_asked =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"r\u0031"}})";

plan plan_of(const std::vector<std::string>& lines) {
  planner p;
  recording::reader r;
  EXPECT_TRUE(r.take(first_line));
  for (const auto& l : lines) {
    const auto taken = r.take(l);
    EXPECT_TRUE(taken) << taken.error().what;
    if (taken && *taken) {
      EXPECT_FALSE(p.take(**taken));
    }
  }
  return std::move(p).finish();
}

std::string of_session(std::string_view id) {
  return R"("headers":[["mcp-session-id",")" + std::string(id) + R"("]])";
}

std::string request_in(std::uint64_t at, std::uint64_t number, std::string_view id) {
  return post(at, number, R"({"jsonrpc":"2.0","id":1,"method":"ping"})", of_session(id));
}

TEST(against_plan, order_within_a_session_is_kept) {
  const auto opens = event_line(1, "request", 1, R"("method":"POST","target":"/mcp","body":"{}")");
  const auto opened = event_line(5, "answer", 1, R"("status":200,)" + of_session("s"));
  const auto p = plan_of({opens, opened, request_in(6, 2, "s"), request_in(7, 3, "s"),
                          answered(8, 3, 200, ""), request_in(9, 4, "s"), answered(10, 2, 200, ""),
                          request_in(11, 5, "other"), answered(12, 5, 200, "")});
  ASSERT_EQ(p.all.size(), 5u);
  EXPECT_TRUE(p.all[0].opens);
  EXPECT_EQ(p.all[0].session, "s");
  EXPECT_EQ(p.all[0].behind, 0u);
  EXPECT_EQ(p.all[1].behind, 1u);
  EXPECT_EQ(p.all[2].behind, 1u);
  EXPECT_EQ(p.all[3].behind, 2u);  // the second was still under way
  EXPECT_EQ(p.sessions.at("s"), (std::vector<std::size_t>{0, 2, 1}));
  EXPECT_EQ(p.all[4].behind, 0u);
  EXPECT_EQ(p.all[3].outcome, left_open);
  EXPECT_FALSE(p.all[3].end);
}

TEST(against_plan, cursors_wait_for_who_names_them) {
  const auto p = plan_of(
      {post(1, 1, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"),
       answered(2, 1, 200, R"({"jsonrpc":"2.0","id":1,"result":{"nextCursor":"r1"}})"),
       post(3, 2, list_asked), answered(4, 2, 200, R"({"jsonrpc":"2.0","id":1,"result":{}})")});
  EXPECT_EQ(p.all.at(1).needs, 0u);
  EXPECT_FALSE(p.all.at(0).needs);
}

TEST(against_plan, what_can_not_be_sent_is_counted) {
  const auto p =
      plan_of({post(1, 1, R"({"jsonrpc":"2.0","id":1,"result":{}})"), answered(2, 1, 202, ""),
               event_line(2, "request", 2,
                          R"("method":"GET","target":"/mcp","headers":[["Last-Event-ID","1"]])"),
               event_line(3, "request", 3, R"("flaw":"no length")"),
               event_line(3, "request", 4, R"("method":"POST","target":"/mcp")"),
               event_line(4, "moved", 4, R"("to":1)")});
  EXPECT_TRUE(p.all.empty());
  EXPECT_EQ(p.responses, 1u);
  EXPECT_EQ(p.resumptions, 1u);
  EXPECT_EQ(p.flawed, 1u);
}

TEST(against_plan, outcomes_on_streams) {
  const auto get = event_line(1, "request", 1, R"("method":"GET","target":"/mcp")");
  const auto stream = event_line(2, "stream", 1);
  EXPECT_EQ(plan_of({get, stream, event_line(3, "gone", 1)}).all.at(0).outcome, "stream");
  EXPECT_EQ(plan_of({get, event_line(3, "gone", 1)}).all.at(0).outcome, left);
  const auto asked = post(1, 1, R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  const auto told = event_line(
      3, "sent", 1, R"("data":"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-7}}\n\n")");
  EXPECT_EQ(plan_of({asked, stream, told, event_line(4, "ended", 1)}).all.at(0).outcome,
            "error -7");
  EXPECT_EQ(plan_of({asked, stream, event_line(4, "ended", 1)}).all.at(0).outcome, "no answer");
}

TEST(against_stand_ins, of_sessions_and_names) {
  stand_ins s;
  exchange x;
  x.session = "secret:1";
  x.body = list_asked;
  x.headers = {{"Mcp-Session-Id", "secret:1"},
               {"Authorization", "secret:2"},
               {"Host", "h"},
               {"X-Api-Key", "secret:3"},
               {"Accept", "a"},
               {"Content-Length", "9"}};
  EXPECT_FALSE(s.knows(x));
  s.learn_session("secret:1", "live");
  EXPECT_TRUE(s.knows(x));
  EXPECT_EQ(s.headers_of(x),
            (std::vector<recording::header>{{"Mcp-Session-Id", "live"}, {"Accept", "a"}}));
  EXPECT_EQ(s.body_of(x), list_asked);
  s.learn(tokens_of(R"({"result":{"nextCursor":"r1"}})"),
          tokens_of(R"({"result":{"nextCursor":"live \" one"}})"));
  EXPECT_EQ(s.body_of(x),
            R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"live \" one"}})");
  s.learn(tokens_of(R"({"result":{"task":{"taskId":"t"}}})"),
          tokens_of(R"({"result":{"task":{"taskId":"u"}}})"));
  x.body = R"({"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t"}})";
  EXPECT_EQ(s.body_of(x),
            R"({"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"u"}})");
}

TEST(against_report, counts_and_compares) {
  exchange x;
  x.at = 1000;
  x.end = 3000;
  x.outcome = "ok";
  x.said = {recording::speech::request, "1", "tools/call", "a\x1b"};
  report r;
  r.add(x, "ok", 1500);
  r.add(x, "error -32001", 2500);
  auto gone = x;
  gone.outcome = left;
  r.add(gone, "ok", 9'000'000);
  r.add_unsent(x);
  EXPECT_EQ(r.differ(), 2u);
  plan p;
  p.responses = 4;
  const auto text = r.text(p, true);
  EXPECT_TRUE(
      text.starts_with("Interrupted; so far: 3 requests, 1 equal, 2 differ, 1 that nobody "
                       "had waited for, 1 not sent (no session)\n"))
      << text;
  EXPECT_NE(text.find("left out: 4 answers"), std::string::npos);
  EXPECT_NE(text.find("ok -> error -32001          1  e.g. tools/call a\\u001b\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("live       p50 1.5  p90 2.5  p99 2.5  max 2.5"), std::string::npos) << text;
  EXPECT_NE(text.find("recorded   p50 2.0"), std::string::npos) << text;
  const auto json = r.json(p, false);
  EXPECT_EQ(json::validate(json), json::fault::none) << json;
  EXPECT_EQ(json::member(json, "differ"), "2");
  EXPECT_EQ(json::member(json::member(json, "live_us"), "count"), "2");
}

TEST(against_report, quantiles) {
  std::vector<std::uint64_t> none, values;
  EXPECT_EQ(quantile(none, 500), 0u);
  for (std::uint64_t i = 100; i > 0; --i) values.push_back(i);
  EXPECT_EQ(quantile(values, 500), 50u);
  EXPECT_EQ(quantile(values, 990), 99u);
  EXPECT_EQ(quantile(values, 1000), 100u);
}

}  // namespace
}  // namespace gate::against
