// Servers of MCP 2026-07-28 behind the gateway, in front of clients of both generations.
#include "protocol/jsonrpc/message.hpp"
#include "simulations/world/stateless_client.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

std::string config(std::string_view protocol) {
  return R"({"upstreams":[
    {"id":"a","url":"http://a.test/mcp","namespace":"a","protocol":")" +
         std::string(protocol) + R"("},
    {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})";
}

world_options with(std::string_view protocol, bool stateless = true) {
  return {.config = config(protocol), .prepare = [stateless](fake_network& net) {
            auto& a = *net.at("a");
            a.stateless = stateless;
            a.capabilities = R"({"tools":{"listChanged":true},"prompts":{},)"
                             R"("resources":{"subscribe":true},"completions":{}})";
            a.tools = {R"({"name":"x"})"};
            a.resources = {R"({"uri":"x://1","name":"n"})"};
          }};
}

std::string meta(const sight_ptr& s, std::string_view key) {
  return at(s->param("_meta"), "io.modelcontextprotocol/" + std::string(key));
}

struct generations : ::testing::TestWithParam<const char*> {
  world w{with(GetParam())};
  fake_upstream& a = w.upstream("a");
  ~generations() override { EXPECT_EQ(a.wrongs, std::vector<std::string>{}); }
};
INSTANTIATE_TEST_SUITE_P(of, generations, ::testing::Values("auto", "2026-07-28"),
                         [](const auto& p) { return p.param[0] == 'a' ? "auto" : "stateless"; });

// --- clients with sessions -----------------------------------------------------------------------

TEST_P(generations, a_session_client_calls) {
  client c(w);
  c.initialize();
  a.next("tools/call", reply::result(R"({"resultType":"complete","content":[1.0]})"));
  auto r = c.request("\"i\"", "tools/call",
                     R"({"name":"a__x","arguments":{"n":1e0},"_meta":{"vendor":1.0}})");
  EXPECT_EQ(r->last(), R"({"jsonrpc":"2.0","id":"i","result":{"resultType":"complete",)"
                       R"("content":[1.0]}})");
  const auto seen = a.last("tools/call");
  EXPECT_EQ(seen->param("arguments"), R"({"n":1e0})");
  EXPECT_EQ(at(seen->param("_meta"), "vendor"), "1.0");
  EXPECT_EQ(meta(seen, "clientCapabilities"), "{}");
  EXPECT_EQ(at(meta(seen, "clientInfo"), "name"), R"("gate")");
  EXPECT_EQ(a.count("initialize"), 0U);
  EXPECT_EQ(a.count("notifications/initialized"), 0U);
}

TEST_P(generations, lists_of_both_are_merged) {
  w.upstream("b").tools = {R"({"name":"y"})"};
  client c(w);
  c.initialize();
  EXPECT_EQ(at(c.list("1")->last(), "result", "tools"), R"([{"name":"a__x"},{"name":"b__y"}])");
}

TEST_P(generations, the_log_level_goes_with_each_request) {
  client c(w);
  c.initialize();
  c.request("1", "logging/setLevel", R"({"level":"notice"})");
  c.call("2", "a__x");
  EXPECT_EQ(meta(a.last("tools/call"), "logLevel"), R"("notice")");
  EXPECT_EQ(a.count("logging/setLevel"), 0U);
}

TEST_P(generations, progress_tokens_are_restored) {
  client c(w);
  c.initialize();
  a.always("tools/call", {.open = true});
  auto r = c.call("1", "a__x", R"("_meta":{"progressToken":"mine"})");
  const auto call = a.last("tools/call");
  const auto token = at(call->param("_meta"), "progressToken");
  EXPECT_NE(token, R"("mine")");
  fake_upstream::push(call, jsonrpc::request({}, "notifications/progress",
                                             R"({"progressToken":)" + token + R"(,"progress":1})"));
  w.settle();
  ASSERT_FALSE(r->events().empty()) << r->body;
  EXPECT_EQ(at(r->events().back(), "params", "progressToken"), R"("mine")");
}

TEST_P(generations, cancelling_closes_and_says_nothing) {
  client c(w);
  c.initialize();
  a.always("tools/call", reply::silence());
  c.call("1", "a__x");
  const auto call = a.last("tools/call");
  c.cancel("1");
  EXPECT_TRUE(call->abandoned);
  EXPECT_EQ(a.count("notifications/cancelled"), 0U);
}

TEST_P(generations, what_is_no_complete_result_is_not_passed_off_as_one) {
  client c(w);
  c.initialize();
  a.next("completion/complete",
         reply::result(R"({"resultType":"input_required","requestState":"s"})"));
  auto r = c.request("1", "completion/complete",
                     R"({"ref":{"type":"ref/resource","uri":"x://1"},"argument":{}})");
  EXPECT_EQ(at(r->last(), "error", "code"), "-32041") << r->last();
  a.next("tools/call", reply::result(R"({"resultType":"task","taskId":"t","status":"working"})"));
  EXPECT_EQ(at(c.call("2", "a__x")->last(), "error", "code"), "-32041");
}

TEST(a_stateless_server, that_tells_of_no_resources_is_not_subscribed_to) {
  auto o = with("2026-07-28");
  o.prepare = [before = o.prepare](fake_network& net) {
    before(net);
    net.at("a")->capabilities = R"({"resources":{}})";
  };
  world w(o);
  client c(w);
  c.initialize();
  auto r = c.request("1", "resources/subscribe", R"({"uri":"x://1"})");
  EXPECT_EQ(at(r->last(), "error", "code"), "-32601") << r->last();
}

TEST_P(generations, changed_lists_are_heard_of) {
  client c(w);
  c.initialize();
  auto own = c.get();
  c.list("1");
  w.settle();
  const auto streams = a.under_way("subscriptions/listen");
  ASSERT_EQ(streams.size(), 1U);
  EXPECT_EQ(at(streams[0]->param("notifications"), "toolsListChanged"), "true");
  fake_upstream::push(streams[0], jsonrpc::request({}, "notifications/tools/list_changed"));
  w.advance(1s);
  ASSERT_EQ(own->events().size(), 1U) << own->stream;
}

TEST_P(generations, methods_that_it_does_not_have_are_not_asked_for) {
  client c(w);
  c.initialize();
  auto r = c.request("1", "tasks/get", R"({"taskId":"t"})");
  EXPECT_EQ(a.count("tasks/get"), 0U);
  EXPECT_EQ(at(r->last(), "error", "code"), "-32002");
}

// --- clients without -----------------------------------------------------------------------------

TEST_P(generations, a_stateless_client_is_passed_through) {
  stateless_client c(w);
  c.capabilities = R"({"elicitation":{}})";
  c.more_meta = R"(,"io.modelcontextprotocol/logLevel":"info","vendor":1.0)";
  constexpr auto asks = R"({"resultType":"input_required","requestState":"s=\u0061",)"
                        R"("inputRequests":{"k":{"method":"elicitation/create","params":{}}}})";
  a.next("tools/call", reply::result(asks));
  auto r = c.call("7", "a__x");
  EXPECT_EQ(at(r->last(), "result"), asks);
  const auto first = a.last("tools/call");
  EXPECT_EQ(meta(first, "clientCapabilities"), R"({"elicitation":{}})");
  EXPECT_EQ(meta(first, "logLevel"), R"("info")");
  EXPECT_EQ(at(first->param("_meta"), "vendor"), "1.0");
  r = c.call("8", "a__x",
             R"(,"requestState":"s=\u0061","inputResponses":{"k":{"action":"accept"}})");
  const auto second = a.last("tools/call");
  EXPECT_EQ(second->param("requestState"), R"("s=\u0061")");
  EXPECT_EQ(second->param("inputResponses"), R"({"k":{"action":"accept"}})");
  EXPECT_EQ(at(r->last(), "result", "name"), R"("x")");
  EXPECT_EQ(w.audit("tools/call").size(), 2U) << "each leg is a request";
}

TEST_P(generations, keys_of_an_envelope_are_ours) {
  client c(w);
  c.initialize();
  c.request("1", "tools/call",
            R"({"name":"a__x","_meta":{"a":1,)"
            R"("io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}})");
  const auto sent = a.last("tools/call")->param("_meta");
  EXPECT_EQ(at(sent, "a"), "1");
  EXPECT_EQ(sent.find("sampling"), std::string::npos) << sent;
}

/// Whoever is between: a long argument is sent from where it came. `a` is stateless, `b` is not.
TEST_P(generations, long_arguments_are_not_copied) {
  const auto arguments = R"("arguments":{"text":")" + std::string(100'000, 'x') + R"("})";
  const std::string token = R"("_meta":{"progressToken":7})";
  client s(w);
  s.initialize();
  stateless_client c(w);
  const auto is_lean = [&](const std::string& server, std::string_view token_sent) {
    const auto seen = w.upstream(server).last("tools/call");
    ASSERT_TRUE(seen);
    EXPECT_LT(seen->what->before.size() + seen->what->after.size(), 1000U);
    EXPECT_EQ(seen->param("arguments"), arguments.substr(12));
    EXPECT_EQ(seen->param("name"), R"("x")");
    const auto sent = at(seen->param("_meta"), "progressToken");
    EXPECT_EQ(sent.empty(), token_sent.empty());
    EXPECT_TRUE(sent.empty() || sent != token_sent) << "the token is one of ours";
  };
  for (const std::string server : {"a", "b"}) {
    const auto name = R"("name":")" + server + R"(__x",)";
    for (const auto& params : {name + arguments, name + arguments + "," + token,
                               name + token + "," + arguments, token + "," + name + arguments}) {
      s.request("1", "tools/call", "{" + params + "}");
      is_lean(server, params.find("_meta") == params.npos ? "" : "7");
    }
    for (const std::string more : {"", R"(,"progressToken":7)"}) {
      c.more_meta = more;
      c.request("1", "tools/call", name + arguments);
      is_lean(server, more.empty() ? "" : "7");
    }
  }
}

TEST_P(generations, a_name_is_what_it_says_however_it_is_written) {
  client s(w);
  s.initialize();
  s.request("1", "tools/call",
            R"({"_meta":{"progressToken":7},"name":"a__\u0078\"y","arguments":{"n":1.0}})");
  const auto seen = a.last("tools/call");
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->param("name"), R"("x\"y")");
  EXPECT_EQ(seen->header("Mcp-Name"), "x\"y");
  EXPECT_EQ(seen->param("arguments"), R"({"n":1.0})");
  EXPECT_NE(at(seen->param("_meta"), "progressToken"), "7");
  EXPECT_EQ(meta(seen, "protocolVersion"), R"("2026-07-28")");
}

TEST_P(generations, its_errors_are_in_the_codes_of_the_client) {
  stateless_client c(w);
  client s(w);
  s.initialize();
  a.always("tools/call", {.status = 400,
                          .body = R"({"jsonrpc":"2.0","id":$id,"error":{"code":-32021,)"
                                  R"("message":"m","data":{}}})"});
  auto lacks = c.call("1", "a__x");
  EXPECT_EQ(at(lacks->last(), "error", "code"), "-32021");
  EXPECT_EQ(lacks->status, 400) << "the one error of a server that its generation gives a status";
  auto told = s.call("1", "a__x");
  EXPECT_EQ(at(told->last(), "error", "code"), "-32602");
  EXPECT_EQ(told->status, 200);
  a.always("tools/call", reply::error(R"({"code":-32602,"message":"m"})"));
  EXPECT_EQ(c.call("2", "a__x")->status, 200);
  w.upstream("b").always("tools/call", reply::error(R"({"code":-32021,"message":"m"})"));
  EXPECT_EQ(c.call("3", "b__x")->status, 200) << "a code of its own, of a server with sessions";
}

// --- which one it speaks -------------------------------------------------------------------------

TEST(a_stateless_server, has_its_reads_kept_by_everybody_only_where_all_see_the_same) {
  for (const bool policy : {false, true}) {
    auto o = with("2026-07-28");
    if (policy)
      o.config.insert(1, R"("policy":{"rules":[{"id":"all","allow":[{"server":"*"}]}]},)");
    world w(o);
    stateless_client c(w);
    w.upstream("a").always(
        "resources/read",
        reply::result(
            R"({"resultType":"complete","ttlMs":5,"cacheScope":"public","contents":[1.0]})"));
    auto r = c.request("1", "resources/read", R"("uri":"x://1")");
    EXPECT_EQ(at(r->last(), "result", "cacheScope"), policy ? R"("private")" : R"("public")")
        << r->last();
    EXPECT_EQ(at(r->last(), "result", "ttlMs"), "5");
    EXPECT_EQ(at(r->last(), "result", "contents"), "[1.0]");
  }
}

TEST(a_list_of_both_generations, that_lacks_a_server_is_not_to_be_kept) {
  world w(with("2026-07-28"));
  stateless_client c(w);
  auto whole = c.request("1", "tools/list");
  EXPECT_NE(at(whole->last(), "result", "ttlMs"), "0");
  world v(with("2026-07-28"));
  v.upstream("b").always("initialize", reply::failure(fetch_end::connect_failed));
  stateless_client d(v);
  auto part = d.request("1", "tools/list");
  v.advance(30s);
  EXPECT_EQ(at(part->last(), "result", "tools"), R"([{"name":"a__x"}])") << part->last();
  EXPECT_EQ(at(part->last(), "result", "ttlMs"), "0");
}

TEST(which_generation, is_asked_for_by_no_call_and_remembered) {
  world w(with("auto", false));
  auto& a = w.upstream("a");
  client c(w), d(w);
  c.initialize();
  EXPECT_EQ(at(c.call("1", "a__x")->last(), "result", "name"), R"("x")");
  EXPECT_EQ(a.count("server/discover"), 1U);
  EXPECT_EQ(a.count("initialize"), 1U);
  d.initialize();
  d.call("1", "a__x");
  EXPECT_EQ(a.count("server/discover"), 1U) << "it is known";
  EXPECT_EQ(a.count("initialize"), 2U);
}

TEST(which_generation, is_asked_again_when_another_server_has_taken_its_place) {
  world w(with("auto", false));
  auto& a = w.upstream("a");
  client c(w);
  c.initialize();
  c.call("1", "a__x");
  a.stateless = true;
  auto r = c.call("2", "a__x");
  a.wrongs.clear();  // the first word to the new one was of the old kind
  EXPECT_EQ(at(r->last(), "result", "name"), R"("x")") << r->last();
  a.stateless = false;
  a.forget_sessions();
  r = c.call("3", "a__x");
  EXPECT_EQ(at(r->last(), "result", "name"), R"("x")") << r->last();
}

TEST(which_generation, is_not_told_by_failures) {
  world w(with("auto"));
  auto& a = w.upstream("a");
  client c(w);
  c.initialize();
  for (const auto status : {500, 503, 401}) {
    a.next("server/discover", reply::http(status));
    c.call("1", "a__x");
    EXPECT_EQ(a.count("initialize"), 0U) << status;
  }
  EXPECT_EQ(at(c.call("2", "a__x")->last(), "result", "name"), R"("x")");
}

TEST(which_generation, is_not_doubted_when_a_handler_fails) {
  world w(with("auto"));
  auto& a = w.upstream("a");
  client c(w);
  c.initialize();
  c.call("1", "a__x");
  const auto asked = a.count("server/discover");
  a.next("tools/call",
         {.status = 400,
          .body = R"({"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"m"}})"});
  EXPECT_EQ(at(c.call("2", "a__x")->last(), "error", "code"), "-32603");
  EXPECT_EQ(a.count("tools/call"), 2U) << "it may have been processed";
  EXPECT_EQ(a.count("server/discover"), asked);
}

TEST(which_generation, is_settled_where_it_is_configured) {
  world w;
  auto& a = w.upstream("a");
  client c(w), d(w);
  c.initialize();
  c.call("1", "a__x");
  d.initialize();
  a.next("initialize", reply::http(400));
  EXPECT_EQ(at(d.call("1", "a__x")->last(), "error", "code"), "-32041");
  EXPECT_EQ(a.count("initialize"), 2U);
  EXPECT_EQ(a.count("server/discover"), 0U);
}

TEST(which_generation, may_be_demanded) {
  world w(with("2026-07-28", false));
  auto& a = w.upstream("a");
  client c(w);
  c.initialize();
  EXPECT_EQ(at(c.call("1", "a__x")->last(), "error", "code"), "-32041");
  EXPECT_EQ(a.count("initialize"), 0U);
}

}  // namespace
}  // namespace gate
