// Clients with a session in front of servers of MCP 2026-07-28 that want to know something before
// they answer: the client is asked as a server of its own generation would ask it.
#include "protocol/jsonrpc/message.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr auto capabilities =
    R"({"sampling":{},"roots":{},"elicitation":{"form":{},"url":{}},"tasks":{"list":{}}})";
constexpr auto form = R"("k":{"method":"elicitation/create","params":{"message":"Who?",)"
                      R"("requestedSchema":{"n":1.0}}})";

reply asks(std::string_view requests, std::string_view state = R"("s\/1")") {
  std::string out = R"({"resultType":"input_required")";
  if (!requests.empty()) out.append(R"(,"inputRequests":{)").append(requests).append("}");
  if (!state.empty()) out.append(R"(,"requestState":)").append(state);
  return reply::result(out + "}");
}

struct input_rounds : ::testing::Test {
  world w{{.config = R"({"upstreams":[
             {"id":"a","url":"http://a.test/mcp","namespace":"a","protocol":"auto"},
             {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})",
           .prepare = [](fake_network& net) {
             auto& a = *net.at("a");
             a.stateless = true;
             a.capabilities = R"({"tools":{},"prompts":{},"resources":{}})";
             a.tools = {R"({"name":"x"})"};
             a.resources = {R"({"uri":"x://1","name":"n"})"};
           }}};
  client c{w};
  fake_upstream& a = w.upstream("a");

  input_rounds() { initialize(capabilities); }
  ~input_rounds() override { EXPECT_EQ(a.wrongs, std::vector<std::string>{}); }

  void initialize(std::string_view declared) {
    auto r = c.request(
        "0", "initialize",
        R"({"protocolVersion":"2025-11-25","capabilities":)" + std::string(declared) + "}");
    c.session = r->header("mcp-session-id");
  }
  /// The client answers the latest message on this stream, a request.
  void answer(const receipt_ptr& r, std::string_view end) {
    ASSERT_FALSE(r->events().empty()) << r->body;
    EXPECT_EQ(c.post(R"({"jsonrpc":"2.0","id":)" + at(r->events().back(), "id") + "," +
                     std::string(end) + "}")
                  ->status,
              202);
  }
};

TEST_F(input_rounds, ask_the_client_and_call_once_more) {
  a.next("tools/call", asks(form));
  a.next("tools/call", reply::result(R"({"resultType":"complete","content":[1.0]})"));
  auto r = c.request("7", "tools/call", R"({"name":"a__x","arguments":{"n":1e0}})");
  ASSERT_EQ(r->events().size(), 1U) << r->body;
  EXPECT_EQ(r->events()[0], R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":)"
                            R"({"message":"Who?","requestedSchema":{"n":1.0}}})");
  EXPECT_EQ(a.count("tools/call"), 1U);
  answer(r, R"("result":{ "action":"accept","content":{"n":1.0} })");
  ASSERT_EQ(a.count("tools/call"), 2U);
  const auto second = a.last("tools/call");
  EXPECT_EQ(second->param("inputResponses"), R"({"k":{ "action":"accept","content":{"n":1.0} }})");
  EXPECT_EQ(second->param("requestState"), R"("s\/1")");
  EXPECT_EQ(second->param("arguments"), R"({"n":1e0})");
  EXPECT_EQ(r->events().back(),
            R"({"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[1.0]}})");
  ASSERT_EQ(w.audit("tools/call").size(), 1U);
  EXPECT_EQ(at(w.audit("tools/call")[0], "upstreamCalls"), "2");
  EXPECT_EQ(a.count("response"), 0U);
}

TEST_F(input_rounds, declare_what_the_client_can_do_but_tasks) {
  c.call("1", "a__x");
  EXPECT_EQ(at(a.last("tools/call")->param("_meta"), "io.modelcontextprotocol/clientCapabilities"),
            R"({"sampling":{},"roots":{},"elicitation":{"form":{},"url":{}}})");
}

TEST_F(input_rounds, may_be_several) {
  a.next("tools/call", asks(form, R"("one")"));
  a.next("tools/call", asks(R"("r":{"method":"roots/list"})", R"("two")"));
  auto r = c.call("1", "a__x");
  answer(r, R"("result":{"action":"decline"})");
  EXPECT_EQ(a.last("tools/call")->param("requestState"), R"("one")");
  ASSERT_EQ(r->events().size(), 2U);
  EXPECT_EQ(r->events()[1], R"({"jsonrpc":"2.0","id":2,"method":"roots/list"})");
  answer(r, R"("result":{"roots":[]})");
  EXPECT_EQ(a.last("tools/call")->param("requestState"), R"("two")");
  EXPECT_EQ(a.last("tools/call")->param("inputResponses"), R"({"r":{"roots":[]}})");
  EXPECT_TRUE(r->stream_ended);
}

TEST_F(input_rounds, wait_for_all_answers_of_a_round) {
  a.next("tools/call", asks(std::string(form) + R"(,"r":{"method":"roots/list"})", {}));
  auto r = c.call("1", "a__x");
  ASSERT_EQ(r->events().size(), 2U);
  c.post(R"({"jsonrpc":"2.0","id":2,"result":{"roots":[]}})");
  EXPECT_EQ(a.count("tools/call"), 1U);
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{"action":"cancel"}})");
  EXPECT_EQ(a.last("tools/call")->param("inputResponses"),
            R"({"k":{"action":"cancel"},"r":{"roots":[]}})");
  EXPECT_EQ(a.last("tools/call")->param("requestState"), "");
}

TEST_F(input_rounds, of_a_state_alone_call_again_after_a_pause) {
  a.next("tools/call", asks({}, R"("later")"));
  auto r = c.call("1", "a__x");
  w.advance(249ms);
  EXPECT_EQ(a.count("tools/call"), 1U);
  w.advance(1ms);
  ASSERT_EQ(a.count("tools/call"), 2U);
  EXPECT_EQ(a.last("tools/call")->param("requestState"), R"("later")");
  EXPECT_EQ(a.last("tools/call")->param("inputResponses"), "");
  EXPECT_EQ(at(r->last(), "id"), "1");
}

TEST_F(input_rounds, end_a_tool_call_as_its_result_if_the_client_refuses) {
  a.next("tools/call", asks(std::string(form) + R"(,"r":{"method":"roots/list"})"));
  auto r = c.call("1", "a__x");
  c.post(R"({"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"user said no"}})");
  EXPECT_EQ(a.count("tools/call"), 1U);
  const auto events = r->events();
  ASSERT_EQ(events.size(), 4U);
  // What else was asked is taken back.
  EXPECT_EQ(events[2],
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  EXPECT_EQ(events[3],
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":)"
            R"("the client gave no input to the upstream: user said no"}],"isError":true}})");
}

TEST_F(input_rounds, end_other_calls_as_errors_if_the_client_refuses) {
  a.next("resources/read", asks(form));
  auto r = c.request("1", "resources/read", R"({"uri":"x://1"})");
  answer(r, R"("error":{"code":-1,"message":"no"})");
  EXPECT_EQ(at(r->events().back(), "error"),
            R"({"code":-32603,"message":"the client gave no input to the upstream: no"})");
}

TEST_F(input_rounds, ask_nothing_that_the_client_has_not_declared) {
  client d(w);
  d.initialize();
  a.next("tools/call", asks(form));
  auto r = d.call("1", "a__x");
  EXPECT_EQ(at(r->last(), "result", "isError"), "true");
  EXPECT_EQ(a.count("tools/call"), 1U);
}

TEST_F(input_rounds, by_url_have_an_id_that_the_client_can_complete) {
  a.next("tools/call",
         asks(R"("u":{"method":"elicitation/create","params":{"mode":"url","url":"https://x.test",)"
              R"("message":"m"}})"));
  auto r = c.call("1", "a__x");
  ASSERT_EQ(r->events().size(), 1U);
  const auto params = at(r->events()[0], "params");
  EXPECT_FALSE(at(params, "elicitationId").empty());
  EXPECT_EQ(at(params, "url"), R"("https://x.test")");
  answer(r, R"("result":{"action":"accept"})");
  EXPECT_EQ(a.count("tools/call"), 2U);
}

TEST_F(input_rounds, are_no_more_than_eight) {
  a.always("tools/call", asks(form));
  auto r = c.call("1", "a__x");
  for (std::size_t n = 0; n < limits::input_rounds; ++n) {
    EXPECT_FALSE(r->stream_ended) << n;
    answer(r, R"("result":{"action":"accept"})");
  }
  EXPECT_EQ(a.count("tools/call"), limits::input_rounds + 1);
  EXPECT_EQ(at(r->events().back(), "result", "isError"), "true");
}

TEST_F(input_rounds, that_are_malformed_end_the_call) {
  for (const auto* odd : {R"("k":{"method":"tasks/list"})", R"("k":7)"}) {
    a.next("tools/call", asks(odd));
    auto r = c.call("1", "a__x");
    EXPECT_EQ(at(r->last(), "result", "isError"), "true") << odd;
  }
  a.next("tools/call", asks({}, {}));
  EXPECT_EQ(at(c.call("2", "a__x")->last(), "result", "isError"), "true");
  EXPECT_EQ(a.count("tools/call"), 3U);
}

TEST_F(input_rounds, may_take_a_human_longer_than_the_call_may_take) {
  a.next("tools/call", asks(form));
  auto r = c.call("1", "a__x");
  w.advance(5min);
  EXPECT_FALSE(r->stream_ended);
  a.next("tools/call", reply::silence());
  answer(r, R"("result":{"action":"accept"})");
  w.advance(59s);
  EXPECT_FALSE(r->stream_ended);
  w.advance(1s);
  EXPECT_EQ(r->events().back(), unavailable("1", "a", "timed out"));
}

TEST_F(input_rounds, do_not_wait_for_ever) {
  a.next("tools/call", asks(form));
  auto r = c.call("1", "a__x");
  w.advance(limits::question);
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST_F(input_rounds, end_with_the_call_that_is_cancelled) {
  a.next("tools/call", asks(form));
  auto r = c.call("1", "a__x");
  c.cancel("1");
  EXPECT_TRUE(r->stream_ended);
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})");
  EXPECT_EQ(a.count("tools/call"), 1U);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST_F(input_rounds, end_with_the_session_of_the_client) {
  a.next("tools/call", asks(form));
  c.call("1", "a__x");
  c.end();
  w.settle();
  EXPECT_EQ(a.count("tools/call"), 1U);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST_F(input_rounds, of_a_client_that_vanished_end_the_call) {
  a.next("tools/call", asks(form));
  auto r = c.call("1", "a__x");
  w.vanish(r);
  w.advance(limits::return_time + 3s);
  EXPECT_EQ(a.count("tools/call"), 1U);
  EXPECT_EQ(w.audit("tools/call").size(), 1U);
}

TEST_F(input_rounds, go_on_growing_in_progress) {
  a.next("tools/call", {.open = true});
  auto r = c.call("1", "a__x", R"("_meta":{"progressToken":"mine"})");
  const auto tell = [&](std::string_view progress) {
    const auto call = a.last("tools/call");
    fake_upstream::push(
        call, jsonrpc::request({}, "notifications/progress",
                               R"({"progressToken":)" + at(call->param("_meta"), "progressToken") +
                                   R"(,"progress":)" + std::string(progress) + "}"));
    w.settle();
  };
  tell("2");
  a.next("tools/call", {.open = true});
  fake_upstream::push(a.last("tools/call"),
                      R"({"jsonrpc":"2.0","id":$id,"result":{"resultType":"input_required",)"
                      R"("inputRequests":{)" +
                          std::string(form) + "}}}");
  w.settle();
  answer(r, R"("result":{"action":"accept"})");
  tell("1");
  tell("2.5");
  std::vector<std::string> told;
  for (const auto& e : r->events())
    if (const auto progress = at(e, "params", "progress"); !progress.empty())
      told.push_back(progress);
  EXPECT_EQ(told, (std::vector<std::string>{"2", "2.5"}));
}

TEST_F(input_rounds, charge_each_leg_and_keep_clients_apart) {
  client d(w);
  auto opened = d.request(
      "0", "initialize",
      R"({"protocolVersion":"2025-11-25","capabilities":)" + std::string(capabilities) + "}");
  d.session = opened->header("mcp-session-id");
  a.next("tools/call", asks(form, R"("of c")"));
  a.next("tools/call", asks(form, R"("of d")"));
  auto of_c = c.call("1", "a__x");
  auto of_d = d.call("1", "a__x");
  d.post(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept","who":"d"}})");
  EXPECT_EQ(a.last("tools/call")->param("requestState"), R"("of d")");
  EXPECT_FALSE(of_c->stream_ended);
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept","who":"c"}})");
  EXPECT_EQ(a.last("tools/call")->param("requestState"), R"("of c")");
  EXPECT_EQ(at(at(a.last("tools/call")->param("inputResponses"), "k"), "who"), R"("c")");
}

TEST_F(input_rounds, end_if_another_kind_of_server_has_taken_the_place) {
  a.next("tools/call", asks(form));
  auto r = c.call("1", "a__x");
  a.stateless = false;
  answer(r, R"("result":{"action":"accept"})");
  w.settle();
  EXPECT_EQ(at(r->events().back(), "error", "message"),
            R"("the upstream has changed while it asked")");
  EXPECT_EQ(a.count("initialize"), 1U);
}

world_options limited(std::string_view by) {
  return {.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","namespace":"a",)"
                    R"("protocol":"2026-07-28",)" +
                    std::string(by) + R"(},{"id":"b","url":"http://b.test/mcp","namespace":"b"}]})",
          .prepare = [](fake_network& net) { net.at("a")->stateless = true; }};
}

void initialize_able(client& c) {
  auto r = c.request(
      "0", "initialize",
      R"({"protocolVersion":"2025-11-25","capabilities":)" + std::string(capabilities) + "}");
  c.session = r->header("mcp-session-id");
}

TEST(input_rounds_and_budgets, each_leg_is_charged_also_behind_a_list_that_was_fetched) {
  world w(limited(R"("budget":{"upstreamCalls":2})"));
  auto& a = w.upstream("a");
  client c(w);
  initialize_able(c);
  a.next("tools/call",
         {.status = 400,
          .body = R"({"jsonrpc":"2.0","id":$id,"error":{"code":-32020,"message":"m"}})"});
  a.next("tools/call", asks(form));
  auto r = c.call("1", "a__x");
  ASSERT_FALSE(r->events().empty()) << r->body;
  c.post(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})");
  EXPECT_EQ(at(r->events().back(), "result", "resultType"), R"("complete")") << r->stream;
  EXPECT_EQ(at(c.call("2", "a__x")->last(), "error", "code"), "-32044");
}

TEST(input_rounds_and_breakers, who_does_not_answer_is_no_fault_of_the_server) {
  world w(limited(R"("circuitBreaker":{"failureThreshold":1})"));
  auto& a = w.upstream("a");
  client c(w);
  initialize_able(c);
  a.next("tools/call", asks(form));
  auto r = c.call("1", "a__x");
  w.advance(limits::question + 1s);
  EXPECT_TRUE(r->stream_ended);
  EXPECT_EQ(at(c.call("2", "a__x")->last(), "result", "resultType"), R"("complete")");
}

TEST(input_rounds_and_memory, answers_of_all_calls_are_bounded_together) {
  world w(limited(R"("labels":{})"));
  auto& a = w.upstream("a");
  client c(w);
  initialize_able(c);
  const auto two = std::string(form) + R"(,"r":{"method":"roots/list"})";
  const auto half = R"("result":{"action":"accept","x":")" +
                    std::string(limits::input_answer_bytes / 2, 'x') + "\"}}";
  std::vector<receipt_ptr> calls;
  for (const auto* id : {"1", "2", "3"}) {
    a.next("tools/call", asks(two));
    calls.push_back(c.call(id, "a__x"));
  }
  for (const auto* question : {"1", "3", "5"})
    c.post(R"({"jsonrpc":"2.0","id":)" + std::string(question) + "," + half);
  std::size_t ended = 0;
  for (const auto& r : calls) ended += r->stream_ended;
  EXPECT_EQ(ended, 2U);
}

}  // namespace
}  // namespace gate
