// Upstreams that lose sessions, break connections and answer garbage.
#include "protocol/limits.hpp"
#include "tests/support/one_client.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto message_of_nobody =
    R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}})";

struct failures : ::testing::Test, one_client {};
struct lost_session : ::testing::TestWithParam<reply>, one_client {};

TEST_P(lost_session, is_opened_again_and_the_request_sent_once_more) {
  a.unknown_session = GetParam();
  c.call("1", "a__x");
  a.forget_sessions();
  auto r = c.call("2", "a__x");
  EXPECT_EQ(at(r->body, "id"), "2");
  EXPECT_NE(at(r->body, "result"), "") << r->body;
  EXPECT_EQ(a.count("initialize"), 2U);
  EXPECT_EQ(a.count("tools/call"), 3U);
  EXPECT_NE(a.seen("tools/call")[1]->session, a.seen("tools/call")[2]->session);
  EXPECT_EQ(w.audit("tools/call").size(), 2U);
}

TEST_P(lost_session, is_given_up_when_the_new_one_is_lost_as_well) {
  a.always("tools/call", GetParam());
  auto r = c.call("1", "a__x");
  EXPECT_EQ(r->body, unavailable("1", "a", "request failed"));
  EXPECT_EQ(a.count("tools/call"), 2U);
  EXPECT_EQ(a.count("initialize"), 2U);
  a.behave("tools/call");
  EXPECT_NE(at(c.call("2", "a__x")->body, "result"), "");
}

TEST_P(lost_session, is_opened_once_for_all_calls_in_flight) {
  c.call("0", "a__x");
  for (int i = 0; i < 10; ++i) a.next("tools/call", reply::silence());
  std::vector<receipt_ptr> all;
  for (int i = 1; i <= 10; ++i) all.push_back(c.call(std::to_string(i), "a__x"));
  a.forget_sessions();
  for (auto& s : a.under_way("tools/call")) fake_upstream::answer(s, GetParam());
  w.settle();
  EXPECT_EQ(a.count("initialize"), 2U);
  for (auto& r : all) EXPECT_NE(at(r->body, "result"), "") << r->body;
}

INSTANTIATE_TEST_SUITE_P(
    failures, lost_session,
    ::testing::Values(reply::http(404), reply::http(404, "Not Found"),
                      reply::http(404,
                                  R"({"jsonrpc":"2.0","error":{"code":-32001,"message":"x"}})"),
                      reply::http(400, "Bad Request: No valid session ID provided"),
                      reply::http(400, R"({"error":"unknown SESSION"})")));

TEST_F(failures, a_dead_connection_is_retried_only_if_the_request_was_surely_not_processed) {
  c.call("1", "a__x");
  a.next("tools/call", reply::failure(fetch_end::broken, true));
  EXPECT_NE(at(c.call("2", "a__x")->body, "result"), "");
  a.next("tools/call", reply::failure(fetch_end::broken, true));
  a.next("tools/call", reply::failure(fetch_end::broken, true));
  EXPECT_EQ(c.call("3", "a__x")->body, unavailable("3", "a", "request failed"));
  a.next("tools/call", reply::failure(fetch_end::broken, false));
  const auto before = a.count("tools/call");
  EXPECT_EQ(c.call("4", "a__x")->body, unavailable("4", "a", "request failed"));
  EXPECT_EQ(a.count("tools/call"), before + 1);
}

struct bad_answer {
  const char* name;
  reply what;
  const char* why;
};
struct bad_answers : ::testing::TestWithParam<bad_answer>, one_client {};

TEST_P(bad_answers, is_a_clear_error_and_the_next_call_works) {
  c.call("0", "a__x");
  w.upstream("a").next("tools/call", GetParam().what);
  auto r = c.call("1", "a__x");
  EXPECT_EQ(r->last(), unavailable("1", "a", GetParam().why));
  ASSERT_EQ(w.audit("tools/call").size(), 2U);
  EXPECT_EQ(at(w.audit("tools/call")[1], "outcome"), R"("upstream_down")");
  EXPECT_NE(at(c.call("2", "a__x")->body, "result"), "");
  EXPECT_EQ(w.logged("further failures are not logged"), 1U);
  EXPECT_EQ(w.logged("answers again"), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    failures, bad_answers,
    ::testing::Values(
        bad_answer{"html", {.body = "<html>oops</html>"}, "request failed"},
        bad_answer{"http_500", reply::http(500, "boom"), "request failed"},
        bad_answer{"http_202", reply::http(202), "request failed"},
        bad_answer{
            "other_id", {.body = R"({"jsonrpc":"2.0","id":99999,"result":{}})"}, "request failed"},
        bad_answer{"id_as_string",
                   {.body = R"({"jsonrpc":"2.0","id":"$id","result":{}})"},
                   "request failed"},
        bad_answer{"both",
                   {.body = R"({"jsonrpc":"2.0","id":$id,"result":{},"error":{}})"},
                   "request failed"},
        bad_answer{"stream_without_answer",
                   {.events = {R"({"jsonrpc":"2.0","method":"notifications/other"})"}},
                   "request failed"},
        bad_answer{"stream_of_garbage", {.events = {"garbage"}}, "request failed"},
        bad_answer{"stream_broken",
                   {.end = fetch_end::broken,
                    .events = {R"({"jsonrpc":"2.0","method":"notifications/message"})"}},
                   "request failed"},
        bad_answer{"too_large", reply::failure(fetch_end::too_large), "request failed"},
        bad_answer{"malformed", reply::failure(fetch_end::malformed), "request failed"},
        bad_answer{"redirected", reply::failure(fetch_end::redirected), "request failed"},
        bad_answer{"refused", reply::failure(fetch_end::connect_failed, true), "connect failed"},
        bad_answer{"unreachable", reply::failure(fetch_end::connect_timeout, true),
                   "connect failed"},
        bad_answer{"overloaded", reply::failure(fetch_end::overloaded, true), "connect failed"}),
    [](const auto& info) { return std::string(info.param.name); });

struct bad_handshake : ::testing::TestWithParam<reply>, one_client {};

TEST_P(bad_handshake, fails_the_call_and_the_next_one_tries_again) {
  w.upstream("a").next("initialize", GetParam());
  const auto* why = GetParam().status == 401 ? "credential refused" : "connect failed";
  EXPECT_EQ(c.call("1", "a__x")->body, unavailable("1", "a", why));
  EXPECT_EQ(w.upstream("a").count("tools/call"), 0U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "upstreamCalls"), "0");
  EXPECT_NE(at(c.call("2", "a__x")->body, "result"), "");
}

INSTANTIATE_TEST_SUITE_P(
    failures, bad_handshake,
    ::testing::Values(reply::failure(fetch_end::connect_failed, true),
                      reply::failure(fetch_end::connect_timeout, true), reply::http(500, "x"),
                      reply::http(401), reply{.body = "{}"},
                      reply::error(R"({"code":-32602,"message":"no"})"),
                      reply::result(R"({"protocolVersion":"1999-01-01","capabilities":{}})"),
                      reply::result(R"({"capabilities":{}})"),
                      reply::result(R"({"protocolVersion":"2025-06-18"})"),
                      reply{.body = R"({"jsonrpc":"2.0","id":$id,"result":{)"
                                    R"("protocolVersion":"2025-06-18","capabilities":{}}})",
                            .session = "a b\r\nX: y"}));

// --- what the log says of it ---------------------------------------------------------------------

TEST(logged_failures, the_path_is_logged_and_the_query_is_not) {
  world w({.config = R"({"upstreams":[{"id":"a","url":"http://a.test/wrong/path?key=secret"}]})"});
  client c(w);
  c.initialize();
  w.upstream("a").always("initialize", reply::http(404));
  EXPECT_EQ(c.call("1", "x")->body, unavailable("1", "a", "connect failed")) << "no URL in it";
  EXPECT_EQ(world::logged("http://a.test:80/wrong/path"), 1U);
  EXPECT_EQ(world::logged("secret"), 0U);
}

TEST(logged_failures, a_stream_that_ends_early_is_told_as_one) {
  world w({.config = std::string(one_upstream)});
  client c(w);
  c.initialize();
  w.upstream("a").next("tools/call", reply{.events = {message_of_nobody}});
  EXPECT_EQ(at(c.call("1", "x")->last(), "error", "message"),
            "\"upstream \\\"a\\\" unavailable (request failed)\"");
  EXPECT_EQ(world::logged("ended its event stream before it had answered the request"), 1U);
  EXPECT_EQ(world::logged("not the response"), 0U);
}

TEST_F(failures, a_redirect_is_told_as_one) {
  const std::string why = "answered 302, and this redirect is not followed";
  w.upstream("a").always("initialize", [&](const sight&) {
    return reply{.end = fetch_end::redirected, .status = 302, .why = why};
  });
  EXPECT_EQ(c.call("1", "a__x")->body, unavailable("1", "a", "request failed"));
  EXPECT_EQ(w.logged("detail=" + why), 1U);
}

TEST_F(failures, a_timeout_says_what_was_waited_for) {
  w.upstream("a").always("tools/call", reply::silence());
  c.call("1", "a__x");
  w.upstream("b").always("initialize", reply::silence());
  c.call("2", "b__x");
  w.advance(61s);
  EXPECT_EQ(w.logged("detail=tools/call, after 60000 ms"), 1U);
  EXPECT_EQ(w.logged("did not answer within its request timeout"), 1U);
  for (const auto& line : w.log()) EXPECT_FALSE(line.ends_with("detail=")) << line;
}

// --- a handshake that comes to nothing -----------------------------------------------------------

/// The server has opened a session already: it is told that nobody will use it.
TEST_F(failures, a_session_whose_handshake_fails_halfway_is_ended) {
  a.next("notifications/initialized", reply::http(500));
  EXPECT_EQ(c.call("1", "a__x")->body, unavailable("1", "a", "request failed"));
  ASSERT_EQ(a.count("DELETE"), 1U);
  const auto first = a.last("notifications/initialized")->session;
  EXPECT_NE(first, "");
  EXPECT_EQ(a.last("DELETE")->session, first);
  EXPECT_NE(at(c.call("2", "a__x")->body, "result"), "");
  EXPECT_EQ(a.count("DELETE"), 1U);
  EXPECT_NE(a.last("tools/call")->session, first);
}

TEST_F(failures, a_session_whose_handshake_takes_too_long_is_ended) {
  a.next("notifications/initialized", reply::silence());
  auto r = c.call("1", "a__x");
  w.advance(61s);
  EXPECT_EQ(r->last(), unavailable("1", "a", "timed out"));
  ASSERT_EQ(a.count("DELETE"), 1U);
  EXPECT_EQ(a.last("DELETE")->session, a.last("notifications/initialized")->session);
}

TEST_F(failures, a_session_that_nobody_wants_any_more_is_ended_before_it_began) {
  a.next("notifications/initialized", reply::silence());
  c.call("1", "a__x");
  const auto half = a.last("notifications/initialized");
  c.end();
  EXPECT_EQ(a.count("DELETE"), 0U) << "it is not open yet";
  fake_upstream::answer(half, reply::http(202));
  w.settle();
  ASSERT_EQ(a.count("DELETE"), 1U);
  EXPECT_EQ(a.last("DELETE")->session, half->session);
  EXPECT_TRUE(w.cast("bridged session").empty());
}

/// One that does not answer its DELETE holds nothing up.
TEST_F(failures, a_server_that_does_not_let_go_is_left) {
  a.next("notifications/initialized", reply::http(500));
  a.always("DELETE", reply::silence());
  c.call("1", "a__x");
  ASSERT_EQ(a.count("DELETE"), 1U);
  c.end();
  EXPECT_EQ(w.cast("bridged session").size(), 1U);
  w.advance(limits::goodbye);
  EXPECT_TRUE(w.cast("bridged session").empty());
}

TEST_F(failures, an_end_that_is_never_sent_holds_nothing_up_for_ever) {
  a.ends_wait = true;
  c.call("1", "a__x");
  c.end();
  w.advance(limits::end_wait);
  EXPECT_EQ(w.cast("bridged session").size(), 1U) << "others may end before it";
  w.advance(limits::goodbye);
  EXPECT_TRUE(w.cast("bridged session").empty());
  EXPECT_TRUE(a.seen("DELETE")[0]->abandoned);
}

}  // namespace
}  // namespace gate
